"""Single edits under the microscope: the cases of the NDD paper's Table 1 and Figure 1, and minimal pairs.

A minimal pair is a sentence and one small edit of it, with the kind of change and whether the meaning is kept. The
pairs in ``data/corpus/minimal-pairs.tsv`` were written for this project; their card tells the rules of the labels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from nbhelpers.base.errors import DataFormatError, InputError
from nbhelpers.base.files import open_text
from nbhelpers.base.paths import data_dir
from nbhelpers.language.mlm import MaskedLM
from nbhelpers.metrics.ndd import NDDSettings, contextual_cosine, ndd_batch, pseudo_perplexity, split_words

INITIAL_SENTENCE = "I am walking in the cold rain."
"""The unedited sentence of Table 1."""

ORDERING_CLAIMS = (
    ("cool", "heavy"),
    ("freezing", "heavy"),
    ("heavy", "hot"),
    ("snow", "night"),
    ("night", "sunshine"),
    ("running", "swimming"),
    ("wandering", "swimming"),
    ("He is", "He am"),
    ("cool", "was"),
    ("running", "was"),
    ("hot", "He is"),
)
"""Pairs (milder, stronger): the first edit of Table 1 disturbs less than the second, as section 3 of the paper says or
implies (similar < different < opposite in each group of words; sensitive to tense and subject; *He am* is a fault)."""

FIGURE_1 = ("The man sits beside the bank of the river.", "lake", "town")
"""Figure 1: *river* replaced by a word that keeps the sense of *bank*, and by one that changes it."""


@dataclass(frozen=True)
class EditScores:
    """The three measures of Table 1 for one edited sentence.

    `ndd` is in nats, at least 0; `perplexity` is the edited text's pseudo-perplexity, at least 1; `perplexity_ratio`
    divides it by the original's; `cosine` lies in [-1, 1].
    """

    original: str
    edited: str
    ndd: float
    perplexity: float
    perplexity_ratio: float
    cosine: float


def score_edits(
    lm: MaskedLM, pairs: Sequence[tuple[str, str]], *, settings: NDDSettings = NDDSettings()
) -> list[EditScores]:
    """NDD, pseudo-perplexity and cosine of (original, edited) sentences.

    Raises
    ------
    InputError
        For a pair of anything but two non-empty sentences.

    Examples
    --------
    >>> pairs = [("A cold rain fell.", "A cool rain fell.")]
    >>> (scores,) = score_edits(MaskedLM(), pairs)  # doctest: +SKIP
    >>> scores.ndd > 0 and scores.perplexity >= 1 and -1 <= scores.cosine <= 1  # doctest: +SKIP
    True
    """
    words = [tuple(map(split_words, pair)) for pair in pairs]
    scores = []
    for start in range(0, len(pairs), 16):  # few enough that perplexity and NDD share the engine's answers
        chunk = words[start : start + 16]
        texts = list(dict.fromkeys(tuple(text) for pair in chunk for text in pair))
        perplexity = dict(zip(texts, pseudo_perplexity(lm, texts)))
        divergences, cosines = ndd_batch(lm, chunk, settings=settings), contextual_cosine(lm, chunk)
        for (original, edited), (a, b), result, cosine in zip(pairs[start:], chunk, divergences, cosines):
            before, after = perplexity[tuple(a)], perplexity[tuple(b)]
            scores.append(EditScores(original, edited, result.value, after, after / before, cosine))
    return scores


def edit_label(sentence: str) -> str:
    """A short name of an edited sentence of Table 1: the word or words that tell it from the others.

    Examples
    --------
    >>> edit_label("I am walking in the cool rain.")
    'cool'
    >>> edit_label("I am walking in the cold rain.")
    'I am walking in the cold rain.'
    """
    markers = dict.fromkeys(marker for claim in ORDERING_CLAIMS for marker in claim)
    return next((m for m in markers if f" {m} " in f" {' '.join(split_words(sentence))} "), sentence)


def sentence_with(marker: str, sentences: Sequence[str]) -> str:
    """The one sentence that contains `marker` as whole words.

    Raises
    ------
    InputError
        If none or several contain it.

    Examples
    --------
    >>> sentence_with("cold rain", ["I walk in the cold rain.", "I walk in the snow."])
    'I walk in the cold rain.'
    """
    found = [sentence for sentence in sentences if f" {marker} " in f" {' '.join(split_words(sentence))} "]
    if len(found) != 1:
        raise InputError(f"{len(found)} sentences contain {marker!r}, not one.")
    return found[0]


def ordering_claims(scores: Mapping[str, float]):
    """Which orderings of Table 1 that the paper names hold for given scores.

    Parameters
    ----------
    scores : mapping of sentence to score
        The sentences of Table 1; a higher score means a greater change.

    Returns
    -------
    list of (milder sentence, stronger sentence, bool)
        In the order of `ORDERING_CLAIMS`.

    Examples
    --------
    >>> words = dict.fromkeys(word for claim in ORDERING_CLAIMS for word in claim)
    >>> claims = ordering_claims({f"{word} rain": score for score, word in enumerate(words)})
    >>> claims[0]
    ('cool rain', 'heavy rain', True)
    """
    rows = []
    for milder, stronger in ORDERING_CLAIMS:
        first, second = sentence_with(milder, list(scores)), sentence_with(stronger, list(scores))
        rows.append((first, second, scores[first] < scores[second]))
    return rows


COLUMNS = ["id", "kind", "meaning", "grammatical", "original", "edited", "note"]
"""Columns of a file of minimal pairs."""


@dataclass(frozen=True)
class MinimalPair:
    """A sentence and one small edit of it; `kept` tells whether the two mean the same."""

    id: str
    kind: str
    kept: bool
    grammatical: bool
    original: str
    edited: str


def read_minimal_pairs(path: str | Path | None = None) -> list[MinimalPair]:
    """Read minimal pairs, by default the ones that ship with the project.

    The file has tab-separated `COLUMNS` with a header line;
    ``meaning`` is ``kept`` or ``broken``, ``grammatical`` (of the edited sentence) ``yes`` or ``no``.

    Raises
    ------
    ResourceNotFoundError
        If there is no such file.
    DataFormatError
        For a line that does not follow the format, with file and line.

    Examples
    --------
    >>> pair = read_minimal_pairs()[0]
    >>> pair.kind, pair.kept
    ('synonym', True)
    >>> pair.edited
    'The school year will begin in the first week of September.'
    """
    path = Path(path) if path else data_dir() / "corpus" / "minimal-pairs.tsv"
    pairs = []
    with open_text(path) as stream:
        for number, line in enumerate(stream, start=1):
            cells = line.rstrip("\n").split("\t")
            if number == 1 and cells == COLUMNS:
                continue
            if len(cells) != len(COLUMNS) or not all(cell.strip() for cell in cells[:-1]):
                raise DataFormatError(path, number, f"A line has {', '.join(COLUMNS)}, none but the note empty.")
            name, kind, meaning, grammatical, original, edited, _ = cells
            if meaning not in ("kept", "broken") or grammatical not in ("yes", "no"):
                raise DataFormatError(path, number, "meaning is kept or broken, and grammatical is yes or no.")
            pairs.append(MinimalPair(name, kind, meaning == "kept", grammatical == "yes", original, edited))
    return pairs
