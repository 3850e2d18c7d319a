"""Measures of text simplification that the MeaningBERT study benchmarks: SARI, FKGL, iBLEU, FKBLEU.

Written after their papers, as no kept library has them. A test compares them with the values of each sentence that
Alva-Manchego et al. (2021) published for Simplicity-DA (EASSE; the ten references of ASSET; 600 candidates):

* on texts in their tokens (Moses) BLEU and SARI are theirs to the last digit, with ``smooth_method="none"`` and
  ``undefined=0``; so is iBLEU, but for 8 % of the candidates, where the smoothing of their second BLEU shows;
* with the defaults here the correlation is 0.98 for BLEU, 0.99 for SARI, 0.97 for iBLEU, 0.91 for FKGL and 0.89 for
  FKBLEU. What differs: tokenizer 13a splits fewer contractions than Moses; sacreBLEU smooths a sentence without a
  common 4-gram, which they score 0; 0 / 0 is 1 in SARI; FKGL takes punctuation for no words, has its own syllables
  and sentences, and may be negative.
"""

from __future__ import annotations

import functools
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import nbhelpers
from nbhelpers.base.errors import RowError
from nbhelpers.language.english import load_english
from nbhelpers.language.tokens import is_word
from nbhelpers.metrics.lexical import BLEU_DEFAULTS, bleu_scores, bleu_signature, tokens_13a
from nbhelpers.metrics.metric import Compute, register, shared

# ------------------------------------------------------------------------------------------------------------- SARI

_LONGEST_NGRAM = 4


@dataclass(frozen=True)
class SariScores:
    """What SARI is the mean of: F1 of added n-grams, F1 of kept ones, precision of deleted ones; each 0 to 100."""

    add: float
    keep: float
    delete: float

    @property
    def value(self) -> float:
        """SARI, 0 to 100."""
        return (self.add + self.keep + self.delete) / 3


def _ngrams(tokens: Sequence[str], order: int, times: int = 1) -> Counter[tuple[str, ...]]:
    return Counter(list(zip(*(tokens[start:] for start in range(order)))) * times)


def sari_scores(
    source: Sequence[str],
    candidate: Sequence[str],
    references: Sequence[Sequence[str]],
    undefined: float = 1.0,
) -> SariScores:
    """The three parts of SARI (Xu et al. 2016), each the mean over n-grams of 1 to 4 tokens.

    An n-gram that r of the references keep counts r times, so that source and candidate count once for each
    reference. Added n-grams count once, however often they occur. F1 is taken for each order and then averaged, as in
    the authors' Java code and in EASSE; the paper averages precision and recall first.

    Parameters
    ----------
    source, candidate : sequence of str
        Tokens.
    references : sequence of token sequences
        At least one.
    undefined : float
        What 0 / 0 is, for instance the precision of deletion where nothing is deleted: 1, as nothing is wrong, or 0,
        as in EASSE.
    """
    copies = len(references)
    sums = [0.0, 0.0, 0.0]

    def share(good: int, total: int) -> float:
        return good / total if total else undefined

    def f1(good: int, given: int, wanted: int) -> float:
        precision, recall = share(good, given), share(good, wanted)
        return 2 * precision * recall / (precision + recall) if precision + recall else 0.0

    for order in range(1, _LONGEST_NGRAM + 1):
        before = _ngrams(source, order, copies)
        after = _ngrams(candidate, order, copies)
        wanted = sum((_ngrams(tokens, order) for tokens in references), Counter())
        added, to_add = after.keys() - before.keys(), wanted.keys() - before.keys()
        kept, to_keep = before & after, before & wanted
        deleted, to_delete = before - after, before - wanted
        sums[0] += f1(len(added & to_add), len(added), len(to_add))
        sums[1] += f1((kept & to_keep).total(), kept.total(), to_keep.total())
        sums[2] += share((deleted & to_delete).total(), deleted.total())
    return SariScores(*(100 * total / _LONGEST_NGRAM for total in sums))


@register("sari", "SARI", (0.0, 100.0), needs_reference=True, scale=1.0, seconds=0.0004)
def sari() -> tuple[str, Compute]:
    """SARI of a sentence (Xu et al. 2016): see `sari_scores`. Tokens of sacreBLEU's tokenizer 13a, case kept.

    An identical pair has 100 when the source stands in for the references, because 0 / 0 is 1 here, as in
    tensor2tensor's and Hugging Face's version; the MeaningBERT study reports the same (section 4.2.1). In texts of
    fewer than four tokens the orders that they lack count as right, too.

    Differences from other versions: with ``undefined=0`` `sari_scores` has EASSE's sentence values (and an identical
    pair has 33.3). The authors' own script has a slip in the recall of kept n-grams, and averages over distinct n-grams
    where the equations sum; Hugging Face's corrects the first only, so that it agrees with this one wherever no
    n-gram is repeated. EASSE and Hugging Face ignore case by default.

    Examples
    --------
    >>> sari()(["About 95 species are accepted ."], ["About 95 are known ."], [["About 95 are known ."]]).tolist()
    [100.0]
    """

    def compute(sources: list[str], candidates: list[str], references: list[list[str]]) -> list[float]:
        return [
            sari_scores(tokens_13a(source), tokens_13a(candidate), [tokens_13a(r) for r in given]).value
            for source, candidate, given in zip(sources, candidates, references)
        ]

    return f"sari|case:mixed|tok:13a|0/0:1|v:{nbhelpers.__version__}", compute


