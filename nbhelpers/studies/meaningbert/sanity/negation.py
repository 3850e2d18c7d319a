"""Negation of finite verbs, by rules on the tags of the shipped tagger.

A form of *be*, a modal verb, and *have* or *do* before the verb that they help take a *not* after them, or after the
subject where it follows (*did he not come*). Any other finite verb gets *do not*, *does not* or *did not* and its base
form; an adverb before it stays with it (*did not quickly leave*). An imperative at the start gets *Do not*.

Left alone are verbs that are negated already (*not*, *never*, *no*, *hardly* … beside them), words that the tagger
calls verbs but that cannot be one (a past form that is not known, a capitalised word inside the sentence), *had
better*, and questions whose subject is not found. The rules know no clauses: a participle that the tagger takes for a
past form (*the man killed in the crash was*) is negated as one.
"""

from __future__ import annotations

from nbhelpers.language.inflection import base_form
from nbhelpers.studies.meaningbert.sanity.reading import Reading, read

_BE = frozenset("am is are was were 's 're 'm".split())
_HAVE = frozenset("have has had 've".split())
_DO = frozenset("do does did".split())
_NOT_FINITE = frozenset("be been being having get gets got getting".split())
_MODALS = frozenset("can could may might must shall should will would ought 'll 'd".split())
_CONTRACTED = frozenset("'s 're 'm 've 'll 'd".split())
_NEGATIVE = frozenset("not n't never no neither nor hardly barely scarcely rarely seldom none nothing".split())
_SUBJECT_PRONOUNS = frozenset("i he she it we you they there".split())
_FINITE = frozenset({"VBD", "VBZ", "VBP"})
_VERBS = _FINITE | {"VB", "VBN", "VBG"}
_ADVERBS = frozenset({"RB", "RBR", "RBS"})
_QUESTION_WORDS = frozenset({"WP", "WRB", "WDT", "WP$"})
_OPENING = frozenset({'"', "“", "‘", "'", "``", ":", "(", "«", "-", "–", "—", "--"})
_DO_FORM = {"VBD": "did not", "VBZ": "does not", "VBP": "do not", "VB": "do not"}

Change = list[tuple[int, int, str]]
"""How one verb is negated: stretches of the text and what takes their place."""


def negations(text: str) -> list[Change]:
    """For every verb that can be negated, how; in the order of the text.

    Parameters
    ----------
    text : str
        One English sentence.

    Returns
    -------
    list of list of (int, int, str)
        Stretches of different verbs do not overlap, so any choice of them can be made together.
    """
    sentence = _Sentence(read(text), text)
    found = (sentence.negated(place) for place in range(len(sentence.words)))
    return [change for change in found if change]


