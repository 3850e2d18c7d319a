"""Metrics that compare words or letters: BLEU, chrF, TER, ROUGE, METEOR, and three predictors that any metric
has to beat.

Each comes from the library that its field uses: sacreBLEU, rouge-score, NLTK.
"""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Callable, Sequence
from importlib.metadata import version
from types import SimpleNamespace
from typing import Any

import nbhelpers
from nbhelpers.base.errors import InputError, ResourceNotFoundError, RowError
from nbhelpers.metrics.metric import Compute, register, shared

BLEU_TOKENIZERS = ("13a", "intl", "char", "zh", "none")
"""Tokenizers of sacreBLEU that need neither a further package nor a download."""

BLEU_DEFAULTS = ("13a", "exp", False)
"""The settings of `bleu`, in their order."""


# ------------------------------------------------------------------------------------------------------------- BLEU


@functools.lru_cache(maxsize=16)
def _bleu_scorer(tokenize: str = "13a", smooth_method: str = "exp", lowercase: bool = False) -> Any:
    from sacrebleu.metrics import BLEU

    choices = {"tokenize": (tokenize, BLEU_TOKENIZERS), "smooth_method": (smooth_method, BLEU.SMOOTH_DEFAULTS)}
    for name, (value, known) in choices.items():
        if value not in known:
            raise InputError(f"{name} is one of {', '.join(known)}, not {value!r}.")
    return BLEU(tokenize=tokenize, smooth_method=smooth_method, lowercase=lowercase, effective_order=True)


def _sacrebleu_signature(scorer: Any) -> str:
    """sacreBLEU's own signature, without the number of references: it may differ from pair to pair."""
    scorer.sentence_score("a", ["a"])  # there is no signature before something was scored
    parts = str(scorer.get_signature()).replace("version:", "sacrebleu:").split("|")
    return "|".join(part for part in parts if not part.startswith("nrefs:"))


def bleu_signature(*settings: str | bool) -> str:
    """sacreBLEU's signature of sentence BLEU with the settings of `bleu`."""
    return _sacrebleu_signature(_bleu_scorer(*settings))


def tokens_13a(text: str) -> list[str]:
    """Tokens of sacreBLEU's default tokenizer."""
    return _bleu_scorer().tokenizer(text).split()


@shared
def bleu_scores(candidates: Sequence[str], references: Sequence[Sequence[str]], *settings: str | bool) -> list[float]:
    """Sentence BLEU of each candidate against its references, 0 to 100, with the settings of `bleu`."""
    scorer = _bleu_scorer(*settings)
    scores = [scorer.sentence_score(text, list(given)).score for text, given in zip(candidates, references)]
    return [min(score, 100.0) for score in scores]  # rounding can leave 100.00000000000004


@register(
    "bleu", "BLEU", (0.0, 100.0), needs_reference=True, scale=1.0, seconds=0.0003, unseen="the same in other words"
)
def bleu(tokenize: str = "13a", smooth_method: str = "exp", lowercase: bool = False) -> tuple[str, Compute]:
    """BLEU of a sentence (Papineni et al. 2002), from sacreBLEU.

    The n-gram orders that a short sentence does not have are left out (effective order). The default settings are
    sacreBLEU's own. An identical pair has 100, and a pair without a common token 0.

    Parameters
    ----------
    tokenize : {"13a", "intl", "char", "zh", "none"}
        Tokenizer of sacreBLEU; "none" for texts that are tokenized already.
    smooth_method : {"exp", "floor", "add-k", "none"}
        How an order without a match is smoothed.
    lowercase : bool
        Whether to ignore case.

    Examples
    --------
    >>> bleu()(["The cat sat on the mat."], ["The cat sat on a mat."]).round(1).tolist()
    [48.9]
    """

    def compute(sources: list[str], candidates: list[str], references: list[list[str]]) -> list[float]:
        return bleu_scores(candidates, references, tokenize, smooth_method, lowercase)

    signature = bleu_signature(tokenize, smooth_method, lowercase)
    return f"bleu|{signature}|v:{nbhelpers.__version__}", compute


# ------------------------------------------------------------------------------------------------------ chrF and TER


