"""Read the challenge sets: pairs of texts that people rated, or edited so that the meaning is kept or changed.

Every set has one shape. A pair is a source, a candidate and a label that is **higher where more of the meaning is
kept**, whatever the file says: a severity of errors is negated, "is negated" becomes 0. Three kinds of label occur:

* ``rating``: a number on the scale of the set's own people; compare within a set only;
* ``yes/no``: 1 where the meaning is kept (or follows), 0 where it is not;
* ``best``: candidates of the same item compete, and the one with label 1 should win.

Sets that occur twice are read once: ``msr.csv``, ``sick.csv`` and ``paws.csv`` in ``content-preservation`` are the test
parts of ``msrp``, ``sick`` and ``paws-wiki``, and ``cannot/sem_anto_neg.tsv`` is ``semantoneg``. ``etpc`` has the pairs
of ``msrp``, training part included, with other labels. A broken row is a `DataFormatError` with file and line.
"""

from __future__ import annotations

import ast
import csv
import functools
import hashlib
import json
import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nbhelpers.base import paths
from nbhelpers.base.errors import DataFormatError, InputError, did_you_mean
from nbhelpers.base.files import open_text, table_rows
from nbhelpers.resources import data

if TYPE_CHECKING:
    import pandas

TRAINED_ON = "models/trained-on.parquet"
"""In `data`: marks of sentences, and for each shipped rating whether it was trained on them."""


@dataclass(frozen=True)
class ChallengePair:
    """Two texts, and how much of the first one's meaning the second keeps.

    Attributes
    ----------
    source, candidate : str
    label : float
        Higher where more is kept; see the module.
    kind : str
        What was changed, or which part of the set it is; empty where the set does not say.
    group : str
        What pairs that are not independent have in common, mostly the source. Resample by it.
    item : str
        For labels ``best``: what the candidates that compete have in common; else empty.
    ratings : tuple of float
        The single ratings of which `label` is the mean, where the set gives them.
    """

    source: str
    candidate: str
    label: float
    kind: str = ""
    group: str = ""
    item: str = ""
    ratings: tuple[float, ...] = ()


@dataclass(frozen=True)
class ChallengeSet:
    """A challenge set: its name, kind of labels (``rating``, ``yes/no`` or ``best``), pairs and file."""

    name: str
    labels: str
    pairs: tuple[ChallengePair, ...]
    located: data.Located

    @property
    def frame(self) -> pandas.DataFrame:
        """The pairs as a table: source, candidate, label, kind, group, item, ratings."""
        import pandas

        return pandas.DataFrame(self.pairs)


Pairs = Iterator[ChallengePair]

# ------------------------------------------------------------------------------------------------------------- formats


