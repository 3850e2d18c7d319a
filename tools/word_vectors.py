"""Train the word vectors that ship with the project, or others in the same way.

::

    python tools/word_vectors.py word2vec --window 2 --text english-1.txt.xz english-2.txt.xz
    python tools/word_vectors.py glove --text english-1.txt.xz english-2.txt.xz
    python tools/word_vectors.py dependency --treebank en_ewt-ud-train.conllu.gz
    python tools/word_vectors.py proposition --treebank en_ewt-ud-train.conllu.gz
    python tools/word_vectors.py measure

Texts have one sentence a line; treebanks are CoNLL-U with Universal Dependencies, annotated or parsed. ``--out`` says
where the vectors go (``data/models/vectors-en`` by default); ``measure`` writes ``scores.json`` and the tables of the
model card there. Training is seeded: on one thread the same input gives the same vectors.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import time
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from word_contexts import PairSettings, dependency_contexts, proposition_contexts, train_pairs

from nbhelpers.base.errors import InputError, NbhelpersError, ResourceNotFoundError
from nbhelpers.base.files import open_text
from nbhelpers.language.tokens import is_word, tokenize
from nbhelpers.resources import data
from nbhelpers.resources.treebank import iterate_conllu
from nbhelpers.resources.vectors import WORD_PAIRS, load_vectors, read_shipped, save, shipped_folder, word_similarity

if TYPE_CHECKING:
    from scipy import sparse

# ------------------------------------------------------------------------------------------------------- text


@dataclass(frozen=True, eq=False)
class Corpus:
    """A text as numbers: sentence i is ``ids[offsets[i]:offsets[i + 1]]``; iterating gives lists of words.

    Attributes
    ----------
    words : tuple of str
        Lower-cased, frequent ones first (ties in alphabetical order).
    counts : int64 array (V,)
    ids : int32 array (n,)
        Rows of the words; words outside the vocabulary are left out, as by word2vec's and GloVe's own programs.
    offsets : int64 array (sentences + 1,)
    tokens : int
        Tokens before words were left out.
    """

    words: tuple[str, ...]
    counts: NDArray[np.int64]
    ids: NDArray[np.int32]
    offsets: NDArray[np.int64]
    tokens: int

    def __iter__(self) -> Iterator[list[str]]:
        words = np.array(self.words, dtype=object)
        for start in range(0, len(self.offsets) - 1, 10_000):
            offsets = self.offsets[start : start + 10_001].tolist()
            block = words[self.ids[offsets[0] : offsets[-1]]].tolist()
            for begin, end in zip(offsets, offsets[1:]):
                yield block[begin - offsets[0] : end - offsets[0]]


def read_corpus(texts: Sequence[str | Path], vocabulary: int) -> Corpus:
    """Tokens of texts of one sentence a line (plain, ``.gz``, ``.xz`` or ``.bz2``), lower-cased, as numbers.

    Tokens are those of `nbhelpers.language.tokens.tokenize` that hold a letter or a digit; punctuation is left out.

    Parameters
    ----------
    texts : paths
    vocabulary : int
        How many words to keep, the most frequent ones.

    Raises
    ------
    ResourceNotFoundError, DataFormatError, InputError
        No such file; a damaged file, with its line; a text without words or a vocabulary of less than 1.
    """
    types: dict[str, int] = {}
    chunks: dict[str, array] = {}  # what stands between two blanks, as types: most of it returns
    flat, ends = array("i"), array("q", [0])
    for path in texts:
        with open_text(path) as lines:
            for line in lines:
                for chunk in line.split():
                    known = chunks.get(chunk)
                    if known is None:
                        lowered = (token.lower() for token in tokenize(chunk) if is_word(token))
                        known = array("i", [types.setdefault(token, len(types)) for token in lowered])
                        chunks[chunk] = known
                    flat += known
                ends.append(len(flat))
    if vocabulary < 1 or not flat:
        raise InputError(f"a vocabulary of {vocabulary} words from a text of {len(flat)} tokens")
    found, everything = np.frombuffer(flat, np.int32), list(types)
    counts = np.bincount(found, minlength=len(types))
    chosen = sorted(range(len(types)), key=lambda i: (-counts[i], everything[i]))[:vocabulary]
    rank = np.full(len(types), -1, dtype=np.int32)
    rank[chosen] = np.arange(len(chosen), dtype=np.int32)
    ids = rank[found]
    before = np.concatenate([[0], np.cumsum(ids >= 0)])
    words = tuple(everything[i] for i in chosen)
    return Corpus(words, counts[chosen], ids[ids >= 0], before[np.frombuffer(ends, np.int64)], len(found))


# --------------------------------------------------------------------------------------------------- word2vec


@dataclass(frozen=True)
class Word2vecSettings:
    """Skip-gram with negative sampling (Mikolov et al. 2013), trained by gensim.

    `window` words on each side at most; `negative` drawn words for each context; frequent words are passed over above
    the rate `sample`. Only ``workers=1`` gives the same vectors again.
    """

    window: int = 5
    dimension: int = 100
    negative: int = 5
    sample: float = 1e-4
    epochs: int = 3
    workers: int = 1
    seed: int = 0


def train_word2vec(corpus: Corpus, settings: Word2vecSettings) -> NDArray[np.float32]:
    """Vectors of the corpus's words, shape (V, d)."""
    from gensim.models import Word2Vec

    model = Word2Vec(
        corpus,
        sg=1,
        hs=0,
        min_count=1,
        vector_size=settings.dimension,
        window=settings.window,
        negative=settings.negative,
        sample=settings.sample,
        epochs=settings.epochs,
        workers=settings.workers,
        seed=settings.seed,
    )
    return model.wv[list(corpus.words)]


