"""Single edits under the microscope: the cases of the NDD paper's Table 1 and Figure 1, and minimal pairs.

A minimal pair is a sentence and one small edit of it, with the kind of change and whether the meaning is kept. The
pairs in ``data/corpus/minimal-pairs.tsv`` were written for this project; their card tells the rules of the labels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nbhelpers.base import stats
from nbhelpers.base.errors import DataFormatError
from nbhelpers.base.files import open_text
from nbhelpers.base.paths import data_dir
from nbhelpers.language.mlm import MaskedLM
from nbhelpers.metrics.ndd import NDDSettings, contextual_cosine, find_edits, ndd_batch, pseudo_perplexity, split_words
from nbhelpers.results import published

if TYPE_CHECKING:
    import pandas

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


MEASURES = ("NDD", "perplexity ratio", "1 - cosine", "words changed")
"""What tells broken from kept meaning in minimal pairs; the last is the trivial baseline."""


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


def expected_words(lm: MaskedLM, sentences: Sequence[str], word: str, count: int = 3) -> list[dict[str, Any]]:
    """The words that a model expects in the place of `word`: rows of the ledger, with each word as note.

    Examples
    --------
    >>> rows = expected_words(MaskedLM(), ["The man sits beside the bank of the river."], "bank")  # doctest: +SKIP
    >>> rows[0]["column"], rows[0]["note"]  # doctest: +SKIP
    ('choice 1', 'side')
    """
    rows, vocabulary = [], lm.loaded.tokenizer.convert_ids_to_tokens(range(lm.vocabulary_size))
    for words in map(split_words, sentences):
        place = words.index(word)
        best = lm.log_probabilities([lm.request(lm.encode(words), place)])[0][0].exp().topk(count)
        name = " ".join([*words[:place], f"[{word}]", *words[place + 1 :]])
        for number, (share, token) in enumerate(zip(best.values.tolist(), best.indices.tolist()), start=1):
            rows.append({"row": name, "column": f"choice {number}", "value": share, "note": vocabulary[token]})
    return rows


def figure1_rows(lm: MaskedLM, settings: NDDSettings) -> dict[str, list[dict[str, Any]]]:
    """The two edits of Figure 1 by table of the ledger: their scores, the divergence of each word, what is expected.

    Examples
    --------
    >>> list(figure1_rows(MaskedLM(), NDDSettings()))  # doctest: +SKIP
    ['figure1', 'figure1, each word', 'figure2']
    """
    sentence, *others = FIGURE_1
    edited = [sentence.replace("river", other) for other in others]
    names = ("Replacement that preserves the meaning", "Replacement that changes the meaning")
    scores = score_edits(lm, [(sentence, one) for one in edited], settings=settings)
    rows = [{"row": name, "column": "NDD", "value": one.ndd, "n": 1} for name, one in zip(names, scores)]
    rows += [{"row": name, "column": "Cos.Sim.", "value": one.cosine, "n": 1} for name, one in zip(names, scores)]
    ratio = {"column": "NDD relative to the other replacement", "value": scores[1].ndd / scores[0].ndd, "n": 1}
    words = split_words(sentence)
    each = []
    for other, result in zip(others, ndd_batch(lm, [(words, split_words(one)) for one in edited], settings=settings)):
        found = {one.original_index: one.divergence for one in result.neighbours}
        for place, word in enumerate(words):
            note = "nats" if place in found else "edited"
            each.append({"row": f"{place} {word}", "column": other, "value": found.get(place), "note": note})
    expected = [row for word in ("bank", "man") for row in expected_words(lm, [sentence, *edited], word)]
    return {"figure1": [*rows, {"row": names[1], **ratio}], "figure1, each word": each, "figure2": expected}


def table1_rows(lm: MaskedLM, settings: NDDSettings, *, resamples: int = 2000, seed: int = 0) -> list[dict[str, Any]]:
    """Table 1: three measures of each edit, their rank correlation with the published ones, the orderings that hold.

    Correlation and orderings leave the unedited sentence out. The rows named by weights repeat the correlation of NDD
    with other weights than those in `settings`.

    Examples
    --------
    >>> rows = table1_rows(MaskedLM(), NDDSettings())  # doctest: +SKIP
    >>> rows[0]["row"], rows[0]["value"]  # doctest: +SKIP
    ('I am walking in the cold rain.', 0.0)
    """
    paper = published.table("ndd/table1")
    paper = {name: dict(zip(part["row"], part["value"])) for name, part in paper.groupby("column")}
    edits = [(INITIAL_SENTENCE, sentence) for sentence in paper["NDD"]]
    scores = score_edits(lm, edits, settings=settings)
    ours = {
        "NDD": {one.edited: one.ndd for one in scores},
        "PPL": {one.edited: one.perplexity for one in scores},
        "Cos.Sim.": {one.edited: one.cosine for one in scores},
    }
    for weights in ("official", "paper"):
        texts = [tuple(map(split_words, edit)) for edit in edits]
        others = ndd_batch(lm, texts, settings=replace(settings, weights=weights))
        ours[f"NDD, {weights} weights"] = {sentence: one.value for (_, sentence), one in zip(edits, others)}
    rows, held = [], {}
    for name, values in ours.items():
        column, note = name.partition(",")[0], name.partition(", ")[2]
        cells = [{"row": row, "column": column, "value": value, "n": 1} for row, value in values.items()]
        rows += [] if note else cells
        pairs = [(values[row], paper[column][row]) for row in values if row != INITIAL_SENTENCE]
        agreement = stats.correlation(*zip(*pairs), "spearman", resamples=resamples, seed=seed)
        place = {"row": "Spearman with the published values" + f", {note}" * bool(note), "column": column}
        rows.append({**place, "value": agreement, "note": "13 edited sentences"})
        sign = -1 if column == "Cos.Sim." else 1
        held[name] = [1.0 * holds for holds in orderings_held({row: sign * value for row, value in values.items()})]
        if not note:
            rows.append({"row": "Orderings held", "column": column, "value": stats.proportion(held[name])})
    for rival in ("PPL", "Cos.Sim."):
        difference = stats.paired_permutation(held["NDD"], held[rival], seed=seed)
        rows.append({"row": f"Orderings held, NDD minus {rival}", "column": "NDD", "value": difference})
    return rows


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


def orderings_held(scores: Mapping[str, float]) -> list[bool]:
    """Which of `ORDERING_CLAIMS` hold for the scores of edited sentences; a higher score means a greater change.

    Examples
    --------
    >>> words = dict.fromkeys(word for claim in ORDERING_CLAIMS for word in claim)
    >>> all(orderings_held({f"{word} rain": score for score, word in enumerate(words)}))
    False
    """
    found = {edit_label(sentence): score for sentence, score in scores.items()}
    return [found[milder] < found[stronger] for milder, stronger in ORDERING_CLAIMS]


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


def measure_pairs(lm: MaskedLM, pairs: Sequence[MinimalPair], settings: NDDSettings) -> pandas.DataFrame:
    """Every measure of `MEASURES` for every pair, one line each, beside its labels.

    ``one word`` tells whether the edit puts one word in the place of one other.
    """
    import pandas

    frame = pandas.DataFrame([vars(pair) for pair in pairs])
    scores = score_edits(lm, list(zip(frame["original"], frame["edited"])), settings=settings)
    edits = [find_edits(split_words(pair.original), split_words(pair.edited)) for pair in pairs]
    sizes = [[(edit.stop - edit.start, len(edit.replacement)) for edit in found] for found in edits]
    columns = [
        [one.ndd for one in scores],
        [one.perplexity_ratio for one in scores],
        [1 - one.cosine for one in scores],
        [sum(map(max, found)) for found in sizes],
    ]
    return frame.assign(
        broken=~frame["kept"], **{"one word": [f == [(1, 1)] for f in sizes]}, **dict(zip(MEASURES, columns))
    )


def pair_rows(frame: pandas.DataFrame, *, resamples: int = 2000, seed: int = 0) -> dict[str, list[dict[str, Any]]]:
    """Areas under the ROC curve from `measure_pairs`, by table of the ledger.

    ``minimal pairs``: all grammatical pairs, those whose edit changes one word, and faults against sound edits, with
    the paired differences of NDD and its rivals. ``minimal pairs, each``: the NDD of every pair.
    """
    options = {"resamples": resamples, "seed": seed}
    sound = frame[frame["grammatical"]]
    kept_or_faulty = frame[~frame["broken"] | ~frame["grammatical"]]
    tests = {
        "meaning broken or kept": (sound, "broken"),
        "one word for another": (sound[sound["one word"]], "broken"),
        "agreement error or sound": (kept_or_faulty.eval("fault = not grammatical"), "fault"),
    }

    def area(label_and_score: Any) -> float:
        return stats.roc_auc(label_and_score[:, 0], label_and_score[:, 1])

    rows = []
    for column, (part, label) in tests.items():
        for measure in MEASURES:
            value = stats.roc_auc_interval(part[label], part[measure], **options)
            rows.append({"row": measure, "column": column, "value": value})
        ours, *others = (part[[label, measure]].to_numpy(float) for measure in MEASURES)
        for rival, theirs in zip(MEASURES[1:], others):
            value = stats.paired_bootstrap(ours, theirs, statistic=area, **options)
            rows.append({"row": f"NDD minus {rival}", "column": column, "value": value})
    each = [{"row": name, "column": "NDD", "value": value, "n": 1} for name, value in zip(frame["id"], frame["NDD"])]
    return {"minimal pairs": rows, "minimal pairs, each": each}