# ------------------------------------------------------------------------------------------------------------- FKGL

_VOWELS = re.compile(r"[aeiouy]+")

# An e that is written but not spoken: make, jumped, times (not changes), lovely, something.
_SILENT = re.compile(
    r"""(?<=[^aeiouy])e$ | (?<=[^aeiouytd])ed$ | (?<=[^aeiouycgszx])(?<!ch)(?<!sh)es$
      | (?<=[^aeiouy])e(?=(?:ly|ments?|less|ful|ness|where|thing|one|fore|body|times|what)$)""",
    re.VERBOSE,
)
_SPOKEN = re.compile(r"[^aeiouylr][lr]e[sd]?$")  # table, acre, settled

# Vowels side by side that are two syllables, and consonants that are one.
_APART = re.compile(
    r"""(?<![tcsgx])(?<!ll)(?<!n)i[ou] | (?<=n)i(?=um|ou) | (?<=t)i(?=um)   # radio, not nation, million, union
      | (?<![tcsgxl])ia | (?<=[ct])ia(?=t(?:e|ing|ion|or))                  # piano, initiate, not social
      | (?<![tc])ien(?=c|t) | (?<=^sc)ien(?=c) | iet                        # client, science, quiet, not patient
      | (?<![gp])eo | (?<=[rd])ea$ | (?<=cr)ea(?=t(?!ur)) | (?<=r)ea(?=ct|l) | pean  # video, area, create, real
      | (?<![qgs])ua | (?<=s)ua(?=l) | (?<=[rfl])ue(?=[ln]) | (?<![qgb])ui(?=[dn]) | uou  # actual, cruel, ruin
      | oe(?=[mt]) | ao(?=[st]) | ^coo(?=[pr]) | ^zoo(?=l) | ^pre(?=[ei]) | ^re(?=i)     # poem, chaos, cooperate
      | [aeiouy](?=ing) | [aou]y(?=[aeo])                                   # being, royal
      | (?:(?<=s)|(?<=th))ms?$ | (?<=[dst])n't$                             # prism, didn't""",
    re.VERBOSE,
)


def _latin(text: str) -> str:
    """The letters a to z of a text, lower-cased and without accents, and its apostrophes."""
    text = re.sub("[éèêë]", "'y", unicodedata.normalize("NFC", text.lower()))  # never silent, nor one with the last
    return re.sub(r"[^a-z']", "", unicodedata.normalize("NFD", text.replace("’", "'")))


@functools.lru_cache(maxsize=1 << 16)
def syllables(word: str) -> int:
    """Syllables of an English word without hyphens, by rules; at least 1, also for a word without letters.

    Groups of the letters a, e, i, o, u, y, less the e that is not spoken (*make*, *jumped*), plus the groups that
    two syllables share (*radio*, *create*). Words that keep no rule are counted wrongly (*recipe*, *naive*). An e with
    an accent is spoken wherever it stands (*café*); other accents are left out.
    """
    letters = re.sub(r"'s?$", "", _latin(word))
    count = len(_VOWELS.findall(letters)) + len(_APART.findall(letters))
    if not _SPOKEN.search(letters):
        count -= len(_SILENT.findall(letters))
    return max(count, 1)


def grade_level(words: int, sentences: int, syllables: int) -> float:
    """Flesch-Kincaid grade level from the counts of a text (Kincaid et al. 1975)."""
    return 0.39 * (words / sentences) + 11.8 * (syllables / words) - 15.59


@shared
def _grade_levels(texts: Sequence[str]) -> list[float]:
    """Flesch-Kincaid grade level of each text; see `fkgl`.

    EASSE counts punctuation marks as words without syllables, against the definition, so that its levels are about 1.7
    lower. It also raises negative levels to 0.

    Raises
    ------
    RowError
        A text has no word, or letters but none whose syllables could be counted.
    """
    sentences, levels = load_english().sentences, []
    for row, text in enumerate(texts, start=1):
        words = [part for part in re.split(r"[\s—–/]+", text) if is_word(part)]
        if not words:
            raise RowError(row, f"A text without a word has no grade level: {text!r}.")
        # Each word would have one syllable, as if the text were easy to read.
        if any(map(str.isalpha, text)) and not _latin(text).strip("'"):
            raise RowError(row, f"FKGL counts syllables of Latin letters only; this text has none: {text!r}.")
        parts = sum(map(is_word, sentences(text)))
        spoken = sum(syllables(part) for word in words for part in word.split("-") if part)
        levels.append(grade_level(len(words), parts, spoken))
    return levels