def _entries(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Number (from 1) and content of each entry of a JSON list or a file of JSON lines."""
    with open_text(path) as reader:
        content = reader.read()
    whole = content.lstrip().startswith("[")
    entries: list[dict[str, Any]] = []
    for line, part in enumerate([content] if whole else content.splitlines()):
        try:
            entries += json.loads(part) if whole else [json.loads(part)]
        except json.JSONDecodeError as error:
            raise DataFormatError(path, line + error.lineno, f"is not JSON ({error.msg}); cut off?") from None
    yield from enumerate(entries, start=1)


def _taking(path: Path, rows: Iterator[tuple[int, Any]], make: Callable[[Any], Pairs]) -> Pairs:
    """What `make` yields for each row, checked: named columns are there, texts are not empty, labels are numbers."""
    for line, cells in rows:
        try:
            for pair in make(cells):
                if not (pair.source.strip() and pair.candidate.strip()):
                    raise ValueError("a text is empty")
                if not math.isfinite(pair.label):
                    raise ValueError(f"the label is {pair.label}")
                yield pair
        except (KeyError, ValueError, TypeError, AttributeError, IndexError, SyntaxError) as error:
            reason = f"lacks {error}" if isinstance(error, KeyError) else f"cannot be read: {error}"
            raise DataFormatError(path, line, reason) from None


def _reader(rows: Callable[[Path], Iterator[tuple[int, Any]]], files: str = "") -> Callable[..., Callable]:
    """Make a reader of a file, or of the `files` of a folder, of a function that takes a row and its file's stem."""

    def decorated(make: Callable[[Any, str], Pairs]) -> Callable[[Path], Pairs]:
        def read(path: Path) -> Pairs:
            for file in sorted(path.glob(files)) if files else [path]:
                yield from _taking(file, rows(file), functools.partial(make, stem=file.stem))

        return read

    return decorated


_tabbed = functools.partial(table_rows, delimiter="\t", quoting=csv.QUOTE_NONE)


def _table(
    source: str, candidate: str, label: str = "", *, values: Mapping[str, float] | None = None,
    columns: tuple[str, ...] = (), commas: bool = False, kind: str = "", text=str, files: str = "",
) -> Callable[[Path], Pairs]:  # fmt: skip
    """Reader of a table with one pair a row; without a column of labels every pair is one whose meaning changed."""

    @_reader(functools.partial(table_rows if commas else _tabbed, columns=columns), files)
    def read(cells: dict[str, str], stem: str) -> Pairs:
        value = 0.0 if not label else values[cells[label]] if values else float(cells[label])
        yield ChallengePair(text(cells[source]), text(cells[candidate]), value, cells.get(kind, ""), cells[source])

    return read


def _parabank(path: Path) -> Pairs:
    """Mean rating of each paraphrase; copies of the reference, and what was too garbled to be rated, are left out."""
    references = {cells["ref_id"]: cells["ref_sent"] for _, cells in _tabbed(path.with_name("ref.tsv"))}

    def rating(cells: dict[str, str]) -> Pairs:
        reference = references[cells["ref_id"]]
        if cells["human_score"] and cells["candidate"] != reference:
            yield ChallengePair(reference, cells["candidate"], float(cells["human_score"]))

    ratings = defaultdict(list)
    for pair in _taking(path, _tabbed(path), rating):
        ratings[pair.source, pair.candidate].append(pair.label)
    for (source, candidate), given in ratings.items():
        yield ChallengePair(source, candidate, sum(given) / len(given), group=source, ratings=tuple(given))


@_reader(functools.partial(_tabbed, columns=("id", "none", "text", "none too", "paraphrase", "damaged")), "*.txt")
def _menli(cells: dict[str, str], stem: str) -> Pairs:
    source, item = cells["text"], f"{stem} {cells['id']}"
    yield ChallengePair(source, cells["paraphrase"], 1.0, stem, source, item)
    yield ChallengePair(source, cells["damaged"], 0.0, stem, source, item)


@_reader(table_rows, "*.csv")
def _scone(cells: dict[str, str], stem: str) -> Pairs:
    edited = "" if stem == "one_scoped" else "_edited"
    label = {"entailment": 1.0, "neutral": 0.0}[cells[f"gold_label{edited}"]]
    frame = cells["sentence1"].replace(cells["sentence1_lex"], "…")  # the sentence that the pairs vary
    yield ChallengePair(cells[f"sentence1{edited}"], cells[f"sentence2{edited}"], label, stem, frame)


@_reader(_entries)
def _semantoneg(entry: dict[str, Any], stem: str) -> Pairs:
    for place, sentence in enumerate(entry["sentences"]):
        label = float(place == entry["label"])
        yield ChallengePair(entry["input"], sentence, label, "", entry["input"], str(entry["idx"]))


@_reader(_entries, "summedits_*.json")
def _summedits(entry: dict[str, Any], stem: str) -> Pairs:
    """The edited summaries against the summary that was edited; copies of it are left out."""
    original, edited = entry["original_summary"], entry["summary"]
    if edited != original:
        yield ChallengePair(original, edited, float(entry["label"]), stem.removeprefix("summedits_"), original)


@_reader(_entries)
def _bump(entry: dict[str, Any], stem: str) -> Pairs:
    """A summary and an unfaithful edit of it; the source is what of the article is nearest to both."""
    reference, edited = entry["reference_summary"], entry["edited_summary"]
    source, group, item = evidence(entry["article"], reference, edited), str(entry["article_id"]), str(entry["id"])
    kind = entry["corrected_error_type"].removesuffix(" Error").lower()
    yield ChallengePair(source, reference, 1.0, kind, group, item)
    yield ChallengePair(source, edited, 0.0, kind, group, item)


def evidence(article: str, first: str, second: str, count: int = 3) -> str:
    """The sentences of an article, in their order, that share most words with what two summaries have in common.

    The choice sees only words of both summaries, so that it favours neither. Sentences end at a mark before a space.

    Examples
    --------
    >>> evidence("It rained. The ferry sank. Nobody died. A cat slept.", "The ferry sank .", "The ferry left .", 1)
    'The ferry sank.'
    """
    common = set(first.lower().split()) & set(second.lower().split())
    marked = article.replace("\n", " ")
    for mark in (". ", "! ", "? "):
        marked = marked.replace(mark, mark + "\0")
    sentences = [sentence.strip() for sentence in marked.split("\0") if sentence.strip()]
    overlap = [len(common & set(sentence.lower().rstrip(".!?").split())) for sentence in sentences]
    best = sorted(range(len(sentences)), key=lambda place: -overlap[place])[:count]
    return " ".join(sentences[place] for place in sorted(best))


@_reader(_entries, "*.json")
def _simplification(entry: dict[str, Any], stem: str) -> Pairs:
    """Severity of errors (0 none, 1 some, 2 severe; negated); outputs that nobody could make sense of (-1) are out."""
    kind = stem.rpartition("_")[2]
    if (severity := entry[kind.capitalize()]) >= 0:
        yield ChallengePair(entry["Complex"], entry["Simplified"], 0.0 - severity, kind, entry["ExampleId"])


@_reader(_entries)
def _own_rewordings(item: dict[str, Any], stem: str) -> Pairs:
    """The items for testing: each source beside two free rewordings, a small one, and three changed ones."""
    source = item["source"]
    if item["use"] == "test":
        yield from (ChallengePair(source, text, 1.0, "same", source) for text in item["same"])
        yield ChallengePair(source, item["small"], 1.0, "small", source)
        for text, kind in zip(item["changed"], item["kinds"], strict=True):
            yield ChallengePair(source, text, 0.0, kind, source)


@_reader(functools.partial(table_rows, delimiter="\t"))
def _apt(cells: dict[str, str], stem: str) -> Pairs:
    """Attempts of people at a paraphrase; what is empty is left out."""
    if cells["text_b"].strip():
        yield ChallengePair(cells["text_a"], cells["text_b"], float(cells["labels"]), "", cells["text_a"])


@_reader(functools.partial(_tabbed, columns=("score", "first", "second")), "*.tsv")
def _sts_years(cells: dict[str, str], stem: str) -> Pairs:
    """The tasks of SemEval STS, one file each, named by year and task; pairs that nobody rated are left out."""
    if cells["score"]:
        yield ChallengePair(cells["first"], cells["second"], float(cells["score"]), stem, cells["first"])


def _bytes(cell: str) -> str:
    return ast.literal_eval(cell).decode("utf-8")


# ---------------------------------------------------------------------------------------------------------- the table


@dataclass(frozen=True)
class _Set:
    """How a set is read: registered name, title, kind of labels, reader, and the file or folder of each part."""

    resource: str
    title: str
    labels: str
    read: Callable[[Path], Pairs]
    parts: Mapping[str, str]


_CONTENT = {
    "cae": ("CAE", "style transfer (CAE)", "rating"),
    "pg-yelp": ("PG_YELP", "style transfer, reviews (PG, Yelp)", "rating"),
    "strap-coha": ("STRAP_COHA", "style transfer, old American English (STRAP, COHA)", "rating"),
    "strap-formality": ("STRAP_formality", "style transfer, formality (STRAP)", "rating"),
    "strap-shakespeare": ("STRAP_shakespeare", "style transfer, Shakespeare (STRAP)", "rating"),
    "gyafc": ("yamsh_gyafc", "style transfer, formality (GYAFC)", "rating"),
    "yelp": ("yamsh_yelp", "style transfer, sentiment (Yelp)", "rating"),
    "paraphrases": ("yamsh_para", "paraphrased phrases", "rating"),
    "pit": ("pit", "paraphrases in tweets (PIT)", "rating"),
    "adversarial": ("advers", "adversarial paraphrases", "yes/no"),
    "etpc": ("etpc", "typed paraphrases (ETPC)", "yes/no"),
}  # fmt: skip
_content = _table("text1", "text2", "human", commas=True)
_stsb = _table("first", "second", "score", columns=("first", "second", "score"), commas=True)
_paws = _table("first", "second", "label", columns=("id", "first", "second", "label"))
_negated = _table("sentence", "negated")
_wikifactcheck = _table("sentence", "negated", files="wikifactcheck_english_*.tsv")
_changed = _table("source", "candidate", "meaning", values={"kept": 1.0, "changed": 0.0}, kind="kind")
_entailment = {"entailment": 1.0, "neutral": 0.0, "contradiction": 0.0}

_SETS: dict[str, _Set] = {
    "stsb": _Set(
        "stsb", "headlines, captions and forums (STS benchmark)", "rating", _stsb,
        {part: f"stsb-en-{part}.csv" for part in ("test", "dev", "train")},
    ),
    **{
        f"stsb-{code}": _Set("stsb", f"STS benchmark in {name}", "rating", _stsb, {"test": f"stsb-{code}-test.csv"})
        for code, name in {"es": "Spanish", "ja": "Japanese", "zh": "Chinese"}.items()
    },
    "sick": _Set(
        "sick2014", "edited captions (SICK)", "rating",
        _table("sentence_A", "sentence_B", "relatedness_score", kind="entailment_judgment"),
        {"test": "SICK_test_annotated.txt", "dev": "SICK_trial.txt", "train": "SICK_train.txt"},
    ),
    "parabank": _Set(
        "parabank-eval", "paraphrases by a machine (ParaBank)", "rating", _parabank, {"test": "candidates.tsv"}
    ),
    **{
        name: _Set("content-preservation", title, labels, _content, {"test": f"{file}.csv"})
        for name, (file, title, labels) in _CONTENT.items()
    },
    "msrp": _Set(
        "msrp", "news, sentences on one event (MSRP)", "yes/no", _table("#1 String", "#2 String", "Quality"),
        {"test": "msr-para-test.tsv", "dev": "msr-para-val.tsv", "train": "msr-para-train.tsv"},
    ),
    "paws-wiki": _Set(
        "paws-wiki", "Wikipedia, words moved (PAWS-Wiki)", "yes/no", _paws, {"test": "test.tsv", "dev": "dev.tsv"}
    ),
    "paws-qqp": _Set(
        "paws-qqp", "questions, words moved (PAWS-QQP)", "yes/no",
        _table("sentence1", "sentence2", "label", text=_bytes), {"test": "dev_and_test.tsv"},
    ),
    "semantoneg": _Set(
        "semantoneg", "opposites and negations (SemAntoNeg)", "best", _semantoneg, {"test": "SemAntoNeg_v1.0.json"}
    ),
    "nan-nli": _Set("cannot", "negated (NaN-NLI)", "yes/no", _negated, {"test": "nan_nli.tsv"}),
    "glue-negation": _Set("cannot", "negated (GLUE diagnostic)", "yes/no", _negated, {"test": "glue_diagnostic.tsv"}),
    "wikifactcheck": _Set(
        "cannot", "negated (WikiFactCheck)", "yes/no", _wikifactcheck, {"train": "."}
    ),
    "sentiment": _Set(
        "cannot", "negated (sentiment)", "yes/no", _negated, {"train": "sentiment_labelled_sentences.tsv"}
    ),
    "scone": _Set("scone", "scope of a negation (ScoNe)", "yes/no", _scone, {"test": "test", "train": "train"}),
    "med": _Set(
        "med", "wider and narrower statements (MED)", "yes/no",
        _table("sentence1", "sentence2", "gold_label", values=_entailment, kind="genre"), {"test": "MED.tsv"},
    ),
    "summedits": _Set("summedits", "summaries, one edit (SummEdits)", "yes/no", _summedits, {"test": "."}),
    "bump": _Set("bump", "summaries, one error (BUMP)", "best", _bump, {"test": "task1_dataset.json"}),
    "menli": _Set("menli", "translations, one error (MENLI)", "best", _menli, {"test": "."}),
    "simplification-errors": _Set(
        "simplification-factuality", "simplifications, errors rated", "rating", _simplification, {"test": "."}
    ),
    "parade": _Set(
        "rewordings", "definitions of terms (PARADE)", "rating",
        _table("Definition1", "Definition2", "Four-class labels", kind="Entity"),
        {"test": "parade/PARADE_test.txt", "dev": "parade/PARADE_validation.txt", "train": "parade/PARADE_train.txt"},
    ),
    "apt": _Set(
        "rewordings", "rewordings made to mislead (APT)", "yes/no", _apt,
        {"test": "apt/human-test.tsv", "train": "apt/human-train.tsv"},
    ),
    "sts-years": _Set("rewordings", "STS, 2012 to 2016", "rating", _sts_years, {"train": "sts"}),
    "rated-pairs": _Set(
        "", "rated pairs, ours", "rating", _table("source", "candidate", "rating", kind="kind"),
        {"test": "meaning-pairs.tsv"},
    ),
    "minimal-pairs": _Set(
        "", "minimal pairs, ours", "yes/no",
        _table("original", "edited", "meaning", values={"kept": 1.0, "broken": 0.0}, kind="kind"),
        {"test": "minimal-pairs.tsv"},
    ),
    "tried-pairs": _Set("", "pairs for a try, ours", "yes/no", _changed, {"test": "tried-pairs.tsv"}),
    "everyday-pairs": _Set("", "notices and messages, ours", "yes/no", _changed, {"test": "everyday-pairs.tsv"}),
    "own-rewordings": _Set(
        "", "free rewordings, ours", "yes/no", _own_rewordings, {"test": "rewordings-en.jsonl"}
    ),
}  # fmt: skip


def names(part: str = "test") -> list[str]:
    """Sets that have a part, in the order in which tables show them; parts are ``test``, ``dev`` and ``train``.

    Examples
    --------
    >>> names("train")
    ['stsb', 'sick', 'msrp', 'wikifactcheck', 'sentiment', 'scone', 'parade', 'apt', 'sts-years']
    """
    return [name for name, known in _SETS.items() if part in known.parts]


def title(name: str) -> str:
    """What a set holds, and in brackets what its authors call it; of an unknown set the name itself.

    Examples
    --------
    >>> title("summedits")
    'summaries, one edit (SummEdits)'
    """
    return _SETS[name].title if name in _SETS else name


def read(name: str, part: str = "test", path: str | Path | None = None) -> ChallengeSet:
    """Read a challenge set.

    Parameters
    ----------
    name : str
        One of `names`. The project's own ship: ``rated-pairs``, ``minimal-pairs``, ``tried-pairs``, ``everyday-pairs``
        and ``own-rewordings``.
    part : str
        ``test``, ``dev`` or ``train``, where the set has it.
    path : path, optional
        The set's folder; by default where `nbhelpers.resources.data.find` has it.

    Returns
    -------
    ChallengeSet

    Raises
    ------
    InputError
        There is no such set or part.
    ResourceNotFoundError
        It is not on this machine; the message says how to get it.
    DataFormatError
        With file and line (or number of the entry): a cell is missing, a text is empty, a label is unknown.

    Examples
    --------
    >>> pair = read("minimal-pairs").pairs[0]
    >>> pair.candidate, pair.label, pair.kind
    ('The school year will begin in the first week of September.', 1.0, 'synonym')
    """
    if name not in _SETS:
        raise InputError(f"there is no challenge set {name!r}; {did_you_mean(name, _SETS)}")
    known = _SETS[name]
    if part not in known.parts:
        raise InputError(f"{name} has no part {part!r}; {did_you_mean(part, known.parts)}")
    if known.resource:
        located = data.find(known.resource, path, allow_shipped=False)
        at = located.path / known.parts[part]
    else:
        at = (Path(path) if path else paths.data_dir() / "corpus") / known.parts[part]
        located = data.Located(name, at, "shipped", data.sha256(at), "written for this project")
    pairs = tuple(known.read(at))
    if not pairs:
        raise DataFormatError(at, None, "holds no pairs")
    return ChallengeSet(name, known.labels, pairs, located)


def normalized(text: str) -> str:
    """The words of a text in lower case: by these, sentences of two sets are compared."""
    return " ".join(re.findall(r"\w+", text.lower()))


def mark(text: str) -> int:
    """Six bytes of the hash of a text's words, so that one can ask whether a sentence was trained on."""
    return int.from_bytes(hashlib.sha256(normalized(text).encode()).digest()[:6], "big")


@functools.cache
def trained_on(model: str = "") -> frozenset[int]:
    """Marks of the sentences that a shipped rating, or any of them, was trained on (see `mark`)."""
    import pandas

    marks = pandas.read_parquet(paths.data_dir() / TRAINED_ON)
    return frozenset(marks.loc[marks[model] if model else slice(None), "mark"].tolist())


def unseen(pairs: Iterable[ChallengePair]) -> tuple[ChallengePair, ...]:
    """The pairs without a sentence that a shipped rating was trained on.

    Of all sets but two that is every pair. ``etpc`` contains the training part of ``msrp``, and
    ``simplification-errors`` shares sentences with CSMD.
    """
    return tuple(pair for pair in pairs if trained_on().isdisjoint((mark(pair.source), mark(pair.candidate))))
