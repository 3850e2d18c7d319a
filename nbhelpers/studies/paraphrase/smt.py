"""The SMT resource: paraphrases by pivoting through parallel text, and ready-made ones from PPDB files.

`smt_resource` takes the parallel corpora at hand; `pivot_resource` any parallel text; `read_ppdb` a file of the
Paraphrase Database (Ganitkevitch, Van Durme & Callison-Burch 2013), which was made in the same way from 100 million
sentence pairs. What the paper regrets, that x → y often holds without y → x, is measured by `asymmetry`, and
`symmetric` keeps what holds both ways.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from nbhelpers.base import paths
from nbhelpers.base.errors import DataFormatError, InputError, ResourceNotFoundError
from nbhelpers.base.files import open_text
from nbhelpers.base.stats import Estimate, proportion
from nbhelpers.resources.data import find
from nbhelpers.studies.paraphrase.alignment import AlignmentSettings
from nbhelpers.studies.paraphrase.expressions import LANGUAGES, Expression, ParaphraseTable
from nbhelpers.studies.paraphrase.parallel import Analyser, ParallelText, analyser, analyser_signature, open_parallel
from nbhelpers.studies.paraphrase.pivot import PivotSettings, pivot, translations
from nbhelpers.studies.paraphrase.table_files import TableResource, cached, load_table, merge
from nbhelpers.studies.paraphrase.tokens import tokenize

NAME = "SMT"

CORPORA = {
    "en": (("small-parallel-enja", "ja"), ("multi30k", "de"), ("multi30k", "fr")),
    "ja": (("small-parallel-enja", "en"),),
}
"""Registered corpora that `smt_resource` takes for each language, with the language to pivot through."""


def pivot_resource(
    text: ParallelText,
    language: str = "en",
    *,
    settings: PivotSettings = PivotSettings(),
    alignment: AlignmentSettings = AlignmentSettings(),
    analyse: Analyser | None = None,
    analyse_pivot: Analyser | None = None,
    folder: str | Path | None = None,
) -> TableResource:
    """Paraphrases by pivoting through the other language of a parallel text (section 4.2).

    Parameters
    ----------
    text : ParallelText
    language : {"en", "ja"}
        Language of the paraphrases, one of the text's two.
    settings : PivotSettings
        Lengths and filters.
    alignment : AlignmentSettings
    analyse, analyse_pivot : callable, optional
        Cut and tag the lines of the two languages; by default `nbhelpers.studies.paraphrase.parallel.analyser`. The
        signature names them by module and name.
    folder : path, optional
        Where the table is kept: the next call with the same text and settings reads it.

    Returns
    -------
    TableResource
        With the counts before and after each filter as its report.

    Raises
    ------
    InputError
        The text is not in the language, or parts of speech are to be compared that are not there.
    """
    if language not in LANGUAGES:
        raise InputError(f"The language of paraphrases is one of {', '.join(LANGUAGES)}, not {language!r}.")
    other = text.other(language)
    names = [
        f"{function.__module__}.{function.__qualname__}" if function else analyser_signature(spoken)
        for function, spoken in ((analyse, language), (analyse_pivot, other))
    ]
    signature = (
        f"smt|{text.signature}|{language}:{names[0]}|{other}:{names[1]}|{alignment.signature}|{settings.signature}"
    )

    def build() -> TableResource:
        side = (analyse or analyser(language))(text.side(language))
        pivot_side = (analyse_pivot or analyser(other))(text.side(other))
        pairs, report = pivot(translations(side, pivot_side, settings, alignment), settings)
        return TableResource(ParaphraseTable(NAME, language, pairs, signature), report)

    return cached(build, signature, folder)


def smt_resource(
    language: str = "en",
    corpora: Sequence[tuple[str, str]] | None = None,
    *,
    settings: PivotSettings = PivotSettings(),
    alignment: AlignmentSettings = AlignmentSettings(),
    folder: str | Path | None = None,
    limit: int | None = None,
) -> TableResource:
    """Paraphrases from the registered parallel corpora at hand, else from the small table that ships, if one does.

    Parameters
    ----------
    language : {"en", "ja"}
    corpora : sequence of (str, str), optional
        Names of corpora and languages to pivot through; each must be at hand. By default those of `CORPORA` that are.
        Several give one table, each pair with its highest probability.
    settings, alignment, folder
        As for `pivot_resource`.
    limit : int, optional
        Take so many sentence pairs of each corpus.

    Raises
    ------
    ResourceNotFoundError
        No parallel text is at hand, and no table ships.
    """
    if language not in LANGUAGES:
        raise InputError(f"The language of paraphrases is one of {', '.join(LANGUAGES)}, not {language!r}.")
    texts = []
    for name, other in corpora if corpora is not None else CORPORA[language]:
        try:
            texts.append(open_parallel(name, language, other, limit=limit))
        except ResourceNotFoundError:
            if corpora is not None:
                raise
    if not texts:
        shipped = paths.data_dir() / "corpus" / "paraphrase-pairs" / f"smt-{language}.tsv.gz"
        if corpora is None and shipped.is_file():
            return load_table(shipped)
        names = " or ".join(dict.fromkeys(name for name, _ in CORPORA[language]))
        raise ResourceNotFoundError(
            f"No parallel text is at hand to make paraphrases in {language!r} from: put {names} into a folder "
            f"named in NBHELPERS_DATA, or give pivot_resource a parallel text of your own."
        )
    made = [pivot_resource(text, language, settings=settings, alignment=alignment, folder=folder) for text in texts]
    if len(made) == 1:
        return made[0]
    report = [(f"{text.description}: {step}", n) for text, one in zip(texts, made) for step, n in one.report]
    whole = merge([one.whole for one in made])
    return TableResource(whole, (*report, ("paraphrase pairs of all corpora", len(whole))))


# ------------------------------------------------------------------------------------------------------------ PPDB

_words = lru_cache(maxsize=1 << 18)(tokenize)


def read_ppdb(
    path: str | Path | None = None, *, minimum_score: float = 0.0, both_directions: bool | None = None
) -> TableResource:
    """English paraphrases from a file of the Paraphrase Database.

    Two formats are told by their first line. The official one of release 1.0 is
    ``LHS ||| PHRASE ||| PARAPHRASE ||| FEATURES ||| ALIGNMENT`` (release 2.0 adds a column); the score of a pair is
    p(paraphrase | phrase) from its features ``p(e|f)`` or ``-logp(e2|e1)``, negative natural logarithms, or 1 where the
    line has neither; of several lines for a pair the highest counts. The other has two or three columns separated by
    tabs: two expressions and perhaps a score, else 1.

    Words are those of the matcher: hyphenated words are split and punctuation is dropped. Lines with nonterminals
    (``[NP,1]``), with no word on a side, or with the same words on both sides are left out and counted in the report.

    Parameters
    ----------
    path : path, optional
        The file, plain or packed; by default the registered ``ppdb-lexical``, wherever it is at hand.
    minimum_score : float
        Leave out pairs with a lower score.
    both_directions : bool, optional
        Whether a line also says that the second expression can be paraphrased by the first. By default only where the
        file has columns separated by tabs: those list unordered pairs.

    Raises
    ------
    ResourceNotFoundError
        There is no such file.
    DataFormatError
        A line does not follow the format, an expression is empty, or a score is no number; with file and line. Also
        for an empty file.
    """
    located = find("ppdb-lexical", path) if path is None else None
    path = located.path if located else Path(path)
    pairs: dict[Expression, dict[Expression, float]] = {}
    digest, official = hashlib.sha256(), False
    lines = patterns = empty = same = low = 0
    with open_text(path) as reader:
        for line in reader:
            digest.update(line.encode())
            if not lines:
                official = "|||" in line
            lines += 1
            left, right, score = (_official if official else _columns)(path, reader.line, line.rstrip("\n"))
            if _is_pattern(left) or _is_pattern(right):
                patterns += 1
                continue
            x, y = _words(left, "en"), _words(right, "en")
            if not x or not y:
                empty += 1
            elif x == y:
                same += 1
            elif score < minimum_score:
                low += 1
            else:
                targets = pairs.setdefault(x, {})
                targets[y] = max(score, targets.get(y, score))
                if not official if both_directions is None else both_directions:
                    targets = pairs.setdefault(y, {})
                    targets[x] = max(score, targets.get(x, score))
    if not lines:
        raise DataFormatError(path, 1, "the file is empty")
    name = located.name if located else "ppdb"
    both = not official if both_directions is None else both_directions
    signature = f"smt|{name}@{digest.hexdigest()[:8]}|minimum_score:{minimum_score:g}|both_directions:{both}"
    table = ParaphraseTable(NAME, "en", pairs, signature)
    report = (
        ("lines", lines),
        ("patterns with nonterminals, left out", patterns),
        ("lines without a word on a side, left out", empty),
        ("lines with the same words on both sides, left out", same),
        ("lines with a low score, left out", low),
        ("paraphrase pairs", len(table)),
    )
    return TableResource(table, report)


def _is_pattern(phrase: str) -> bool:
    return "[" in phrase and any(part[0] == "[" and part[-1] == "]" and "," in part for part in phrase.split())


def _official(path: Path, number: int, line: str) -> tuple[str, str, float]:
    columns = [column.strip() for column in line.split("|||")]
    if len(columns) not in (5, 6):
        reason = f"has {len(columns)} columns; PPDB has LHS ||| PHRASE ||| PARAPHRASE ||| FEATURES ||| ALIGNMENT"
        raise DataFormatError(path, number, reason)
    _, left, right, features, *_ = columns
    if not left or not right:
        raise DataFormatError(path, number, "the phrase or its paraphrase is empty")
    for feature in features.split():
        name, equals, value = feature.rpartition("=")
        if not equals:
            raise DataFormatError(path, number, f"the feature {feature!r} has no value")
        if name in ("p(e|f)", "-logp(e2|e1)"):
            # Rounding makes some of these logarithms slightly negative.
            return left, right, min(1.0, math.exp(-_number(path, number, value)))
    return left, right, 1.0


def _columns(path: Path, number: int, line: str) -> tuple[str, str, float]:
    columns = line.split("\t")
    if len(columns) not in (2, 3):
        reason = f"has {len(columns)} columns separated by tabs, and not two expressions and perhaps a score"
        raise DataFormatError(path, number, reason)
    if not columns[0] or not columns[1]:
        raise DataFormatError(path, number, "an expression is empty")
    return columns[0], columns[1], _number(path, number, columns[2]) if len(columns) == 3 else 1.0


def _number(path: Path, line: int, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise DataFormatError(path, line, f"the score {text!r} is no number")
    return value


# -------------------------------------------------------------------------------------------------------- asymmetry


@dataclass(frozen=True)
class Asymmetry:
    """How often a paraphrase holds one way only (section 5.3, "Effectiveness of SMT").

    Attributes
    ----------
    pairs, one_way : int
        Directed pairs x → y of the table, and those without y → x.
    share : Estimate
        One-way pairs among all, with Wilson's 95 % interval.
    """

    pairs: int
    one_way: int
    share: Estimate


def _directed(table: ParaphraseTable) -> Iterator[tuple[Expression, Expression, float, bool]]:
    for x, targets in table.pairs.items():
        for y, score in targets.items():
            yield x, y, score, x in table.pairs.get(y, ())


def asymmetry(table: ParaphraseTable) -> Asymmetry:
    """Share of the pairs x → y for which the table lacks y → x.

    Pivoting by itself is mutual: a translation that x and y share makes both probabilities positive. A pair is one-way
    where one of them falls below the least probability or behind the most that are kept.

    Raises
    ------
    InputError
        The table is empty.
    """
    one_way = [not mutual for *_, mutual in _directed(table)]
    if not one_way:
        raise InputError(f"The table {table.name} has no pairs whose direction could be told.")
    return Asymmetry(len(one_way), sum(one_way), proportion(one_way))


def symmetric(table: ParaphraseTable) -> ParaphraseTable:
    """The pairs of a table that hold both ways, with their scores."""
    pairs: dict[Expression, dict[Expression, float]] = {}
    for x, y, score, mutual in _directed(table):
        if mutual:
            pairs.setdefault(x, {})[y] = score
    return ParaphraseTable(table.name, table.language, pairs, f"{table.signature}|symmetric")
