"""Tokens, stems and stop words of English text.

Tokens follow the conventions of Universal Dependencies' English Web Treebank, on which the shipped tagger is trained:
contractions are split (``do n't``, ``John 's``, ``can not``), so are hyphenated words (``long - term``) unless one
part is an affix (``co-author``), abbreviations keep their period, and every other punctuation mark stands alone.
Nothing is dropped or rewritten: the tokens of a text, joined, are the text without its white space.
"""

from __future__ import annotations

import functools
import re

ABBREVIATIONS = frozenset(
    "adm al apr arr assn asst aug ave blvd bros ca capt cf cmdr co col corp cpl ct dec dept det dr drs ed eds esp "
    "esq est etc feb fig figs fl fr ft gen gov hon hwy inc jan jr lb lbs lt ltd maj messrs mgr mme mr mrs ms msgr mt "
    "mts nov oct oz pp prof pvt rep reps rev sen sens sept sgt sr st ste supt tel univ viz vol vols vs".split()
)
"""Words that keep a final period as part of the token, besides single letters and letters between periods (U.S.)."""

_AFFIXES = (
    "a|agro|ante|anti|arch|be|bi|bio|co|counter|cross|cyber|de|e|eco|ex|extra|inter|intra|macro|mega|micro|mid|mini|"
    "mono|multi|neo|non|over|pan|para|peri|post|pre|pro|pseudo|quasi|re|semi|sub|super|t|tri|u|ultra|un|uni|vice|x"
)

_ENDINGS = "com|org|net|gov|edu|html?|docx?|pdf|txt|xls|jpg|gif|png|exe"

# Accents that are characters of their own (decomposed text, NFD): they belong to the letter before them.
_MARKS = "\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\ufe20-\ufe2f"
_LETTERS = f"[^\\W\\d_]++(?:[{_MARKS}]++[^\\W\\d_]*+)*+"
_WORD = f"[^\\W_]++(?:[{_MARKS}]++[^\\W_]*+)*+"
_END = f"(?![^\\W_]|[{_MARKS}])"