@register("fkgl", "FKGL", (-3.4, math.inf), seconds=0.0003)
def fkgl() -> tuple[str, Compute]:
    """Flesch-Kincaid grade level of the candidate (Kincaid et al. 1975): the US school year that can read it.

    It never looks at the source. A higher level is taken as more of the source's meaning: what is edited least stays
    hardest to read, and the study finds the correlation with human ratings to be positive (section 4.1; its section
    3.2.1 describes the scale of Flesch's reading ease, 100 to 0, by this name). It is not a rating of 0 to 100.

    Words stand between white space, dashes or slashes and hold a letter or a digit; syllables are counted by rules
    (`syllables`); sentences are those of `nbhelpers.language`. The lowest level is -3.4, for sentences of one word of
    one syllable.

    Examples
    --------
    >>> fkgl()(["any source"], ["The cat sat on the mat."]).round(2).tolist()
    [-1.45]
    """

    def compute(sources: list[str], candidates: list[str], references: list[list[str]]) -> list[float]:
        return _grade_levels(candidates)

    return f"fkgl|{_grade_signature()}|v:{nbhelpers.__version__}", compute


def _grade_signature() -> str:
    return f"words:no-punctuation|syllables:rules|{load_english().signature}"


# ------------------------------------------------------------------------------------------------- iBLEU and FKBLEU

ALPHA = 0.9
"""Weight of the references in iBLEU and FKBLEU (Xu et al. 2016)."""


@shared
def ibleu_scores(
    sources: Sequence[str], candidates: Sequence[str], references: Sequence[Sequence[str]], *settings: str | bool
) -> list[float]:
    """iBLEU of each candidate; `settings` are those of both BLEUs (see `nbhelpers.metrics.lexical.bleu`)."""
    settings = settings or BLEU_DEFAULTS
    to_references = bleu_scores(candidates, references, *settings)
    to_source = bleu_scores(candidates, [[source] for source in sources], *settings)
    return [ALPHA * wanted - (1 - ALPHA) * copied for wanted, copied in zip(to_references, to_source)]


@register("ibleu", "iBLEU", (-10.0, 90.0), needs_reference=True, scale=1.0, seconds=0.0006)
def ibleu() -> tuple[str, Compute]:
    """iBLEU (Sun & Zhou 2012; Xu et al. 2016): α BLEU(candidate, references) - (1 - α) BLEU(candidate, source).

    It rewards closeness to the references and punishes copying. From -100 (1 - α) to 100 α, with α = 0.9. Where the
    source stands in for the references it is (2 α - 1) BLEU, 80 at most: it then carries nothing that BLEU does not,
    and an identical pair never has 100.

    Alva-Manchego et al. (2021) smooth the second BLEU but not the first; both are the same here.

    Examples
    --------
    >>> ibleu()(["a b c d"], ["a b c d"]).round(1).tolist()
    [80.0]
    """
    return f"ibleu|alpha:{ALPHA:g}|{bleu_signature()}|v:{nbhelpers.__version__}", ibleu_scores


def _logistic(value: float) -> float:
    return 1 / (1 + math.exp(-value)) if value >= 0 else math.exp(value) / (1 + math.exp(value))


@register("fkbleu", "FKBLEU", (-10.0, 90.0), needs_reference=True, scale=1.0, seconds=0.001)
def fkbleu() -> tuple[str, Compute]:
    """FKBLEU (Xu et al. 2016): iBLEU times the logistic function of FKGL(candidate) - FKGL(source).

    As written there, and computed by Alva-Manchego et al. (2021), the factor falls towards 0 for a candidate that is
    easier to read than its source, and is 1/2 where both are equally hard. An identical pair, with the source in the
    place of the references, has 40.

    Examples
    --------
    >>> fkbleu()(["The cat sat on the mat."], ["The cat sat on the mat."]).round(1).tolist()
    [40.0]
    """

    def compute(sources: list[str], candidates: list[str], references: list[list[str]]) -> list[float]:
        values = ibleu_scores(sources, candidates, references)
        levels = zip(_grade_levels(candidates), _grade_levels(sources))
        return [value * _logistic(after - before) for value, (after, before) in zip(values, levels)]

    return f"fkbleu|alpha:{ALPHA:g}|{bleu_signature()}|{_grade_signature()}|v:{nbhelpers.__version__}", compute
