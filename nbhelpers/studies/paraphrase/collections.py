"""Collections of summaries that people have judged, each read from the files of its source.

`open_collection` finds one by name: ``realsumm``, ``summeval``, the original ``topics`` and ``topics-ja`` that ship
with the project, and ``tsc``, a folder of one's own with the material of the Text Summarization Challenge.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from nbhelpers.base import paths
from nbhelpers.base.errors import DataFormatError, InputError, ResourceNotFoundError
from nbhelpers.base.files import open_text
from nbhelpers.resources import data
from nbhelpers.studies.paraphrase.summaries import CandidateSummary, SummaryCollection, SummaryTopic

SUMMEVAL_SCORES = ("coherence", "consistency", "fluency", "relevance")

SUMMEVAL_EXTRACTIVE = tuple(f"M{number}" for number in range(8))
"""Models that SummEval's repository (github.com/Yale-LILY/SummEval, *Model Outputs*) lists as extractive; M8 to M23 are
abstractive. Of the 16 that people judged, M0, M1, M2 and M5 are extractive."""


# -------------------------------------------------------------------------------------------------- reading JSON


def _read_json(path: Path) -> Any:
    """A JSON file, packed or not; DataFormatError with the line for what is none."""
    with open_text(path) as reader:
        text = reader.read()
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise DataFormatError(path, error.lineno, f"is not JSON ({error.msg})") from None
    except RecursionError:
        raise DataFormatError(path, None, "is JSON nested too deeply") from None


def _get(entry: Any, key: str, kind: type | tuple[type, ...], path: Path, place: str) -> Any:
    value = entry.get(key) if isinstance(entry, dict) else None
    if not isinstance(value, kind) or isinstance(value, bool):
        raise DataFormatError(path, None, f"{place} has no {key}, or one of another type")
    return value


def _digest(folder: Path, pattern: str) -> str:
    """Eight digits for the names and contents of the files of a folder that were read."""
    files = sorted(path for path in folder.glob(pattern) if path.is_file())
    lines = [f"{path.relative_to(folder).as_posix()}\0{data.sha256(path)}\n" for path in files]
    return hashlib.sha256("".join(lines).encode()).hexdigest()[:8]


def _topic(path: Path, *arguments: Any) -> SummaryTopic:
    """A topic whose faults are those of its file."""
    try:
        return SummaryTopic(*arguments)
    except InputError as error:
        raise DataFormatError(path, None, str(error)) from None


# ---------------------------------------------------------------------------------------------------- the readers


def read_realsumm(path: str | Path | None = None) -> SummaryCollection:
    """REALSumm (Bhandari et al. 2020): 100 news articles, 24 systems, one reference, recall of content units.

    The two files of published scores tell 14 abstractive from 11 extractive systems. The one that is in both
    (``bart_out.txt``, an abstractive system repeated among the extractive ones, with the same text) counts as
    abstractive, which leaves 24 systems, 10 of them extractive. Scores are LitePyramid recall, in [0, 1].

    Parameters
    ----------
    path : path, optional
        A data folder with the three files, else they are looked for as `nbhelpers.resources.data.find` does.

    Raises
    ------
    ResourceNotFoundError
        A file is not at hand.
    DataFormatError
        A file is not what it should be, with the document and the system.
    """
    found = [data.find(name, path) for name in ("realsumm", "realsumm-abs-scores", "realsumm-ext-scores")]
    main, abstractive, extractive = (one.path for one in found)
    published = {
        kind: _get_all(file, "system_summaries") for kind, file in (("abstract", abstractive), ("extract", extractive))
    }
    topics = []
    for name, entry in _entries(main):
        place = f"document {name!r}"
        kinds: dict[str, str] = {}
        for kind in ("extract", "abstract"):  # what is in both is abstractive
            kinds |= dict.fromkeys(published[kind].get(name, ()), kind)
        candidates = []
        for system, answer in _get(entry, "sys_summs", dict, main, place).items():
            if system not in kinds:
                raise DataFormatError(main, None, f"{place}, system {system!r} is in neither file of published scores")
            candidates.append(_candidate(main, place, system, kinds[system], answer, "litepyramid_recall"))
        reference = CandidateSummary("reference", "abstract", _get(entry, "ref_summ", str, main, place))
        document = _get(entry, "src", str, main, place)
        topics.append(_topic(main, name, "en", (reference,), tuple(candidates), document))
    signature = f"{found[0].identity}|score:litepyramid-recall"
    return SummaryCollection("REALSumm", tuple(topics), "LitePyramid recall", signature, found[0].description)


def read_summeval(path: str | Path | None = None, *, ranked_by: str = "relevance") -> SummaryCollection:
    """SummEval (Fabbri et al. 2021): 100 news articles, 16 systems, 11 references, four scores by experts, 1 to 5.

    Parameters
    ----------
    path : path, optional
        The file or a data folder, else it is looked for as `nbhelpers.resources.data.find` does.
    ranked_by : {"coherence", "consistency", "fluency", "relevance"}
        Which of the mean expert scores ranks the summaries. Relevance asks for the choice of content, which recall of
        a reference's words measures.

    Raises
    ------
    InputError
        There is no such score.
    ResourceNotFoundError, DataFormatError
        As `read_realsumm`.
    """
    if ranked_by not in SUMMEVAL_SCORES:
        raise InputError(f"SummEval has the scores {', '.join(SUMMEVAL_SCORES)}, not {ranked_by!r}.")
    found = data.find("summeval", path)
    topics = []
    for name, entry in _entries(found.path):
        place = f"document {name!r}"
        candidates = []
        for system, answer in _get(entry, "sys_summs", dict, found.path, place).items():
            known = system[:1] == "M" and system[1:].isdigit() and int(system[1:]) <= 23
            kind = "extract" if system in SUMMEVAL_EXTRACTIVE else "abstract" if known else ""
            candidates.append(_candidate(found.path, place, system, kind, answer, ranked_by))
        texts = _get(entry, "ref_summs", list, found.path, place)
        references = tuple(
            CandidateSummary(f"reference {number}", "abstract", text) for number, text in enumerate(texts, start=1)
        )
        document = _get(entry, "src", str, found.path, place)
        topics.append(_topic(found.path, name, "en", references, tuple(candidates), document))
    signature = f"{found.identity}|score:{ranked_by}"
    return SummaryCollection("SummEval", tuple(topics), ranked_by, signature, found.description)


def _entries(path: Path) -> Iterator[tuple[str, Any]]:
    entries = _read_json(path)
    if not isinstance(entries, dict) or not entries:
        raise DataFormatError(path, None, "has no documents by name")
    yield from entries.items()


def _get_all(path: Path, key: str) -> dict[str, Mapping[str, Any]]:
    return {name: _get(entry, key, dict, path, f"document {name!r}") for name, entry in _entries(path)}


def _candidate(path: Path, place: str, system: str, kind: str, answer: Any, score: str) -> CandidateSummary:
    place = f"{place}, system {system!r}"
    text = _get(answer, "sys_summ", str, path, place)
    value = _get(_get(answer, "scores", dict, path, place), score, (int, float), path, place)
    return CandidateSummary(system, kind, text, float(value))


def _json_files(folder: Path) -> list[Path]:
    files = sorted(folder.glob("*.json"))
    if not files:
        raise ResourceNotFoundError(f"there is no topic (*.json) in {folder}")
    return files


def read_english_topics(folder: str | Path | None = None) -> SummaryCollection:
    """The original topics of ``data/corpus/topics``: four model summaries, three extracts and three abstracts each.

    The model summaries are the references; scores are the candidates' pyramid scores, in [0, 1].

    Raises
    ------
    ResourceNotFoundError
        There is no topic in the folder.
    DataFormatError
        A file is no topic: no JSON (with the line), or something is missing.
    """
    folder = Path(folder) if folder is not None else paths.data_dir() / "corpus" / "topics"
    topics = []
    for path in _json_files(folder):
        entry = _read_json(path)
        name, article, summaries, rated = (
            _get(entry, key, kind, path, "the topic")
            for key, kind in (("name", str), ("article", list), ("summaries", dict), ("candidates", list))
        )
        candidates = []
        for number, one in enumerate(rated, start=1):
            place = f"number {number} of the candidates"
            label, kind = (_get(one, key, str, path, place) for key in ("name", "kind"))
            text = " ".join(_get(one, "sentences", list, path, place))
            score = _get(one, "score", (int, float), path, place)
            candidates.append(CandidateSummary(label, kind, text, float(score)))
        references = [CandidateSummary(name, "abstract", " ".join(lines)) for name, lines in summaries.items()]
        topics.append(_topic(folder, name, "en", tuple(references), tuple(candidates), " ".join(article)))
    signature = f"topics@{_digest(folder, '*.json')}|score:pyramid"
    return SummaryCollection("topics", tuple(topics), "pyramid score", signature, "topics: shipped with the project")


def read_japanese_topics(folder: str | Path | None = None) -> SummaryCollection:
    """The original editorials of ``data/corpus/topics-ja``: a written and a cut reference, all summaries rated.

    Each topic is a JSON file with ``id``, ``language``, ``article``, ``references`` and ``candidates``, these with
    ``id``, ``kind`` (extract or abstract), ``text`` and ``rating`` (1 to 4).

    Raises
    ------
    ResourceNotFoundError
        There is no topic in the folder.
    DataFormatError
        A file is no topic: no JSON (with the line), something is missing, or a rating is not from 1 to 4.
    """
    folder = Path(folder) if folder is not None else paths.data_dir() / "corpus" / "topics-ja"
    topics = []
    for path in _json_files(folder):
        entry = _read_json(path)
        name = _get(entry, "id", str, path, "the topic")
        summaries = {}
        for part in ("references", "candidates"):
            read = []
            for number, one in enumerate(_get(entry, part, list, path, "the topic"), start=1):
                place = f"number {number} of the {part}"
                given = [_get(one, key, str, path, place) for key in ("id", "kind", "text")]
                rating = _get(one, "rating", (int, float), path, place)
                if not 1 <= rating <= 4 or not given[1]:
                    raise DataFormatError(path, None, f"{place} has a rating that is not from 1 to 4, or no kind")
                read.append(CandidateSummary(*given, float(rating)))
            summaries[part] = tuple(read)
        language = _get(entry, "language", str, path, "the topic")
        article = _get(entry, "article", str, path, "the topic")
        topics.append(_topic(path, name, language, summaries["references"], summaries["candidates"], article))
    signature = f"topics-ja@{_digest(folder, '*.json')}|score:rating"
    return SummaryCollection(
        "topics-ja", tuple(topics), "rating from 1 to 4", signature, "topics-ja: shipped with the project"
    )


def read_tsc(folder: str | Path) -> SummaryCollection:
    """Summaries of the Text Summarization Challenge 2 (Fukushima, Okumura & Nanba 2002), put into a simple layout.

    No public description of the files that NTCIR hands out was found, so this layout is the project's own: put the
    texts and scores you hold into it. ``FOLDER`` has one folder for each editorial and ``scores.tsv``::

        FOLDER/scores.tsv                 TOPIC <tab> KIND <tab> NAME <tab> SCORE
        FOLDER/TOPIC/document.txt         the editorial (may be missing)
        FOLDER/TOPIC/extract/NAME.txt     summaries cut from it
        FOLDER/TOPIC/abstract/NAME.txt    summaries freely written
        FOLDER/TOPIC/reference/NAME.txt   further references that nobody judged (may be missing)

    KIND is ``extract`` or ``abstract``. A summary with several lines in ``scores.tsv`` was judged by several people,
    and its score is their mean. Texts are plain text, in UTF-8 or EUC-JP; line breaks do not count as characters in
    the challenge's task description, so lines are joined without a space.

    Raises
    ------
    ResourceNotFoundError
        There is no such folder, or it has no ``scores.tsv``.
    DataFormatError
        With file and line: a malformed line, a text that is missing, empty, in another encoding or without a score.
    """
    folder = Path(folder)
    table = folder / "scores.tsv"
    if not table.is_file():
        raise ResourceNotFoundError(f"there is no scores.tsv in {folder}")
    scores: dict[str, dict[tuple[str, str], list[float]]] = {}
    with open_text(table) as lines:
        for line in lines:
            if not line.strip() or line.startswith("#"):
                continue
            fields = line.rstrip("\r\n").split("\t")
            try:
                topic, kind, name, score = fields[0], fields[1], fields[2], float(fields[3])
            except (IndexError, ValueError):
                reason = "is not topic, kind, name and score between tabs"
                raise DataFormatError(table, lines.line, reason) from None
            if len(fields) != 4 or kind not in ("extract", "abstract") or not math.isfinite(score):
                reason = f"has the kind {kind!r} and the score {fields[3]!r} in {len(fields)} fields"
                raise DataFormatError(table, lines.line, reason)
            file = folder / topic / kind / f"{name}.txt"
            if not topic or not name or file.parent.parent.parent != folder or not file.is_file():
                raise DataFormatError(table, lines.line, f"there is no text {topic}/{kind}/{name}.txt")
            scores.setdefault(topic, {}).setdefault((kind, name), []).append(score)
    topics = []
    for topic in sorted(scores):
        candidates, references = [], []
        for file in sorted((folder / topic).glob("*/*.txt")):
            kind, text = file.parent.name, _plain_text(file)
            if kind == "reference":
                references.append(CandidateSummary(f"reference/{file.stem}", "abstract", text))
            elif given := scores[topic].get((kind, file.stem)):
                candidates.append(CandidateSummary(f"{kind}/{file.stem}", kind, text, math.fsum(given) / len(given)))
            else:
                raise DataFormatError(file, None, "has no score in scores.tsv")
        document = folder / topic / "document.txt"
        article = _plain_text(document) if document.is_file() else ""
        topics.append(_topic(table, topic, "ja", tuple(references), tuple(candidates), article))
    if not topics:
        raise DataFormatError(table, None, "has no scores")
    signature = f"tsc@{_digest(folder, '**/*.t*')}|score:mean"
    return SummaryCollection("TSC", tuple(topics), "mean human score", signature, "tsc: from the given path")


def _plain_text(path: Path) -> str:
    """Japanese plain text in UTF-8 or EUC-JP, its lines joined without a space."""
    raw = path.read_bytes()
    for encoding in ("utf-8-sig", "euc_jp"):
        try:
            text = "".join(line.strip() for line in raw.decode(encoding).splitlines())
        except UnicodeDecodeError:
            continue
        if text:
            return text
        raise DataFormatError(path, None, "is empty")
    raise DataFormatError(path, None, "is neither UTF-8 nor EUC-JP")


_READERS: dict[str, Callable[..., SummaryCollection]] = {
    "realsumm": read_realsumm,
    "summeval": read_summeval,
    "topics": read_english_topics,
    "topics-ja": read_japanese_topics,
    "tsc": read_tsc,
}


def open_collection(name: str, path: str | Path | None = None, **options: Any) -> SummaryCollection:
    """Open a collection by name: ``realsumm``, ``summeval``, ``topics``, ``topics-ja`` or ``tsc`` (with a path).

    `options` go to its reader, such as ``ranked_by`` of `read_summeval`.

    Raises
    ------
    InputError
        There is no collection of that name, or ``tsc`` comes without a path.
    """
    if name not in _READERS:
        raise InputError(f"There is no collection {name!r}; there are {', '.join(_READERS)}.")
    if name == "tsc" and path is None:
        raise InputError("The collection tsc takes the path of a folder in the layout of read_tsc.")
    return _READERS[name](path, **options)
