"""Named entities as runs of proper nouns: a chunker over part-of-speech tags.

No entity annotation under an open licence ships with the project, so names are not learned but read off the tags.
A name is a run of proper nouns (``NNP``, ``NNPS``), with these rules:

* a hyphen inside a run joins it (*Rolls-Royce*), as does *of* after a word that takes one (*Bank of England*,
  *University of Leeds*) and a lower-case particle between two proper nouns (*Ludwig van Beethoven*);
* titles before a name are not part of it (*Mr.*, *President*, *Sir*), and a title alone is no name;
* months, days of the week and holidays' dates are no names (they are dates);
* where every word is capitalised, at the start of a sentence or a quotation, a single word counts only if it is not
  among the language's common words (those that running text writes in lower case at least as often as not);
* elsewhere, a capitalised word that the tagger took for a common noun or a verb counts as well, and so do a capitalised
  adjective and *The* before a name (*British Library*, *The Hague*), unless most words of the sentence have capitals;
* adjectives of nationality (*Polish*) are no names, the plural nouns for peoples (*Germans*) are: this is where the
  tags draw the line.

Names have no type (person, place, organisation). Measured accuracy: ``data/models/text-en/README.md``.
"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence

TITLES = frozenset(
    "mr mrs ms miss mister dr prof professor sir lord lady dame king queen prince princess emperor empress pope bishop "
    "archbishop cardinal rev reverend president vice-president chancellor senator sen governor gov mayor judge justice "
    "captain capt major maj general gen colonel col lieutenant lt sergeant sgt admiral commander rep congressman "
    "congresswoman minister secretary chairman madame monsieur herr frau don sheikh sultan duke duchess earl count "
    "countess baron baroness father brother sister coach inspector detective officer".split()
)
"""Words that are left out at the start of a name, compared in lower case and without a final period."""

DATE_WORDS = frozenset(
    "january february march april may june july august september october november december jan feb mar apr jun jul aug "
    "sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays "
    "thursdays fridays saturdays sundays mon tue tues wed thu thur thurs fri sat sun".split()
)

OF_HEADS = frozenset(
    "academy agency army association bank battle bay board body book bureau cape centre center chamber church city "
    "coast college commission committee confederation conference congress council county court department district "
    "duchy empire faculty federation fire gulf hall head house institute institution isle island islands isles kingdom "
    "lake league library line ministry mount mountains museum office order palace parliament people peninsula port "
    "province republic rock school sea siege society states straits strait temple tower treaty union university valley "
    "war wall sisters brothers sons daughters bishop archbishop duke earl".split()
)
"""Words that join a following *of* and proper noun to the name: the *bank* of *Bank of England*."""

_PARTICLES = frozenset("de del della di da du la le van von der den bin ibn al el y & 'n'".split())


# Tags that an unknown name is given by mistake.
_MISTAKEN = frozenset({"NN", "NNS", "FW", "VB", "VBP", "VBZ", "VBN", "VBD", "RB", "IN", "UH", "CD", "XX", "GW", "ADD"})
_OPENING = frozenset('"“‘:;(«`') | {"``", "--", "—", "..."}


# Marks of the tokens of a sentence: n a name, h one that takes "of" after it, j what joins names, o "of", t "the".
_RUN = re.compile("[nh](?:[nh]|j[nh]|(?<=h)ot?[nh])*")


def _plain(token: str) -> str:
    return token.lower().rstrip(".")


def name_spans(
    tokens: Sequence[str], tags: Sequence[str], common: Container[str] = frozenset()
) -> list[tuple[int, int]]:
    """Names in one tagged sentence.

    Parameters
    ----------
    tokens, tags : sequence of str
        The sentence; tags of the Penn Treebank.
    common : container of str
        Lower-case words that a capital letter at the start of a sentence does not make a name.

    Returns
    -------
    list of (int, int)
        First token and the one after the last of every name, in order.

    Examples
    --------
    >>> name_spans(["Dr.", "Lind", "left", "Rolls", "-", "Royce"], ["NNP", "NNP", "VBD", "NNP", "HYPH", "NNP"])
    [(1, 2), (3, 6)]
    """
    named = _named(tokens, tags, common)
    words = [_plain(token) for token in tokens]
    spans = []
    for match in _RUN.finditer("".join(map(_mark, tokens, words, named))):
        first, last = match.span()
        # "the British Prime Minister Tony Blair": neither the adjective nor the title is part of the name.
        leading = next((place for place in range(first, last) if tags[place] != "JJ"), last)
        if leading < last and words[leading] in TITLES:
            first = leading
        while first < last and (words[first] in TITLES or words[first] in DATE_WORDS):
            first += 1
        while last > first and words[last - 1] in DATE_WORDS:
            last -= 1
        letters = any(character.isalpha() for token in tokens[first:last] for character in token)
        ordinary = last - first == 1 and _starts(tokens, first) and tokens[first].lower() in common
        if letters and not ordinary:
            spans.append((first, last))
    return spans


def _mark(token: str, word: str, named: bool) -> str:
    if named:
        return "h" if word in OF_HEADS else "n"
    if token == "-" or token in _PARTICLES:
        return "j"
    return {"of": "o", "the": "t"}.get(token, ".")


def _named(tokens: Sequence[str], tags: Sequence[str], common: Container[str]) -> list[bool]:
    """Which tokens can be part of a name: the proper nouns, and capitalised words that the tagger took for others."""
    named = [tag in ("NNP", "NNPS") and not token.islower() for token, tag in zip(tokens, tags, strict=True)]
    words = [token for token in tokens if token[:1].isalpha()]
    if 2 * sum(word[0].isupper() for word in words) > len(words) + 1:
        return named  # a headline or a table: capitals say nothing
    # From right to left, as an adjective and an article count only before a name.
    for place in range(len(tokens) - 1, -1, -1):
        token, tag = tokens[place], tags[place]
        if named[place] or not token[:1].isupper() or len(token) < 2:
            continue
        before_name = place + 1 < len(tokens) and named[place + 1] and tokens[place + 1][:1].isupper()
        if _starts(tokens, place):
            named[place] = tag in _MISTAKEN and token.lower() not in common
        elif tag == "DT":
            named[place] = token == "The" and before_name
        elif tag == "JJ":
            named[place] = before_name
        else:
            named[place] = tag in _MISTAKEN
    return named


def _starts(tokens: Sequence[str], place: int) -> bool:
    """Whether a capital letter is due to the place: the first word of a sentence or of a quotation."""
    return all(not token[:1].isalnum() for token in tokens[:place]) or tokens[place - 1] in _OPENING
