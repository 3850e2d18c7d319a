"""Measures that compare words: BLEU, TER, ROUGE, METEOR, and three predictors that any measure has to beat.

Each from the library that its field uses: sacreBLEU, rouge-score, NLTK.
"""

from __future__ import annotations

import functools
import io
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import nbhelpers
from nbhelpers.base.errors import InputError, ResourceNotFoundError
from nbhelpers.metrics.metric import Metric
from nbhelpers.metrics.registry import shared

BLEU_TOKENIZERS = ("13a", "intl", "char", "zh", "none")
"""Tokenizers of sacreBLEU that need neither a further package nor a download."""

ROUGE_PARTS = {"precision": "precision", "recall": "recall", "f1": "fmeasure"}
"""Parts of ROUGE, and how rouge-score calls them."""


# ------------------------------------------------------------------------------------------------------------- BLEU


@functools.lru_cache(maxsize=16)
def _bleu_scorer(tokenize: str, smooth_method: str, lowercase: bool) -> Any:
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


def bleu_signature(tokenize: str, smooth_method: str, lowercase: bool) -> str:
    """sacreBLEU's signature of sentence BLEU with these settings, for measures that contain it."""
    return _sacrebleu_signature(_bleu_scorer(tokenize, smooth_method, lowercase))


def tokenizer(name: str) -> Callable[[str], str]:
    """sacreBLEU's tokenizer of this name: a function from a text to its tokens, joined by spaces.

    Raises
    ------
    InputError
        sacreBLEU has none of this name.
    """
    return _bleu_scorer(name, "exp", False).tokenizer


@shared
def bleu_scores(
    candidates: Sequence[str],
    references: Sequence[Sequence[str]],
    tokenize: str = "13a",
    smooth_method: str = "exp",
    lowercase: bool = False,
) -> list[float]:
    """Sentence BLEU of each candidate against its references, 0 to 100 (sacreBLEU, effective order)."""
    scorer = _bleu_scorer(tokenize, smooth_method, lowercase)
    scores = [scorer.sentence_score(text, list(given)).score for text, given in zip(candidates, references)]
    return [min(score, 100.0) for score in scores]  # rounding can leave 100.00000000000004


def bleu(tokenize: str = "13a", smooth_method: str = "exp", lowercase: bool = False) -> Metric:
    """BLEU of a sentence (Papineni et al. 2002), from sacreBLEU.

    The n-gram orders that a short sentence does not have are left out (effective order). The default settings are
    sacreBLEU's own: tokenizer 13a, case kept, exponential smoothing. An identical pair has 100, and a pair without a
    common token 0.

    Parameters
    ----------
    tokenize : {"13a", "intl", "char", "zh", "none"}
        Tokenizer of sacreBLEU; "none" for texts that are tokenized already.
    smooth_method : {"exp", "floor", "add-k", "none"}
        What becomes of an order without a match.
    lowercase : bool
        Whether to ignore case.
    """

    def compute(sources: list[str], candidates: list[str], references: list[list[str]]) -> Sequence[float]:
        return bleu_scores(candidates, references, tokenize, smooth_method, lowercase)

    signature = f"bleu|{bleu_signature(tokenize, smooth_method, lowercase)}|v:{nbhelpers.__version__}"
    return Metric("bleu", "BLEU", (0.0, 100.0), True, True, signature, compute, scale=1.0)


# -------------------------------------------------------------------------------------------------------------- TER


def ter() -> Metric:
    """Translation edit rate (Olive 2005; Snover et al. 2006), from sacreBLEU with its default settings.

    Insertions, deletions, substitutions and shifts of blocks that turn the candidate into the nearest reference, for
    each 100 words of the references (their mean length). 0 is an identical pair, case aside; there is no upper
    bound. As a rating it is taken from 100, as in the MeaningBERT study, which gives ratings below 0 to candidates
    that are much longer than their references.
    """
    from sacrebleu.metrics import TER

    scorer = TER()

    def compute(sources: list[str], candidates: list[str], references: list[list[str]]) -> Sequence[float]:
        return [scorer.sentence_score(text, given).score for text, given in zip(candidates, references)]

    signature = f"ter|{_sacrebleu_signature(scorer)}|v:{nbhelpers.__version__}"
    return Metric("ter", "TER", (0.0, float("inf")), False, True, signature, compute, scale=1.0)


