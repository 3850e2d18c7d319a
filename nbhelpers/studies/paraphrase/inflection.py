"""Which words of a vocabulary are inflected forms of a dictionary's words.

A dictionary lists uninflected words, texts hold inflected ones. English forms are led back to lemmas as WordNet's
Morphy does: a dictionary's own list of exceptions (or the short list here), else detached endings, and only lemmas that
the dictionary has. Japanese forms are led back by Sudachi, word by word and without context.
"""

from __future__ import annotations

import functools
import itertools
import unicodedata
from collections.abc import Container, Mapping

from nbhelpers.language import STOP_WORDS
from nbhelpers.studies.paraphrase.tables import Expression
from nbhelpers.studies.paraphrase.tokens import (
    FUNCTION_TAGS,
    JapaneseWord,
    japanese_entries,
    japanese_tag,
    japanese_words,
)

# ------------------------------------------------------------------------------------------------------- English

_VERBS = """
arise arose arisen/awake awoke awoken/bear bore borne born/beat beaten/become became/begin began begun/bend bent/
bind bound/bite bit bitten/bleed bled/blow blew blown/break broke broken/breed bred/bring brought/build built/burn burnt
/buy bought/catch caught/choose chose chosen/cling clung/come came/creep crept/deal dealt/die dying/dig dug/draw drew
drawn/dream dreamt/drink drank drunk/drive drove driven/eat ate eaten/fall fell fallen/feed fed/feel felt/fight fought/
find found/flee fled/fling flung/fly flew flown/forbid forbade forbidden/foresee foresaw foreseen/forget forgot
forgotten/forgive forgave forgiven/freeze froze frozen/get got gotten/give gave given/go went gone goes/grind ground/
grow grew grown/hang hung/hear heard/hide hid hidden/hold held/keep kept/kneel knelt/know knew known/lay laid/lead led/
lean leant/learn learnt/leave left/lend lent/lie lay lain lying/light lit/lose lost/make made/mean meant/meet met/
mistake mistook mistaken/mow mown/outdo outdid outdone/overcome overcame/overthrow overthrew overthrown/overtake
overtook overtaken/pay paid/plead pled/prove proven/rebuild rebuilt/ride rode ridden/ring rang rung/rise rose risen/run
ran/say said/see saw seen/seek sought/sell sold/send sent/sew sewn/shake shook shaken/shine shone/shoot shot/show shown/
shrink shrank shrunk/sing sang sung/sink sank sunk/sit sat/sleep slept/slide slid/sling slung/sow sown/speak spoke
spoken/speed sped/spell spelt/spend spent/spill spilt/spin spun/spit spat/spring sprang sprung/stand stood/steal stole
stolen/stick stuck/sting stung/stink stank stunk/strike struck stricken/strive strove striven/swear swore sworn/sweep
swept/swell swollen/swim swam swum/swing swung/take took taken/teach taught/tear tore torn/tell told/think thought/throw
threw thrown/tie tying/undergo underwent undergone/understand understood/undertake undertook undertaken/undo undid
undone/uphold upheld/wake woke woken/wear wore worn/weave wove woven/weep wept/win won/wind wound/withdraw withdrew
withdrawn/withhold withheld/withstand withstood/write wrote written
"""

_NOUNS = """
man men/woman women/child children/person people/foot feet/tooth teeth/goose geese/mouse mice/ox oxen/die dice/knife
knives/life lives/wife wives/midwife midwives/analysis analyses/axis axes/basis bases/crisis crises/diagnosis diagnoses/
emphasis emphases/hypothesis hypotheses/oasis oases/parenthesis parentheses/synthesis syntheses/thesis theses/criterion
criteria/phenomenon phenomena/bacterium bacteria/curriculum curricula/datum data/medium media/memorandum memoranda/
stratum strata/alumnus alumni/cactus cacti/fungus fungi/nucleus nuclei/radius radii/stimulus stimuli/syllabus syllabi/
appendix appendices/index indices/matrix matrices/vertex vertices/formula formulae/larva larvae/corpus corpora/genus
genera
"""