def _of_sacrebleu(name: str, scorer: Any, most: float) -> tuple[str, Compute]:
    """Signature and function of a sentence's score; rounding can leave more than the most."""

    def compute(sources: list[str], candidates: list[str], references: list[list[str]]) -> list[float]:
        scores = (scorer.sentence_score(text, given).score for text, given in zip(candidates, references))
        return [min(score, most) for score in scores]

    return f"{name}|{_sacrebleu_signature(scorer)}|v:{nbhelpers.__version__}", compute


@register("chrf", "chrF", (0.0, 100.0), needs_reference=True, scale=1.0, seconds=0.0006)
def chrf() -> tuple[str, Compute]:
    """chrF of a sentence (Popović 2015): the F-score of runs of one to six letters, from sacreBLEU with its defaults.

    Recall counts twice as much as precision, white space does not count, and of several references the best one does.

    Examples
    --------
    >>> chrf()(["The cat sat on the mat."], ["The cats sat on a mat."]).round(1).tolist()
    [52.8]
    """
    from sacrebleu.metrics import CHRF

    return _of_sacrebleu("chrf", CHRF(), 100.0)


@register("ter", "TER", (0.0, math.inf), higher_means_same=False, needs_reference=True, scale=1.0, seconds=0.002)
def ter() -> tuple[str, Compute]:
    """Translation edit rate (Olive 2005; Snover et al. 2006), from sacreBLEU with its default settings.

    Insertions, deletions, substitutions and shifts of blocks that turn the candidate into the nearest reference, for
    each 100 words of the references (their mean length). 0 is an identical pair, case aside; there is no upper
    bound. The rating is 100 minus the value, as in the MeaningBERT study: it is below 0 for candidates that are much
    longer than their references.

    Examples
    --------
    >>> ter()(["a b c d"], ["a b c"]).tolist()
    [25.0]
    """
    from sacrebleu.metrics import TER

    return _of_sacrebleu("ter", TER(), math.inf)


# ------------------------------------------------------------------------------------------------------------ ROUGE


@shared
def _rouge_scores(candidates: Sequence[str], references: Sequence[Sequence[str]]) -> list[dict[str, Any]]:
    """All kinds and parts of ROUGE at once."""
    from rouge_score import rouge_scorer, tokenize

    # A text without tokens would score 0, as if it shared no word.
    readable = functools.cache(lambda text: bool(tokenize.tokenize(text, None)))
    for row, (candidate, given) in enumerate(zip(candidates, references), start=1):
        for text in (candidate, *given):
            if not readable(text):
                reason = f"ROUGE knows only Latin letters without accents and digits; this text has none: {text!r}."
                raise RowError(row, reason)
    scorer = rouge_scorer.RougeScorer(["rouge1", "rouge2", "rougeL"], use_stemmer=False)
    return [scorer.score_multi(list(given), text) for text, given in zip(candidates, references)]


def _register_rouge(kind: str, part: str, title: str, attribute: str) -> None:
    name = f"rouge{kind}-{part}"

    @register(name, f"ROUGE-{kind} {title}", (0.0, 1.0), needs_reference=True, scale=100.0, seconds=0.0002)
    def rouge() -> tuple[str, Compute]:
        """ROUGE (Lin 2004), from rouge-score: lower-cased words of Latin letters and digits, not stemmed.

        ROUGE-1 and ROUGE-2 count common words and pairs of words, ROUGE-L the longest common subsequence. Precision is
        the share of the candidate's words that the reference has, recall the share of the reference's words that the
        candidate has, F1 their harmonic mean. With several references all parts are those of the reference with the
        best F1, as rouge-score defines it. An identical pair has 1, except that ROUGE-2 of a single word is 0. F1 is
        symmetric; precision of one order is recall of the other. Scoring a text without a word that ROUGE knows is an
        InputError.
        """

        def compute(sources: list[str], candidates: list[str], references: list[list[str]]) -> list[float]:
            return [getattr(of[f"rouge{kind}"], attribute) for of in _rouge_scores(candidates, references)]

        signature = f"{name}|stem:no|case:lc|rouge-score:{version('rouge-score')}|v:{nbhelpers.__version__}"
        return signature, compute


