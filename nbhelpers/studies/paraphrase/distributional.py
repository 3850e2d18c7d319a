"""The DS resource: expressions that occur with the same words (section 4.2, "distributional similarity").

Nouns, noun phrases and verbs become vectors of how often they occur with verbs or nouns (`cooccurrence`), weighted as
in the SMART system (Salton 1971), and each has its 20 nearest neighbours as paraphrases. The paper names SMART's
measure without its weights; here they are a triple of letters as Salton & Buckley (1988) write them, by default
``ltc``: 1 + ln(frequency), times ln(expressions / expressions with that context), divided by the vector's length, so
that the product of two vectors is their cosine.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from nbhelpers.base import paths
from nbhelpers.base.errors import DataFormatError, InputError, ResourceNotFoundError
from nbhelpers.base.files import open_text
from nbhelpers.resources import data
from nbhelpers.resources.treebank import iterate_conllu
from nbhelpers.studies.paraphrase.cooccurrence import KINDS, Counts, add_window_pairs, dependency_pairs, read_words
from nbhelpers.studies.paraphrase.expressions import LANGUAGES, Expression, ParaphraseTable
from nbhelpers.studies.paraphrase.parallel import analyser_signature
from nbhelpers.studies.paraphrase.sparse_pairs import best
from nbhelpers.studies.paraphrase.table_files import TableResource, cached

if TYPE_CHECKING:
    from scipy.sparse import csr_array

NAME = "DS"
VALUES_AT_ONCE = 8_000_000
"""So many similarities are held together."""

WEIGHTS = (
    {"n": "frequency", "l": "1 + ln(frequency)", "b": "1"},
    {"n": "1", "t": "ln(N / n)"},
    {"n": "1", "c": "length"},
)
"""SMART's letters that are offered: weight within a vector, across vectors, and what it is divided by."""


@dataclass(frozen=True)
class DistributionalSettings:
    """How neighbours are found.

    Attributes
    ----------
    weighting : str
        Three letters of `WEIGHTS`.
    neighbours : int
        So many paraphrases of each expression, the nearest first (20 in the paper).
    minimum_frequency : int
        Expressions that occur less often are passed over (in trees: less often with a verb or noun).
    minimum_contexts : int
        Expressions with fewer different contexts are passed over: two that share their only context have a cosine of 1.
    minimum_similarity : float
        Only neighbours that are nearer than this.
    window : int
        Words to either side, where there is no dependency tree.
    noun_phrases : bool
        Whether noun phrases are compared, too.
    longest_phrase : int
        Words of a noun phrase.
    """

    weighting: str = "ltc"
    neighbours: int = 20
    minimum_frequency: int = 5
    minimum_contexts: int = 5
    minimum_similarity: float = 0.0
    window: int = 5
    noun_phrases: bool = True
    longest_phrase: int = 4

    def __post_init__(self) -> None:
        if len(self.weighting) != 3 or any(letter not in known for letter, known in zip(self.weighting, WEIGHTS)):
            choices = " and one of ".join("".join(known) for known in WEIGHTS)
            raise InputError(f"The weighting is three letters, one of {choices}; it is {self.weighting!r}.")
        counts = (self.neighbours, self.minimum_frequency, self.minimum_contexts, self.window, self.longest_phrase)
        if min(counts) < 1:
            raise InputError(f"Counts of the settings are at least 1: {self}.")
        if not 0 <= self.minimum_similarity < np.inf:
            raise InputError(f"The least similarity is a number from 0; it is {self.minimum_similarity}.")

    @property
    def signature(self) -> str:
        """All settings in one line."""
        return "ds(" + ",".join(f"{item.name}:{getattr(self, item.name)}" for item in fields(self)) + ")"


# ---------------------------------------------------------------------------------------------- vectors, neighbours


def smart_weights(counts: csr_array, weighting: str = "ltc") -> csr_array:
    """Counts weighted as in the SMART system.

    Parameters
    ----------
    counts : scipy.sparse.csr_array, shape (expressions, contexts)
        Frequencies above 0.
    weighting : str
        Three letters of `WEIGHTS`.

    Returns
    -------
    scipy.sparse.csr_array of float64, same shape
        Entries of weight 0 (a context that all expressions have, under "t") are not stored.
    """
    from scipy.sparse import csr_array, diags_array

    within, across, length = weighting
    values = counts.data.astype(float)
    values = {"n": values, "l": 1 + np.log(values), "b": np.ones_like(values)}[within]
    weighted = csr_array((values, counts.indices, counts.indptr), shape=counts.shape)
    if across == "t":
        having = np.bincount(counts.indices, minlength=counts.shape[1])
        weighted = weighted @ diags_array(np.log(counts.shape[0] / np.maximum(having, 1)))
    weighted = csr_array(weighted)
    weighted.eliminate_zeros()
    if length == "c":
        norms = np.sqrt(weighted.multiply(weighted).sum(axis=1))
        weighted = csr_array(diags_array(1 / np.where(norms > 0, norms, 1.0)) @ weighted)
    return weighted


