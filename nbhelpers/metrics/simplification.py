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
from nbhelpers.base.errors import InputError
from nbhelpers.metrics.lexical import bleu_scores, bleu_signature, tokenizer
from nbhelpers.metrics.metric import Metric
from nbhelpers.metrics.registry import shared

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


def _ngrams(tokens: Sequence[str], order: int) -> Counter[tuple[str, ...]]:
    return Counter(zip(*(tokens[start:] for start in range(order))))


def _times(counts: Counter, factor: int) -> Counter:
    return Counter({ngram: count * factor for ngram, count in counts.items()})


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
        before = _times(_ngrams(source, order), copies)
        after = _times(_ngrams(candidate, order), copies)
        wanted = sum((_ngrams(tokens, order) for tokens in references), Counter())
        added, to_add = after.keys() - before.keys(), wanted.keys() - before.keys()
        kept, to_keep = before & after, before & wanted
        deleted, to_delete = before - after, before - wanted
        sums[0] += f1(len(added & to_add), len(added), len(to_add))
        sums[1] += f1((kept & to_keep).total(), kept.total(), to_keep.total())
        sums[2] += share((deleted & to_delete).total(), deleted.total())
    return SariScores(*(100 * total / _LONGEST_NGRAM for total in sums))


def sari(tokenize: str = "13a", lowercase: bool = False, undefined: float = 1.0) -> Metric:
    """SARI of a sentence (Xu et al. 2016): see `sari_scores`.

    An identical pair has 100 when the source stands in for the references, because 0 / 0 is 1 here, as in
    tensor2tensor's and Hugging Face's version; the MeaningBERT study reports the same (section 4.2.1). In texts of
    fewer than four tokens the orders that they lack count as right, too.

    Differences from other versions: with ``undefined=0`` these are EASSE's sentence values (and an identical pair
    has 33.3). The authors' own script has a slip in the recall of kept n-grams, and averages over distinct n-grams
    where the equations sum; Hugging Face's corrects the first only, so that it agrees with this one wherever no
    n-gram is repeated. EASSE and Hugging Face ignore case by default.

    Parameters
    ----------
    tokenize : str
        A tokenizer of `nbhelpers.metrics.lexical.BLEU_TOKENIZERS`.
    lowercase : bool
        Whether to ignore case.
    undefined : {1, 0}
        What 0 / 0 is.
    """
    if undefined not in (0, 1):
        raise InputError(f"undefined is 1 or 0, not {undefined!r}.")
    split = tokenizer(tokenize)

    def tokens(text: str) -> list[str]:
        return split(text.lower() if lowercase else text).split()

    def compute(sources: list[str], candidates: list[str], references: list[list[str]]) -> Sequence[float]:
        return [
            sari_scores(tokens(source), tokens(candidate), [tokens(r) for r in given], undefined).value
            for source, candidate, given in zip(sources, candidates, references)
        ]

    signature = f"sari|case:{'lc' if lowercase else 'mixed'}|tok:{tokenize}|0/0:{undefined:g}|v:{nbhelpers.__version__}"
    return Metric("sari", "SARI", (0.0, 100.0), True, True, signature, compute, scale=1.0)


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


def _is_word(text: str) -> bool:
    return any(character.isalnum() for character in text)


@shared
def grade_levels(texts: Sequence[str], punctuation: bool = False) -> list[float]:
    """Flesch-Kincaid grade level of each text; see `fkgl`.

    Raises
    ------
    InputError
        A text has no word, or letters but none whose syllables could be counted.
    """
    from nbhelpers.language.english import load_english

    sentences, marks = load_english().sentences, tokenizer("13a")
    levels = []
    for text in texts:
        words = [part for part in re.split(r"[\s—–/]+", text) if _is_word(part)]
        if not words:
            raise InputError(f"A text without a word has no grade level: {text!r}.")
        # Each word would have one syllable, as if the text were easy to read.
        if any(map(str.isalpha, text)) and not _latin(text).strip("'"):
            raise InputError(f"FKGL counts syllables of Latin letters only; this text has none: {text!r}.")
        parts = sum(map(_is_word, sentences(text)))
        spoken = sum(syllables(part) for word in words for part in word.split("-") if part)
        levels.append(grade_level(len(marks(text).split()) if punctuation else len(words), parts, spoken))
    return levels