# ------------------------------------------------------------------------------------------------------ GloVe


@dataclass(frozen=True)
class GloveSettings:
    """GloVe (Pennington, Socher & Manning 2014, EMNLP), with the paper's `window` on both sides, `x_max` and `alpha`.

    `rate` is AdaGrad's, `blocks` the number of parts into which rows and columns are cut: every vector is updated so
    often in an epoch. The paper has 0.05 for updates by single entries, and 50 epochs for fewer than 300 dimensions.
    """

    dimension: int = 100
    window: int = 10
    x_max: float = 100.0
    alpha: float = 0.75
    rate: float = 0.2
    epochs: int = 25
    blocks: int = 32
    seed: int = 0


def cooccurrences(corpus: Corpus, window: int = 10, *, chunk: int = 2_000_000) -> sparse.csr_array:
    """Cooccurrence counts X, symmetric (V, V), float32: 1/distance for two words of a sentence within the window.

    As in section 4.2. About `chunk` words are counted at a time, as a sparse matrix, and added up.
    """
    from scipy import sparse

    size, total, begin = len(corpus.words), None, 0
    while begin < len(corpus.offsets) - 1:
        end = int(np.searchsorted(corpus.offsets, corpus.offsets[begin] + chunk, side="right")) - 1
        end = max(end, begin + 1)  # a sentence is never cut
        ids = corpus.ids[corpus.offsets[begin] : corpus.offsets[end]]
        sentence = np.repeat(np.arange(end - begin, dtype=np.int32), np.diff(corpus.offsets[begin : end + 1]))
        rows, columns, values = [], [], []
        for distance in range(1, min(window, max(len(ids) - 1, 0)) + 1):
            near = sentence[:-distance] == sentence[distance:]
            first, second = ids[:-distance][near], ids[distance:][near]
            rows.append(np.minimum(first, second))
            columns.append(np.maximum(first, second))
            values.append(np.full(len(first), 1 / distance, dtype=np.float32))
        if rows:
            entries = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
            part = sparse.csr_array(entries, shape=(size, size))  # repeated entries are added up
            total = part if total is None else total + part
        begin = end
    if total is None or not total.nnz:
        raise InputError("no two words of the vocabulary stand in one sentence")
    return (total + total.T).tocsr()