_ADJECTIVES = "good better best/bad worse worst/far farther farthest further furthest/little less least"


def _irregular(table: str) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for row in table.split("/"):
        lemma, *forms = row.split()
        for form in forms:
            found[form] = found.get(form, ()) + (lemma,)
    return found


IRREGULAR: dict[str, dict[str, tuple[str, ...]]] = {
    "n": _irregular(_NOUNS),
    "v": _irregular(_VERBS),
    "a": _irregular(_ADJECTIVES),
    "r": {},
}
"""Common irregular English forms and their lemmas, for dictionaries without an exception list (written for this
project). Auxiliaries are left out: they are function words."""

_ENDINGS = {
    part: tuple(pair.split(">") for pair in pairs.split())
    for part, pairs in {
        "n": "s> ses>s ves>f xes>x zes>z ches>ch shes>sh men>man ies>y oes>o",
        "v": "s> ies>y ied>y es>e es> ed>e ed> ing>e ing>",
        "a": "er> est> er>e est>e ier>y iest>y",
        "r": "",
    }.items()
}
"""Endings of inflected forms and what stands in their place in the lemma: those of Morphy, and the spellings (ied, ier,
oes) for which WordNet has exception lists."""

_DOUBLED = tuple(consonant * 2 for consonant in "bdfglmnprtvz")


def detached(word: str, part_of_speech: str) -> tuple[str, ...]:
    """What may be left of a word without its ending: running → runne, runn, run. Not all of it are words."""
    found = []
    for ending, replacement in _ENDINGS[part_of_speech]:
        if word.endswith(ending) and len(word) > len(ending) + 1:
            base = word[: -len(ending)] + replacement
            found.append(base)
            if not replacement and ending != "s" and base.endswith(_DOUBLED) and len(base) > 3:
                found.append(base[:-1])
    return tuple(dict.fromkeys(found))


def english_lemmas(
    word: str, part_of_speech: str, known: Container[str], exceptions: Mapping[str, tuple[str, ...]]
) -> tuple[str, ...]:
    """Lemmas of an English word, as WordNet's Morphy finds them.

    Parameters
    ----------
    word : str
        Lower-cased.
    part_of_speech : {"n", "v", "a", "r"}
    known : container of str
        The lemmas of the dictionary; no other is returned.
    exceptions : mapping
        Irregular forms with their lemmas. A word in it is not looked at further, but a word that is a lemma itself
        always counts (``left`` is one, and a form of ``leave``).

    Returns
    -------
    tuple of str
        Without repetition; empty for a word that the dictionary does not have.
    """
    candidates = exceptions.get(word) or detached(word, part_of_speech)
    return tuple(lemma for lemma in dict.fromkeys((word, *candidates)) if lemma in known)


# ------------------------------------------------------------------------------------------------------ Japanese

FUNCTION_VERBS = frozenset({"為る", "居る", "有る", "無い", "成る", "出来る", "御座る", "仕舞う", "呉れる", "貰う"})
"""Verbs (in Sudachi's normalised form) that mostly serve as auxiliaries: forms of them say nothing about meaning."""
_DO = "為る"
_FORMS_OF_DO = frozenset("し さ せ する すれ しろ せよ しよう".split())


def _has_kanji(word: str) -> bool:
    return any("CJK UNIFIED" in unicodedata.name(character, "") or character == "々" for character in word)