def neighbours(
    expressions: Sequence[Expression],
    counts: csr_array,
    settings: DistributionalSettings = DistributionalSettings(),
    *,
    with_phrase: bool = False,
) -> dict[Expression, dict[Expression, float]]:
    """The nearest neighbours of each expression, nearest first; ties in alphabetical order.

    Parameters
    ----------
    expressions : sequence of Expression
        In alphabetical order.
    counts : scipy.sparse.csr_array, shape (expressions, contexts)
    with_phrase : bool
        Only pairs in which one side has more than one word.

    Returns
    -------
    dict of Expression to dict of Expression to float
        Similarities; with weights ending in "c" cosines between 0 and 1.
    """
    if len(expressions) < 2:
        return {}
    vectors = smart_weights(counts, settings.weighting)
    transposed = vectors.T.tocsr()
    is_phrase = np.array([len(expression) > 1 for expression in expressions])
    size = len(expressions)
    step = max(1, VALUES_AT_ONCE // size)
    found: dict[Expression, dict[Expression, float]] = {}
    for start in range(0, size, step):
        # Sums of the same products in another order differ in the last digits, which must not decide a tie.
        values = np.round((vectors[start : start + step] @ transposed).toarray(), 12)
        own = np.arange(len(values))
        values[own, start + own] = 0.0
        if with_phrase:
            values *= is_phrase[start : start + step, None] | is_phrase
        least = np.zeros(len(values))
        if size > settings.neighbours:
            least = np.partition(values, size - settings.neighbours, axis=1)[:, size - settings.neighbours]
        rows, columns = np.nonzero((values >= least[:, None]) & (values > settings.minimum_similarity))
        scores = values[rows, columns]
        for place in best(rows, columns, scores, settings.neighbours).tolist():
            targets = found.setdefault(expressions[start + rows[place]], {})
            targets[expressions[columns[place]]] = float(scores[place])
    return found


# --------------------------------------------------------------------------------------------------- the resource


@dataclass(frozen=True)
class Sources:
    """Texts to learn from.

    Attributes
    ----------
    parsed : tuple of Path
        CoNLL-U files.
    texts : tuple of str
        Plain texts, for which a window takes the place of a tree.
    description : str
        One line for a notebook; it holds no folder of this machine.
    """

    parsed: tuple[Path, ...] = ()
    texts: tuple[str, ...] = ()
    description: str = ""


def default_sources(language: str = "en") -> Sources:
    """What is at hand: for English the Web Treebank (else the small treebank that ships) and the Lee news articles, for
    Japanese the GSD treebank and Wikinews.

    Raises
    ------
    ResourceNotFoundError
        Nothing is at hand (Japanese).
    """
    if language not in LANGUAGES:
        raise InputError(f"The language is one of {', '.join(LANGUAGES)}, not {language!r}.")
    names = {
        "en": (("ud-english-ewt-train",), "lee-background"),
        "ja": (("ud-japanese-gsd-dev", "ud-japanese-gsd-test"), "japanese-wikinews"),
    }[language]
    parsed, texts, lines = [], (), []
    for name in names[0]:
        if (located := _at_hand(name)) is not None:
            parsed.append(located.path)
            lines.append(located.description)
    if language == "en" and not parsed:
        parsed.append(paths.data_dir() / "corpus" / "treebank-en.conllu")
        lines.append("treebank-en.conllu, the small original treebank")
    if (located := _at_hand(names[1])) is not None:
        texts = _read_texts(located)
        lines.append(f"{located.description}, {len(texts):,} articles")
    if not parsed and not texts:
        raise ResourceNotFoundError(
            "No Japanese text to learn from is at hand: put ud-japanese-gsd-dev or japanese-wikinews into a folder "
            "named in NBHELPERS_DATA, or give distributional_resource texts of your own."
        )
    return Sources(tuple(parsed), texts, "; ".join(lines))


def _at_hand(name: str) -> data.Located | None:
    try:
        return data.find(name, allow_shipped=False)
    except ResourceNotFoundError:
        return None


def _read_texts(located: data.Located) -> tuple[str, ...]:
    with open_text(located.path) as reader:
        if located.name != "japanese-wikinews":
            return tuple(line.strip() for line in reader if line.strip())
        lines = iter(reader)
        names = next(lines, "").rstrip("\n").split("\t")
        if "article" not in names:
            raise DataFormatError(located.path, 1, "has no column 'article'")
        texts = []
        for line in lines:
            columns = line.rstrip("\n").split("\t")
            if len(columns) != len(names):
                raise DataFormatError(located.path, reader.line, f"has {len(columns)} columns, not {len(names)}")
            texts.append(columns[names.index("article")].replace(" ", ""))
        return tuple(texts)


def distributional_resource(
    language: str = "en",
    parsed: Sequence[str | Path] | None = None,
    texts: Sequence[str] | None = None,
    *,
    settings: DistributionalSettings = DistributionalSettings(),
    folder: str | Path | None = None,
) -> TableResource:
    """Paraphrases by distributional similarity.

    Parameters
    ----------
    language : {"en", "ja"}
    parsed : sequence of paths, optional
        CoNLL-U files with dependency trees in Universal Dependencies.
    texts : sequence of str, optional
        Plain texts. With neither, `default_sources`.
    settings : DistributionalSettings
    folder : path, optional
        Where the table is kept: the next call with the same sources and settings reads it.

    Returns
    -------
    TableResource
        Nouns with nouns, noun phrases with noun phrases (one side at least of several words), verbs with verbs.

    Raises
    ------
    InputError
        The language is unknown, a text is no string, or texts are one string.
    ResourceNotFoundError
        A file is not there, or nothing is at hand by default.
    DataFormatError
        A treebank does not follow its format.
    """
    if language not in LANGUAGES:
        raise InputError(f"The language is one of {', '.join(LANGUAGES)}, not {language!r}.")
    if parsed is None and texts is None:
        sources = default_sources(language)
        parsed, texts = sources.parsed, sources.texts
    parsed, texts = [Path(path) for path in parsed or ()], texts or ()
    if isinstance(texts, str) or not all(isinstance(text, str) for text in texts):
        raise InputError("texts is a sequence of strings.")
    marks = []
    for path in parsed:
        if not path.is_file():
            raise ResourceNotFoundError(f"There is no treebank {path}.")
        marks.append(f"{path.name.removesuffix('.gz')}@{data.sha256(path)[:8]}")
    if texts:
        digest = hashlib.sha256("\0".join(texts).encode("utf-8", "surrogatepass")).hexdigest()
        marks.append(f"texts:{len(texts)}@{digest[:8]}")
    if not marks:
        raise InputError("There is neither a treebank nor a text to learn from.")
    signature = f"ds|{language}:{analyser_signature(language)}|{'+'.join(marks)}|{settings.signature}"

    def build() -> TableResource:
        counts = {kind: Counts() for kind in KINDS if settings.noun_phrases or kind != "phrase"}
        trees = 0
        for path in parsed:
            for sentence in iterate_conllu(path):
                trees += 1
                for kind, expression, context in dependency_pairs(
                    sentence, language, longest_phrase=settings.longest_phrase
                ):
                    if kind in counts:
                        counts[kind].add(expression, context)
        report = [("sentences with a tree", trees)]
        if texts:
            read, words = add_window_pairs(
                read_words(texts, language), counts, window=settings.window, longest_phrase=settings.longest_phrase
            )
            report += [("sentences without a tree", read), ("words without a tree", words)]
        pairs: dict[Expression, dict[Expression, float]] = {}
        for kind, table in counts.items():
            expressions, matrix = table.matrix(settings.minimum_frequency, settings.minimum_contexts)
            found = neighbours(expressions, matrix, settings, with_phrase=kind == "phrase")
            for expression, nearest in found.items():
                known = pairs.setdefault(expression, {})
                for other, similarity in nearest.items():
                    known[other] = max(similarity, known.get(other, similarity))
            plural = "noun phrases" if kind == "phrase" else f"{kind}s"
            report += [
                (plural, len(table.expressions)),
                (f"{plural} that occur often enough", len(expressions)),
                (f"{plural} with neighbours", len(found)),
                (f"pairs of {plural}", sum(map(len, found.values()))),
            ]
        return TableResource(ParaphraseTable(NAME, language, pairs, signature), tuple(report))

    return cached(build, signature, folder)