@dataclass(frozen=True, eq=False)
class Cell:
    """The non-zero entries of one block of X: f(x) in `weights` (rows × columns, CSR), log x in `logs`, alike ordered.

    `rows` and `columns` are the slices of X.
    """

    rows: slice
    columns: slice
    weights: sparse.csr_array
    logs: NDArray[np.float32]


def glove_cells(counts: sparse.csr_array, settings: GloveSettings) -> list[Cell]:
    """X cut into blocks, with f(x) = min(1, (x / x_max)^alpha) of equation 9; empty blocks are left out."""
    edges = np.unique(np.linspace(0, counts.shape[0], settings.blocks + 1).astype(int))
    parts = [slice(int(a), int(b)) for a, b in zip(edges, edges[1:])]
    cells = []
    for rows in parts:
        band = counts[rows]
        for columns in parts:
            cell = band[:, columns]
            if cell.nnz:
                logs = np.log(cell.data)
                cell.data = np.minimum(1, (cell.data / settings.x_max) ** settings.alpha).astype(np.float32)
                cells.append(Cell(rows, columns, cell, logs.astype(np.float32)))
    return cells


def glove_gradient(focus: NDArray, context: NDArray, cell: Cell) -> tuple[float, NDArray, NDArray]:
    """Loss of a block, ½ Σ f(x)(w·w̃ + b + b̃ − log x)² (equation 8), and its gradients for both sides.

    Parameters
    ----------
    focus : array (rows, d + 2)
        w, b, and a column of ones.
    context : array (columns, d + 2)
        w̃, a column of ones, and b̃, so that a product of two rows is the whole prediction.
    cell : Cell

    Returns
    -------
    loss : float
    gradient of focus, gradient of context : arrays
        The columns that belong to the ones are filled too; they are not to be used.
    """
    from scipy import sparse

    weights = cell.weights
    row = np.repeat(np.arange(weights.shape[0]), np.diff(weights.indptr))
    if weights.nnz > 0.02 * weights.shape[0] * weights.shape[1]:  # measured: from there all products are cheaper
        predicted = (focus @ context.T)[row, weights.indices]
    else:
        predicted = np.einsum("ij,ij->i", focus[row], context[weights.indices])
    difference = predicted - cell.logs
    residual = sparse.csr_array((weights.data * difference, weights.indices, weights.indptr), shape=weights.shape)
    return 0.5 * float(residual.data @ difference), residual @ context, residual.T @ focus


