"""Train and measure the word vectors that ship with the project (``data/models/vectors-en``), or others.

::

    python tools/word_vectors.py word2vec --window 2 --text english-1.txt.xz english-2.txt.xz
    python tools/word_vectors.py dependency --treebank en_ewt-ud-train.conllu.gz
    python tools/word_vectors.py proposition --treebank en_ewt-ud-train.conllu.gz
    python tools/word_vectors.py measure

Texts have one sentence a line; treebanks are CoNLL-U with Universal Dependencies, annotated or parsed. ``--out`` says
where the vectors go; ``measure`` writes ``scores.json`` and the table of the model card. On one thread the same input
gives the same vectors.
"""

from __future__ import annotations

import argparse
import functools
import json
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from command import status
from model_card import fill_table
from numpy.typing import NDArray
from word_contexts import dependency_contexts, proposition_contexts, train_pairs

from nbhelpers.base.errors import InputError, ResourceNotFoundError
from nbhelpers.base.files import open_text
from nbhelpers.language.tokens import is_word, tokenize
from nbhelpers.resources import data
from nbhelpers.resources.treebank import iterate_conllu
from nbhelpers.resources.vectors import WORD_PAIRS, load_vectors, read_shipped, save, shipped_folder, word_similarity

CONTEXTS = {"dependency": dependency_contexts, "proposition": proposition_contexts}


@functools.cache
def words_of(chunk: str) -> tuple[str, ...]:
    """Lower-cased tokens with a letter or a digit of what stands between two blanks."""
    return tuple(token.lower() for token in tokenize(chunk) if is_word(token))


def read_sentences(texts: Sequence[str | Path], vocabulary: int) -> tuple[list[list[str]], dict[str, int]]:
    """Sentences of texts of one sentence a line (plain or packed), and the counts of their words.

    The `vocabulary` most frequent words (of equals the first in the alphabet) stay, the others are left out of the
    sentences, as by word2vec's own program. The counts are those of all words, the most frequent first.

    Raises
    ------
    ResourceNotFoundError, DataFormatError, InputError
        No such file; a damaged file, with its line; a text without words.
    """
    sentences = []
    for path in texts:
        with open_text(path) as lines:
            sentences += [[word for chunk in line.split() for word in words_of(chunk)] for line in lines]
    seen = Counter(word for sentence in sentences for word in sentence)
    if not seen:
        raise InputError("the texts hold no word")
    counts = dict(sorted(seen.items(), key=lambda item: (-item[1], item[0])))
    kept = set(list(counts)[:vocabulary])
    return [[word for word in sentence if word in kept] for sentence in sentences], counts


def train_word2vec(sentences: list[list[str]], words: Sequence[str], **settings: Any) -> NDArray[np.float32]:
    """Skip-gram with negative sampling (Mikolov et al. 2013), trained by gensim: vectors of `words`, shape (V, d)."""
    from gensim.models import Word2Vec

    return Word2Vec(sentences, sg=1, hs=0, min_count=1, **settings).wv[list(words)]


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
        vectors, facts = load_vectors(name), read_shipped(name)[2] if name in files else {}
        row = {"name": Path(name).stem, "words": len(vectors), "dimension": vectors.dimension, "facts": facts}
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
        sizes = (row["words"], row["dimension"], row["facts"].get("tokens"), row["facts"].get("processor seconds"))
        cells = [row["name"], *("" if size is None else f"{size:,}" for size in sizes)]
        for one in (row[pairs] for pairs in WORD_PAIRS):
            cells += [f"{one['value']:.3f} [{one['low']:.3f}, {one['high']:.3f}]", str(one["n"])]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def train(options: argparse.Namespace) -> Path:
    """Train what the command says, and save it with the facts of the training."""
    begin = time.perf_counter()
    if options.command == "word2vec":
        inputs, name = options.text, f"word2vec-{options.window}"
        settings = {"window": options.window, "vector_size": options.dimension, "epochs": options.epochs}
        settings |= {"negative": 5, "sample": 1e-4, "workers": 1, "seed": 0}
        sentences, counts = read_sentences(inputs, options.vocabulary)
        words = list(counts)[: options.vocabulary]
        matrix = train_word2vec(sentences, words, **settings)
        numbers = [counts[word] for word in words]
        facts = {"tokens": sum(counts.values()), "tokens in vocabulary": sum(numbers)}
    else:
        inputs, name, settings = options.treebank, options.command, {"dimension": options.dimension}
        trees = [sentence for path in inputs for sentence in iterate_conllu(path)]
        pairs = [pair for tree in trees for pair in CONTEXTS[options.command](tree)]
        words, numbers, matrix = train_pairs(pairs, **settings)
        facts = {"sentences": len(trees), "tokens": sum(map(len, trees)), "pairs": len(pairs)}
    facts |= {
        "inputs": [f"{Path(path).name}@{data.sha256(path)[:8]}" for path in inputs],
        "settings": settings,
        "seconds": round(time.perf_counter() - begin),
        "processor seconds": round(time.process_time()),
    }
    return save(options.out or shipped_folder() / name, words, numbers, matrix, facts)


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line; see the module's text."""
    parser = argparse.ArgumentParser(prog="python tools/word_vectors.py", description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("word2vec", help="skip-gram vectors of running text, trained by gensim")
    command.add_argument("--text", nargs="+", required=True, help="texts of one sentence a line")
    command.add_argument("--window", type=int, default=5, help="words on each side at most (%(default)s)")
    command.add_argument("--dimension", type=int, default=100, help="(%(default)s)")
    command.add_argument("--epochs", type=int, default=3, help="(%(default)s)")
    command.add_argument("--vocabulary", type=int, default=28_000, help="how many words to keep (%(default)s)")
    command.add_argument("--out", help="where the vectors go, without ending")
    for name in CONTEXTS:
        command = commands.add_parser(name, help=f"vectors of {name} contexts in trees")
        command.add_argument("--treebank", nargs="+", required=True, help="CoNLL-U files, plain or .gz")
        command.add_argument("--dimension", type=int, default=50, help="(%(default)s)")
        command.add_argument("--out", help="where the vectors go, without ending")
    command = commands.add_parser("measure", help="score the vectors of a folder on rated word pairs")
    command.add_argument("--folder", type=Path, default=shipped_folder())
    command.add_argument("--others", nargs="*", default=[], help="names of other vectors for comparison")
    options = parser.parse_args(arguments)

    def run() -> None:
        if options.command == "measure":
            rows = measure(options.folder, options.others)
            (options.folder / "scores.json").write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
            fill_table(options.folder / "README.md", "scores", render(rows))
            print(render(rows))
        else:
            print(train(options))

    return status(run)


if __name__ == "__main__":
    raise SystemExit(main())