@functools.lru_cache(maxsize=1 << 17)
def japanese_readings(word: str) -> tuple[JapaneseWord, ...]:
    """What a Japanese word by itself may be: its dictionary form, normalised form and part of speech.

    The first is Sudachi's analysis of the word alone. A word written with kanji also has all other entries of the
    dictionary with that spelling, since few are homographs (行っ is a form of 行く and of 行う). For a word in kana
    those entries are legion (いる: 居る, 要る, 入る, 射る, …): only the analysis counts, and する, since し by itself
    is taken for an auxiliary.
    """
    found: dict[JapaneseWord, None] = {}
    analysis = japanese_words(word)
    whole = len(analysis) == 1 and analysis[0].surface == word
    if whole:
        found[analysis[0]] = None
    if not whole or _has_kanji(word):
        found.update(dict.fromkeys(japanese_entries(word)))
        # Entries for slang: 失え would be ない.
        found = {e: None for e in found if e.normalized_form not in FUNCTION_VERBS or e.normalized_form[0] in word}
    elif word in _FORMS_OF_DO:
        entries = japanese_entries(word)
        found.update(dict.fromkeys(entry for entry in entries if entry.normalized_form == _DO))
    return tuple(found)


def is_content(reading: JapaneseWord) -> bool:
    """Whether a reading is a noun, verb, adjective, adverb or number, and no auxiliary."""
    tag = japanese_tag(reading.part_of_speech)
    return tag not in FUNCTION_TAGS and reading.normalized_form not in FUNCTION_VERBS


# ------------------------------------------------------------------------------------- the words of a vocabulary


class VocabularyForms:
    """The words of a vocabulary, looked up by the words of a dictionary.

    A function word (``in``, ``have``, する) never stands for a dictionary's word by itself: WordNet knows ``in`` as
    indium and ``have`` as a verb of eating; in running text it is neither.

    Parameters
    ----------
    vocabulary : frozenset of str
        Words of the texts, as `nbhelpers.studies.paraphrase.tokens.tokenize` gives them.
    language : {"en", "ja"}
    known : mapping of str to container of str, optional
        English: for each part of speech the dictionary's words that may be inflected.
    exceptions : mapping, optional
        English: for each part of speech the dictionary's irregular forms.
    """

    def __init__(
        self,
        vocabulary: frozenset[str],
        language: str,
        known: Mapping[str, Container[str]] | None = None,
        exceptions: Mapping[str, Mapping[str, tuple[str, ...]]] = IRREGULAR,
    ) -> None:
        self.vocabulary, self.language = vocabulary, language
        self._forms: dict[tuple[str, str], list[str]] = {}
        self._content: set[str] = set()
        for word in sorted(vocabulary):
            if language == "en":
                is_content_word = word not in STOP_WORDS
                parts = [part for part in known or () if part in _ENDINGS]
                lemmas = [(p, lemma) for p in parts for lemma in english_lemmas(word, p, known[p], exceptions[p])]
            else:
                readings = japanese_readings(word)
                is_content_word = any(map(is_content, readings))
                lemmas = [("", form) for form in dict.fromkeys(reading.dictionary_form for reading in readings)]
            for key in lemmas:
                self._forms.setdefault(key, []).append(word)
            if is_content_word:
                self._content.add(word)

    def of(self, lemma: str, part_of_speech: str) -> list[str]:
        """The vocabulary's forms of one dictionary word, function words among them, sorted."""
        if self.language == "en":
            return self._forms.get((part_of_speech, lemma), [])
        found = self._forms.get(("", lemma), [])
        return found if lemma not in self.vocabulary or lemma in found else sorted([*found, lemma])

    def expressions(self, lemma: Expression, part_of_speech: str) -> list[Expression]:
        """How a dictionary's word or expression may stand in the texts.

        The head may be inflected: the last word of an expression, of an English verb the first (``gave up``). What is
        neither noun, verb, adjective nor adverb (``x``: phrases, connectives, clauses) stands as it is.
        """
        if part_of_speech not in _ENDINGS:
            return [lemma] if self.vocabulary.issuperset(lemma) else []
        if len(lemma) == 1:
            return [(form,) for form in self.of(lemma[0], part_of_speech) if form in self._content]
        head = 0 if self.language == "en" and part_of_speech == "v" else len(lemma) - 1
        if not all(word in self.vocabulary for place, word in enumerate(lemma) if place != head):
            return []
        choices = [[word] for word in lemma]
        choices[head] = self.of(lemma[head], part_of_speech)
        return list(itertools.product(*choices))