def train_glove(
    counts: sparse.csr_array,
    settings: GloveSettings,
    report: Callable[[int, float], None] = lambda epoch, loss: None,
) -> tuple[NDArray[np.float32], list[float]]:
    """Vectors w + w̃ (V, d), and the mean loss of an entry in each epoch.

    The objective is the original one, over all non-zero entries. Where the original program takes one entry at a time,
    on several threads that overwrite each other, here the gradients of a block of entries are added up before AdaGrad
    (Duchi et al. 2011) moves its vectors. Words are put into blocks at random, so that every block is a fair sample of
    the whole (blocks of words of like frequency pull to and fro); the blocks come in a new order in each epoch. The
    biases begin at the means of log x instead of at random: from there AdaGrad would take epochs to bring them there.

    Raises
    ------
    InputError
        Counts that are not square, or settings out of range.
    ArithmeticError
        The loss is no longer finite: the rate is too high.
    """
    size, d = counts.shape[0], settings.dimension
    if counts.shape != (size, size) or min(d, settings.blocks, settings.epochs, settings.rate, settings.x_max) <= 0:
        raise InputError(f"counts of shape {counts.shape} with {settings}")
    rng = np.random.default_rng(settings.seed)
    shuffled = rng.permutation(size)
    counts = counts[shuffled][:, shuffled].tocsr()
    focus, context = ((rng.random((size, d + 2), dtype=np.float32) - 0.5) / (d + 1) for _ in range(2))
    focus[:, d + 1] = context[:, d] = 1
    focus[:, d], context[:, d + 1] = _first_biases(counts, settings)
    rates = np.full((2, d + 2), settings.rate, dtype=np.float32)
    rates[0, d + 1] = rates[1, d] = 0
    squares = [np.ones_like(focus), np.ones_like(context)]
    cells, losses = glove_cells(counts, settings), []
    for epoch in range(settings.epochs):
        loss = 0.0
        for number in rng.permutation(len(cells)):
            cell = cells[number]
            one, *gradients = glove_gradient(focus[cell.rows], context[cell.columns], cell)
            loss += one
            sides = ((focus, cell.rows), (context, cell.columns))
            for (side, part), gradient, square, rate in zip(sides, gradients, squares, rates):
                square[part] += gradient**2
                side[part] -= rate * gradient / np.sqrt(square[part])
        losses.append(loss / counts.nnz)
        report(epoch + 1, losses[-1])
        if not np.isfinite(loss):
            raise ArithmeticError(f"the loss is {loss} in epoch {epoch + 1}: take a smaller rate")
    return (focus[:, :d] + context[:, :d])[np.argsort(shuffled)], losses


def _first_biases(counts, settings: GloveSettings) -> tuple[NDArray, NDArray]:
    """Biases that already explain the size of log x: weighted means of rows and of columns less half the whole."""
    weights, logs = counts.copy(), counts.copy()
    weights.data = np.minimum(1, (counts.data / settings.x_max) ** settings.alpha)
    logs.data = weights.data * np.log(counts.data)
    half = logs.sum() / weights.sum() / 2
    sums = ((logs.sum(axis=axis), weights.sum(axis=axis)) for axis in (1, 0))
    return tuple(np.divide(a, b, out=np.full_like(a, half), where=b > 0) - half for a, b in sums)


# ----------------------------------------------------------------------------------------------- command line