for _kind in ("1", "2", "L"):
    _register_rouge(_kind, "precision", "precision", "precision")
    _register_rouge(_kind, "recall", "recall", "recall")
    _register_rouge(_kind, "f1", "F1", "fmeasure")


# ----------------------------------------------------------------------------------------------------------- METEOR


@register("meteor", "METEOR", (0.0, 1.0), needs_reference=True, scale=100.0, seconds=0.001)
def meteor() -> tuple[str, Compute]:
    """METEOR (Banerjee & Lavie 2005), with the weights of that paper, from NLTK.

    Words of candidate and reference are matched when they are equal, have the same stem (Porter) or are synonyms
    (WordNet); the more chunks the matches fall into, the lower the value. With several references the best counts.
    Lower-cased tokens of `nbhelpers.language.tokens.tokenize`, punctuation included. Where this machine has no WordNet
    (`nbhelpers.resources.data` or NLTK's), words match by form and stem alone, and the signature says ``wordnet:none``.

    The value stays below 1: an identical pair of m tokens is one chunk and has 1 - 0.5 / m³, which is 0.9995 for ten
    tokens, 0.996 for five, and 0.5 for one.

    Examples
    --------
    >>> meteor()(["The cat sat on the mat."], ["The cat sat on the mat."]).round(4).tolist()
    [0.9985]
    """
    import nltk
    from nltk.stem.porter import PorterStemmer
    from nltk.translate.meteor_score import meteor_score

    from nbhelpers.language.tokens import tokenize
    from nbhelpers.resources.wordnet import find_wordnet

    try:
        synonyms, label = find_wordnet()
    except ResourceNotFoundError:
        synonyms, label = SimpleNamespace(synsets=lambda word: []), "none"
    stemmer = SimpleNamespace(stem=functools.lru_cache(maxsize=1 << 16)(PorterStemmer().stem))

    def compute(sources: list[str], candidates: list[str], references: list[list[str]]) -> list[float]:
        return [
            meteor_score([tokenize(r) for r in given], tokenize(text), stemmer=stemmer, wordnet=synonyms)
            for text, given in zip(candidates, references)
        ]

    return f"meteor|case:lc|wordnet:{label}|nltk:{nltk.__version__}|v:{nbhelpers.__version__}", compute


# ----------------------------------------------------------------------------------------------- trivial predictors


@shared
def _word_counts(texts: Sequence[str]) -> list[Counter[str]]:
    """Lower-cased words of each text with their numbers; its tokens where it has no words."""
    from nbhelpers.language.tokens import is_word, tokenize

    tokens = [tokenize(text.lower()) for text in texts]
    return [Counter([token for token in of_text if is_word(token)] or of_text) for of_text in tokens]


def _trivial(name: str, title: str) -> Callable[[Callable[[int, int, int], float]], Any]:
    """Decorator that registers a predictor from the numbers of words in source, candidate and both."""

    def decorate(value: Callable[[int, int, int], float]) -> Any:
        def compute(sources: list[str], candidates: list[str], references: list[list[str]]) -> list[float]:
            pairs = zip(_word_counts(sources), _word_counts(candidates))
            return [value(s.total(), c.total(), (s & c).total()) for s, c in pairs]

        @register(name, title, (0.0, 1.0), scale=100.0, seconds=0.0001)
        def predictor() -> tuple[str, Compute]:
            return f"{name}|words:lc|v:{nbhelpers.__version__}", compute

        predictor.__doc__ = value.__doc__
        return predictor

    return decorate


@_trivial("length-ratio", "Length ratio")
def length_ratio(source: int, candidate: int, both: int) -> float:
    """Words of the shorter text for each word of the longer one, above 0, at most 1; symmetric."""
    return min(source, candidate) / max(source, candidate)


@_trivial("source-recall", "Source recall")
def source_recall(source: int, candidate: int, both: int) -> float:
    """Share of the source's words that the candidate has, repeated words counted as often as they occur."""
    return both / source


@_trivial("token-f1", "Token F1")
def token_f1(source: int, candidate: int, both: int) -> float:
    """F1 of the words that source and candidate have in common (multisets); symmetric, word order does not count."""
    return 2 * both / (source + candidate)