TOKEN = re.compile(
    rf"""
      (?:https?://|www\.)[^\s<>"“”]*[^\s<>"“”.,;:!?)'\]’]        # address of a page
    # address of a person
    | [\w.+{_MARKS}-]{{1,64}}+@\w[\w{_MARKS}-]{{0,64}}+(?:\.\w[\w{_MARKS}-]{{0,64}}+)+
    | (?:[^\W\d_][{_MARKS}]*+\.){{2,}}                            # U.S.   e.g.
    # a page or file: example.com   notes.txt
    | [^\W_][\w{_MARKS}-]{{0,63}}+(?:\.[\w{_MARKS}-]{{1,63}}+){{0,6}}\.(?:{_ENDINGS}){_END}
    | (?:{"|".join(sorted(sorted(ABBREVIATIONS), key=len, reverse=True))})\.{_END}
    | (?-i:[A-Z])\.(?=$|[,;:)])                                  # the J. of John J. Smith
    | \d++(?:[.,:/]\d++)*+(?:st|nd|rd|th|s)?{_END}               # 1,000   4:30   21st   1990s
    | \d++(?:[.,]\d++)*+                                         # the number in 5km
    | (?:gon|wan|got)(?=(?:na|ta){_END})
    | can(?=not{_END})
    | [^\W\d_](?:[^\W\d_]|[{_MARKS}])*?(?=n['’]t{_END})         # the do of don't
    | n['’]t{_END}
    | ['’](?:s|re|ve|ll|d|m){_END}
    | (?:{_AFFIXES})-(?=[^\W\d_]){_WORD}                         # co-author
    | {_WORD}(?:['’](?!(?:s|re|ve|ll|d|m){_END}){_LETTERS}|&(?=[^\W_]){_WORD})*   # O'Brien   AT&T
    | \.{{2,}} | -{{2,}} | [!?]{{2,}} | [*_=~\#]{{2,}} | <{{2,}} | >{{2,}}
    | [:;]-?[()DPp]{_END}                                        # :-)
    | .
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
"""A token, of whatever kind; the same pattern in every process."""

_CHUNK = re.compile(r"\S+")


@functools.lru_cache(maxsize=1 << 17)
def _split(chunk: str) -> tuple[str, ...]:
    return tuple(TOKEN.findall(chunk))


def tokenize(text: str) -> list[str]:
    """Tokens of a text, in order.

    Parameters
    ----------
    text : str
        Usually one sentence: a period at the end of a word that is no known abbreviation is a token of its own.

    Returns
    -------
    list of str
        Joined, they are `text` without white space.

    Examples
    --------
    >>> tokenize("Dr. Lind doesn't own a long-term plan.")
    ['Dr.', 'Lind', 'does', "n't", 'own', 'a', 'long', '-', 'term', 'plan', '.']
    """
    return [token for chunk in text.split() for token in _split(chunk)]


def token_spans(text: str) -> list[tuple[int, int]]:
    """Start and end offsets of the tokens that `tokenize` gives, so that ``text[start:end]`` is the token.

    Examples
    --------
    >>> token_spans("I can't")
    [(0, 1), (2, 4), (4, 7)]
    """
    spans = []
    for chunk in _CHUNK.finditer(text):
        place = chunk.start()
        for token in _split(chunk.group()):
            spans.append((place, place + len(token)))
            place += len(token)
    return spans


def is_word(token: str) -> bool:
    """Whether a token holds a letter or a digit (punctuation marks and symbols are no words).

    Examples
    --------
    >>> is_word("n't"), is_word("...")
    (True, False)
    """
    return any(character.isalnum() for character in token)


@functools.cache
def _stemmer():
    from nltk.stem.snowball import EnglishStemmer

    return EnglishStemmer()


@functools.lru_cache(maxsize=1 << 18)
def stem(word: str) -> str:
    """Stem of a word by Snowball's English stemmer ("Porter2"), lower-cased; cached, as the same words return.

    Examples
    --------
    >>> stem("Relational"), stem("skies")
    ('relat', 'sky')
    """
    if len(word) > 60:  # no English word: the stemmer takes quadratic time on it
        return word.lower()
    return _stemmer().stem(word.lower().replace("’", "'"))


STOP_WORDS = frozenset(
    # articles, determiners, quantifiers
    "a an the this that these those each every either neither both all any some no none such same other another "
    "others own few fewer less little many more most much several enough "
    # pronouns
    "i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers "
    "herself it its itself they them their theirs themselves one ones oneself who whom whose which what whatever "
    "whichever whoever someone somebody something anyone anybody anything everyone everybody everything nobody "
    "nothing "
    # auxiliaries and their contracted forms, as tokens and unsplit
    "be am is are was were been being have has had having do does did doing done can could may might must shall should "
    "will would ought 's 're 've 'll 'd 'm n't ca wo sha ain isn aren wasn weren don doesn didn hasn haven hadn won "
    "wouldn shouldn couldn mustn needn s t d ll m re ve isn't aren't wasn't weren't don't doesn't didn't hasn't "
    "haven't hadn't won't wouldn't shouldn't couldn't can't cannot mustn't "
    # prepositions and particles
    "about above across after against along amid among amongst around as at before behind below beneath beside besides "
    "between beyond by despite down during except for from in inside into like near of off on onto out outside over "
    "per since than through throughout till to toward towards under underneath until unto up upon via with within "
    "without "
    # conjunctions and linking adverbs
    "and or but nor so yet if unless because although though while whereas whether "
    # adverbs of degree, place, time and manner that carry no subject
    "not never ever also too very quite rather just only even still already again once here there where when why how "
    "wherever whenever however therefore thus hence then now else almost away back perhaps maybe".split()
)
"""English function words, lower-cased: written for this project (CC0). Forms with an apostrophe are listed both as
the tokens that `tokenize` gives and unsplit."""


@functools.lru_cache(maxsize=1 << 14)
def content_stems(text: str) -> frozenset[str]:
    """Stems of the words of a text that are no function words (`STOP_WORDS`); cached: pairs share their texts.

    Examples
    --------
    >>> sorted(content_stems("It is raining, and the dogs sleep."))
    ['dog', 'rain', 'sleep']
    """
    tokens = tokenize(text.replace("’", "'"))  # the stop words have straight apostrophes
    return frozenset(stem(token) for token in tokens if is_word(token) and token.lower() not in STOP_WORDS)