def measure(folder: str | Path, others: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Correlation of each file of vectors in a folder, and of `others` by name, with the ratings of word pairs.

    Returns
    -------
    list of dict
        ``name``, ``words``, ``dimension``, ``facts`` of the training (empty for others), and for each of `WORD_PAIRS`
        ``value``, ``low``, ``high``, ``n`` (pairs with two vectors) and ``pairs``.
    """
    files = sorted(Path(folder).glob("*.safetensors"))
    if not files:
        raise ResourceNotFoundError(f"no word vectors (.safetensors) in {folder}")
    rows = []
    for name in [*files, *others]:
        vectors = load_vectors(name)
        own = name in files
        row = {"name": Path(name).stem if own else name, "words": len(vectors), "dimension": vectors.dimension}
        row["facts"] = read_shipped(name)[2] if own else {}
        for pairs in WORD_PAIRS:
            one, total = word_similarity(vectors, pairs)
            row[pairs] = {"value": one.value, "low": one.low, "high": one.high, "n": one.n, "pairs": total}
        rows.append(row)
    return rows


def render(rows: Sequence[dict[str, Any]]) -> str:
    """The measures as a Markdown table, with the tokens and the processor seconds of the training."""
    heads = "vectors, words, d, tokens, seconds, WordSim-353, n of 353, SimLex-999, n of 999".split(", ")
    lines = [f"| {' | '.join(heads)} |", f"|---|{'---:|' * 8}"]
    for row in rows:
        trained = [row["facts"].get(key) for key in ("tokens", "processor seconds")]
        cells = [row["name"], *("" if n is None else f"{n:,}" for n in (row["words"], row["dimension"], *trained))]
        for one in (row[pairs] for pairs in WORD_PAIRS):
            cells += [f"{one['value']:.3f} [{one['low']:.3f}, {one['high']:.3f}]", str(one["n"])]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def write_measures(folder: str | Path, rows: Sequence[dict[str, Any]]) -> None:
    """Write ``scores.json``, and the table into the model card, where the folder has one."""
    folder = Path(folder)
    (folder / "scores.json").write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    card = folder / "README.md"
    if card.is_file():
        before, start, rest = card.read_text(encoding="utf-8").partition("<!-- scores -->\n")
        _, end, after = rest.partition("<!-- end of scores -->")
        if start and end:
            card.write_text(f"{before}{start}{render(rows)}\n{end}{after}", encoding="utf-8")


def _train(options: argparse.Namespace) -> Path:
    """Train what the command says, and save it."""
    begin = time.perf_counter()
    if options.command in ("word2vec", "glove"):
        inputs = options.text
        corpus = read_corpus(options.text, options.vocabulary)
        words, counts = corpus.words, corpus.counts
        facts = {"tokens": corpus.tokens, "tokens in vocabulary": len(corpus.ids)}
        if options.command == "word2vec":
            settings = _settings(Word2vecSettings, options)
            matrix = train_word2vec(corpus, settings)
        else:
            settings = _settings(GloveSettings, options)
            matrix, losses = train_glove(
                cooccurrences(corpus, settings.window),
                settings,
                lambda epoch, loss: print(f"epoch {epoch}: loss {loss:.5f}", flush=True),
            )
            facts["loss"] = round(losses[-1], 6)
    else:
        inputs = options.treebank
        contexts = dependency_contexts if options.command == "dependency" else proposition_contexts
        sentences = [sentence for path in inputs for sentence in iterate_conllu(path)]
        pairs = [pair for sentence in sentences for pair in contexts(sentence)]
        settings = _settings(PairSettings, options)
        words, counts, matrix = train_pairs(pairs, settings)
        facts = {"sentences": len(sentences), "tokens": sum(map(len, sentences)), "pairs": len(pairs)}
    facts |= {
        "inputs": [f"{Path(path).name}@{data.sha256(path)[:8]}" for path in inputs],
        "settings": asdict(settings),
        "seconds": round(time.perf_counter() - begin),
        "processor seconds": round(time.process_time()),
        "peak memory in MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }
    default = f"word2vec-{settings.window}" if options.command == "word2vec" else options.command
    return save(options.out or shipped_folder() / default, words, counts, matrix, facts)


def _settings(kind: type, options: argparse.Namespace) -> Any:
    return kind(**{field.name: getattr(options, field.name) for field in fields(kind)})


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line; see the module's text."""
    parser = argparse.ArgumentParser(prog="python tools/word_vectors.py", description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    pairs = {"dependency": PairSettings, "proposition": PairSettings}
    for name, kind in ({"word2vec": Word2vecSettings, "glove": GloveSettings} | pairs).items():
        command = commands.add_parser(name, help=kind.__doc__.split("\n")[0].split(" (")[0])
        if kind is PairSettings:
            command.add_argument("--treebank", nargs="+", required=True, help="CoNLL-U files, plain or .gz")
        else:
            command.add_argument("--text", nargs="+", required=True, help="texts of one sentence a line")
            command.add_argument("--vocabulary", type=int, default=28_000, help="how many words to keep")
        for field in fields(kind):
            option = f"--{field.name.replace('_', '-')}"
            command.add_argument(option, type=type(field.default), default=field.default, help=f"({field.default})")
        command.add_argument("--out", help="where the vectors go, without ending")
    measuring = commands.add_parser("measure", help="score the vectors of a folder on rated word pairs")
    measuring.add_argument("--folder", default=str(shipped_folder()))
    measuring.add_argument("--others", nargs="*", default=[], help="names of other vectors for comparison")
    options = parser.parse_args(arguments)
    try:
        if options.command == "measure":
            rows = measure(options.folder, options.others)
            write_measures(options.folder, rows)
            print(render(rows))
        else:
            print(_train(options))
    except (NbhelpersError, ArithmeticError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