# ------------------------------------------------------------------------------------------------------------ ROUGE


@shared
def _rouge_scores(candidates: Sequence[str], references: Sequence[Sequence[str]]) -> list[dict[str, Any]]:
    """All kinds and parts of ROUGE at once."""
    from rouge_score import rouge_scorer, tokenize

    # A text without tokens would score 0, as if it shared no word.
    for text in dict.fromkeys([*candidates, *(text for given in references for text in given)]):
        if not tokenize.tokenize(text, None):
            raise InputError(
                f"ROUGE knows only Latin letters without accents and digits; this text has none: {text!r}."
            )
    scorer = rouge_scorer.RougeScorer(["rouge1", "rouge2", "rougeL"], use_stemmer=False)
    return [scorer.score_multi(list(given), text) for text, given in zip(candidates, references)]


def rouge(kind: str = "1", part: str = "f1") -> Metric:
    """ROUGE (Lin 2004), from rouge-score: lower-cased words of Latin letters and digits, not stemmed.

    ROUGE-1 and ROUGE-2 count common words and pairs of words, ROUGE-L the longest common subsequence. With several
    references all parts are those of the reference with the best F1, as rouge-score defines it. An identical pair
    has 1, except that ROUGE-2 of a single word is 0. F1 is symmetric; precision of one order is recall of the other.

    Parameters
    ----------
    kind : {"1", "2", "L"}
    part : {"precision", "recall", "f1"}
        Share of the candidate's words that the reference has, of the reference's words that the candidate has, or
        their harmonic mean.

    Raises
    ------
    InputError
        (When scoring.) A text has no word that ROUGE knows.
    """
    if kind not in ("1", "2", "L") or part not in ROUGE_PARTS:
        raise InputError(f"ROUGE has the kinds 1, 2, L and the parts {', '.join(ROUGE_PARTS)}, not {kind!r}, {part!r}.")
    from importlib.metadata import version

    def compute(sources: list[str], candidates: list[str], references: list[list[str]]) -> Sequence[float]:
        scores = _rouge_scores(candidates, references)
        return [getattr(score[f"rouge{kind}"], ROUGE_PARTS[part]) for score in scores]

    name = f"rouge{kind}-{part}"
    signature = f"{name}|stem:no|case:lc|rouge-score:{version('rouge-score')}|v:{nbhelpers.__version__}"
    title = f"ROUGE-{kind} {'F1' if part == 'f1' else part}"
    return Metric(name, title, (0.0, 1.0), True, True, signature, compute, scale=100.0)


# ----------------------------------------------------------------------------------------------------------- METEOR


class _NoSynonyms:
    """Stands where NLTK's METEOR asks WordNet: no word has a synonym."""

    @staticmethod
    def synsets(word: str) -> list[Any]:
        return []


def _read_wordnet(folder: Path) -> Any:
    """NLTK's reader on a folder of WordNet files; Debian's lack `lexnames`, which synonyms do not need."""
    import warnings

    import nltk
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    class Reader(WordNetCorpusReader):
        def open(self, file: str) -> Any:
            if file == "lexnames" and not (folder / file).exists():
                return io.StringIO("".join(f"{number:02} unknown.{number} 0\n" for number in range(64)))
            return super().open(file)

        def map_wn(self, version: str = "wordnet") -> None:
            """Other languages are not read, so nothing has to be mapped to the version they refer to."""

    if str(folder) not in nltk.data.path:  # NLTK reads from no other folders
        nltk.data.path.append(str(folder))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that there are no other languages
        return Reader(str(folder), None)