class _Sentence:
    """One sentence and the rules on it; places are those of tokens."""

    def __init__(self, reading: Reading, text: str) -> None:
        self.tokens, self.spans, self.tags = reading.tokens, reading.spans, reading.tags
        self.words = [token.lower().replace("’", "'") for token in reading.tokens]
        self.is_question = text.rstrip("\"'”’) ").endswith("?")
        self.first = next((i for i, token in enumerate(self.tokens) if token[0].isalnum()), len(self.tokens))

    def word(self, place: int) -> str:
        return self.words[place] if 0 <= place < len(self.words) else ""

    def tag(self, place: int) -> str:
        return self.tags[place] if 0 <= place < len(self.tags) else ""

    def negated(self, place: int) -> Change | None:
        """How the token is negated if it is a finite verb, else None."""
        word, tag = self.words[place], self.tags[place]
        if place == self.first and word == "let" and self.word(place + 1) in ("'s", "us"):
            return self._after(place + 1)
        if self._is_negative(place) or not self._may_be_verb(place):
            return None
        if place == self.first and tag == "VB":
            return self._with_do(place, tag)
        if (tag in _FINITE and word in _BE) or (tag == "MD" and word in _MODALS):
            return None if word == "'s" and not self._is_verbal_s(place) else self._after_auxiliary(place)
        if tag == "VBN" and self._takes_object(place):
            tag = "VBD"
        if tag not in _FINITE:
            return None
        if word in _CONTRACTED:
            return self._after_auxiliary(place)
        if word == "had" and self.word(place + 1) == "better":
            return None
        if word in _HAVE and self._helps(place, {"VBN", "VBD"}):
            return self._after_auxiliary(place)
        if word in _DO and self._helps(place, {"VB", "VBP"}):
            return self._after_auxiliary(place)
        if self._is_governed(place) or (word in _HAVE | _DO and self.is_question and place <= self.first):
            return None
        return self._with_do(place, tag)

    # ------------------------------------------------------------------ what the token is

    def _is_negative(self, place: int) -> bool:
        """Whether a negative word stands beside the verb, be it after an adverb or a pronoun."""
        following = place + 2 if self.tag(place + 1) in _ADVERBS or self.tag(place + 1) == "PRP" else place + 1
        return bool(_NEGATIVE & {self.word(place - 1), self.word(place + 1), self.word(following)})

    def _may_be_verb(self, place: int) -> bool:
        token = self.tokens[place]
        if not token[:1].isupper() or token.isupper():
            return True
        return place <= self.first or self.word(place - 1) in _OPENING

    def _is_verbal_s(self, place: int) -> bool:
        """Whether 's is *is* or *has*: after a noun only before what cannot belong to an owner."""
        if self.tag(place - 1) in ("PRP", "WP", "WRB", "EX", "WDT") or self.word(place - 1) in ("that", "here"):
            return True
        return self.tag(place + 1) in ("VBG", "VBN", "RB", "DT", "IN", "TO")

    def _next_after_adverbs(self, place: int) -> int:
        while self.tag(place) in _ADVERBS:
            place += 1
        return place

    def _helps(self, place: int, tags: set[str]) -> bool:
        """Whether an auxiliary stands before a verb with one of the tags, with adverbs or the subject in between."""
        following = self._next_after_adverbs(place + 1)
        if self.tag(following) in tags:
            return True
        subject = self._subject_end(place)
        return subject is not None and self.tag(self._next_after_adverbs(subject)) in tags

    def _is_governed(self, place: int) -> bool:
        """Whether an auxiliary or *to* stands before the verb, so that it is no finite one, whatever its tag."""
        before = place - 1
        while self.tag(before) in _ADVERBS or (
            self.word(before) in _SUBJECT_PRONOUNS and self._is_auxiliary(before - 1)
        ):
            before -= 1
        if self._is_auxiliary(before) or self.word(before) == "to":
            return True
        # "the attack claimed by the group": a participle after its noun.
        return self.words[place].endswith("ed") and self.word(place + 1) == "by"

    def _takes_object(self, place: int) -> bool:
        """Whether an object follows: the tagger's participle is then a past form (*the company invited him*)."""
        return self.tag(place + 1) in ("DT", "PRP", "PRP$") and self.tag(place - 1) not in ("CC", ",")

    def _is_auxiliary(self, place: int) -> bool:
        word, tag = self.word(place), self.tag(place)
        return (tag in _VERBS and word in _BE | _HAVE | _DO | _NOT_FINITE) or (tag == "MD" and word in _MODALS)

    def _subject_end(self, place: int) -> int | None:
        """The token after a subject that follows its auxiliary: *did he …*, *is the old man …*; None without one."""
        if self.word(place + 1) in _SUBJECT_PRONOUNS and self.tag(place + 1) in ("PRP", "EX"):
            return place + 2
        if not self.is_question or not (place <= self.first or self.tag(place - 1) in _QUESTION_WORDS):
            return None
        after = place + 1
        if self.tag(after) in ("DT", "PDT", "PRP$"):
            after += 1
        while self.tag(after) in ("JJ", "CD", "POS") or self.tag(after).startswith("NN"):
            after += 1
        while after > place + 1 and not self.tag(after - 1).startswith("NN"):
            after -= 1
        return after if after > place + 1 else None

    # ------------------------------------------------------------------ how it is negated

    def _after(self, place: int) -> Change:
        end = self.spans[place][1]
        return [(end, end, "not" if self.words[place] == "can" else " not")]

    def _after_auxiliary(self, place: int) -> Change | None:
        subject = self._subject_end(place)
        if subject is None:
            # A question that opens with its auxiliary has a subject behind it, only of a kind not known here.
            return None if self.is_question and place <= self.first else self._after(place)
        if self.tag(subject - 1) in ("PRP", "EX") or self.tag(subject) in _VERBS | _ADVERBS:
            return self._after(subject - 1)
        if place <= self.first:
            return self._after(subject - 1) if self.tag(subject)[:1].isalpha() else None
        return self._after(place)

    def _with_do(self, place: int, tag: str) -> Change | None:
        base = base_form(self.tokens[place], tag)
        if base is None:
            return None
        start, end = self.spans[place]
        negation = _DO_FORM[tag]
        if place == self.first and self.tokens[place][:1].isupper():
            negation = negation.capitalize()
        adverb = place - 1
        has_adverb = self.tag(adverb) == "RB" and (self.word(adverb).endswith("ly") or self.word(adverb) == "also")
        if has_adverb and (self.tag(adverb - 1).startswith("NN") or self.tag(adverb - 1) in ("PRP", "WP", "WDT")):
            before = self.spans[adverb][0]
            return [(before, before, f"{negation} "), (start, end, base)]
        return [(start, end, f"{negation} {base}")]