def fkgl(punctuation: bool = False) -> Metric:
    """Flesch-Kincaid grade level of the candidate (Kincaid et al. 1975): the US school year that can read it.

    It never looks at the source. A higher level is taken as more of the source's meaning: what is edited least stays
    hardest to read, and the study finds the correlation with human ratings to be positive (section 4.1; its section
    3.2.1 describes the scale of Flesch's reading ease, 100 to 0, by this name). It is not a rating of 0 to 100.

    Words stand between white space, dashes or slashes and hold a letter or a digit; syllables are counted by rules
    (`syllables`); sentences are those of `nbhelpers.language`. The lowest level is -3.4, for sentences of one word of
    one syllable.

    Parameters
    ----------
    punctuation : bool
        Count punctuation marks as words without syllables, as EASSE does, against the definition: levels are then
        about 1.7 lower. EASSE also raises negative levels to 0.
    """
    from nbhelpers.language.english import load_english

    def compute(sources: list[str], candidates: list[str], references: list[list[str]]) -> Sequence[float]:
        return grade_levels(candidates, punctuation)

    lowest = round(grade_level(1, 1, 0 if punctuation else 1), 2)
    signature = f"fkgl|{_grade_signature(punctuation)}|{load_english().signature}|v:{nbhelpers.__version__}"
    return Metric("fkgl", "FKGL", (lowest, math.inf), True, False, signature, compute)


def _grade_signature(punctuation: bool) -> str:
    return f"words:{'with-punctuation' if punctuation else 'no-punctuation'}|syllables:rules"


# ------------------------------------------------------------------------------------------------- iBLEU and FKBLEU


@shared
def _ibleu_scores(
    sources: Sequence[str],
    candidates: Sequence[str],
    references: Sequence[Sequence[str]],
    alpha: float,
    *settings: str | bool,
) -> list[float]:
    to_references = bleu_scores(candidates, references, *settings)
    to_source = bleu_scores(candidates, [[source] for source in sources], *settings)
    return [alpha * wanted - (1 - alpha) * copied for wanted, copied in zip(to_references, to_source)]


def _ibleu_range(alpha: float) -> tuple[float, float]:
    if not 0 <= alpha <= 1:
        raise InputError(f"alpha lies between 0 and 1, not {alpha!r}.")
    return round(100 * (alpha - 1), 9), round(100 * alpha, 9)


def ibleu(alpha: float = 0.9, tokenize: str = "13a", smooth_method: str = "exp", lowercase: bool = False) -> Metric:
    """iBLEU (Sun & Zhou 2012; Xu et al. 2016): α BLEU(candidate, references) - (1 - α) BLEU(candidate, source).

    It rewards closeness to the references and punishes copying. From -100 (1 - α) to 100 α. Where the source stands in
    for the references it is (2 α - 1) BLEU, 80 at most with the usual α = 0.9: it then carries nothing that BLEU does
    not, and an identical pair never has 100.

    Alva-Manchego et al. (2021) smooth the second BLEU but not the first; both are the same here.

    Parameters
    ----------
    alpha : float
        Weight of the references, between 0 and 1.
    tokenize, smooth_method, lowercase
        Of both BLEUs, as `nbhelpers.metrics.lexical.bleu` takes them.
    """
    limits = _ibleu_range(alpha)

    def compute(sources: list[str], candidates: list[str], references: list[list[str]]) -> Sequence[float]:
        return _ibleu_scores(sources, candidates, references, alpha, tokenize, smooth_method, lowercase)

    inner = bleu_signature(tokenize, smooth_method, lowercase)
    signature = f"ibleu|alpha:{alpha:g}|{inner}|v:{nbhelpers.__version__}"
    return Metric("ibleu", "iBLEU", limits, True, True, signature, compute, scale=1.0)


def _logistic(value: float) -> float:
    return 1 / (1 + math.exp(-value)) if value >= 0 else math.exp(value) / (1 + math.exp(value))


def fkbleu(
    alpha: float = 0.9,
    tokenize: str = "13a",
    smooth_method: str = "exp",
    lowercase: bool = False,
    punctuation: bool = False,
) -> Metric:
    """FKBLEU (Xu et al. 2016): iBLEU times the logistic function of FKGL(candidate) - FKGL(source).

    As written there, and computed by Alva-Manchego et al. (2021), the factor falls towards 0 for a candidate that is
    easier to read than its source, and is 1/2 where both are equally hard. An identical pair, with the source in the
    place of the references, has 40.

    Parameters
    ----------
    alpha, tokenize, smooth_method, lowercase
        As `ibleu` takes them.
    punctuation : bool
        As `fkgl` takes it.
    """
    limits = _ibleu_range(alpha)
    from nbhelpers.language.english import load_english

    def compute(sources: list[str], candidates: list[str], references: list[list[str]]) -> Sequence[float]:
        values = _ibleu_scores(sources, candidates, references, alpha, tokenize, smooth_method, lowercase)
        levels = zip(grade_levels(candidates, punctuation), grade_levels(sources, punctuation))
        return [value * _logistic(after - before) for value, (after, before) in zip(values, levels)]

    inner = f"{bleu_signature(tokenize, smooth_method, lowercase)}|{_grade_signature(punctuation)}"
    signature = f"fkbleu|alpha:{alpha:g}|{inner}|{load_english().signature}|v:{nbhelpers.__version__}"
    return Metric("fkbleu", "FKBLEU", limits, True, True, signature, compute, scale=1.0)