@functools.lru_cache(maxsize=1)
def _wordnet() -> tuple[Any, str]:
    """What knows synonyms here, and what it is called in signatures."""
    import nltk

    from nbhelpers.resources import data

    try:
        located = data.find("wordnet", allow_shipped=False)
    except ResourceNotFoundError:
        for place in ("corpora/wordnet", "corpora/wordnet.zip"):
            try:
                nltk.data.find(place)
            except LookupError:
                continue
            from nltk.corpus import wordnet

            return wordnet, "nltk"
        return _NoSynonyms(), "none"
    return _read_wordnet(located.path), located.sha256[:8]


def meteor(wordnet: str = "auto") -> Metric:
    """METEOR (Banerjee & Lavie 2005), with the weights of that paper, from NLTK.

    Words of candidate and reference are matched when they are equal, have the same stem (Porter) or are synonyms
    (WordNet); the more chunks the matches fall into, the lower the value. With several references the best counts.
    Lower-cased tokens of `nbhelpers.language.tokens.tokenize`, punctuation included.

    The value stays below 1: an identical pair of m tokens is one chunk and has 1 - 0.5 / m³, which is 0.9995 for ten
    tokens, 0.996 for five, and 0.5 for one.

    Parameters
    ----------
    wordnet : {"auto", "none"}
        "auto" takes WordNet where this machine has it, from `nbhelpers.resources.data` or NLTK; without it, and with
        "none", words match by form and stem alone. The signature says which (``wordnet:none``).
    """
    if wordnet not in ("auto", "none"):
        raise InputError(f"wordnet is 'auto' or 'none', not {wordnet!r}.")
    import nltk
    from nltk.stem.porter import PorterStemmer
    from nltk.translate.meteor_score import meteor_score

    from nbhelpers.language.tokens import tokenize

    synonyms, label = _wordnet() if wordnet == "auto" else (_NoSynonyms(), "none")
    stemmer = SimpleNamespace(stem=functools.lru_cache(maxsize=1 << 16)(PorterStemmer().stem))

    def compute(sources: list[str], candidates: list[str], references: list[list[str]]) -> Sequence[float]:
        return [
            meteor_score([tokenize(r) for r in given], tokenize(text), stemmer=stemmer, wordnet=synonyms)
            for text, given in zip(candidates, references)
        ]

    signature = f"meteor|case:lc|wordnet:{label}|nltk:{nltk.__version__}|v:{nbhelpers.__version__}"
    return Metric("meteor", "METEOR", (0.0, 1.0), True, True, signature, compute, scale=100.0)


# ----------------------------------------------------------------------------------------------- trivial predictors


@shared
def _word_counts(texts: Sequence[str]) -> list[Counter[str]]:
    """Lower-cased words of each text with their numbers; its tokens where it has no words."""
    from nbhelpers.language.tokens import is_word, tokenize

    tokens = [tokenize(text.lower()) for text in texts]
    return [Counter([token for token in of_text if is_word(token)] or of_text) for of_text in tokens]


def _trivial(name: str, title: str, value: Callable[[int, int, int], float]) -> Metric:
    """A predictor from the numbers of words in source, candidate and both."""

    def compute(sources: list[str], candidates: list[str], references: list[list[str]]) -> Sequence[float]:
        pairs = zip(_word_counts(sources), _word_counts(candidates))
        return [value(s.total(), c.total(), (s & c).total()) for s, c in pairs]

    signature = f"{name}|words:lc|v:{nbhelpers.__version__}"
    return Metric(name, title, (0.0, 1.0), True, False, signature, compute, scale=100.0)


def length_ratio() -> Metric:
    """Words of the shorter text for each word of the longer one, above 0, at most 1; symmetric."""
    return _trivial(
        "length-ratio", "Length ratio", lambda source, candidate, both: min(source, candidate) / max(source, candidate)
    )


def source_recall() -> Metric:
    """Share of the source's words that the candidate has, repeated words counted as often as they occur."""
    return _trivial("source-recall", "Source recall", lambda source, candidate, both: both / source)


def token_f1() -> Metric:
    """F1 of the words that source and candidate have in common (multisets); symmetric, word order does not count."""
    return _trivial("token-f1", "Token F1", lambda source, candidate, both: 2 * both / (source + candidate))
