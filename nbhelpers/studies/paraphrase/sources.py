"""The four resources of section 4.2, from what ships with the project or from real data where it is found."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nbhelpers.base import paths
from nbhelpers.studies.paraphrase.distributional import distributional_table
from nbhelpers.studies.paraphrase.parallel import CORPORA, ParallelText, open_parallel, parallel_text
from nbhelpers.studies.paraphrase.smt import PivotSettings, pivot_table
from nbhelpers.studies.paraphrase.tables import ParaphraseTable, merge, restrict
from nbhelpers.studies.paraphrase.tokens import tokenize
from nbhelpers.studies.paraphrase.variants import load_variants
from nbhelpers.studies.paraphrase.wordnet import load_wordnet

if TYPE_CHECKING:
    import pandas


def shipped_sentences() -> ParallelText:
    """The English and Japanese sentence pairs that ship with the project.

    Examples
    --------
    >>> len(shipped_sentences())
    1418
    """
    import pandas

    lines = pandas.read_csv(paths.data_dir() / "corpus" / "parallel-en-ja.tsv", sep="\t", quoting=3)
    return parallel_text(lines.english.tolist(), lines.japanese.tolist(), ("en", "ja"), name="parallel-en-ja")


def marked_paraphrases() -> list[tuple[str, str, str]]:
    """The paraphrases of the Japanese editorials that ship: two expressions and the category their author gave them.

    Examples
    --------
    >>> len(marked_paraphrases())
    115
    """
    files = sorted((paths.data_dir() / "corpus" / "topics-ja").glob("*.json"))
    pairs = [pair for file in files for pair in json.loads(file.read_text(encoding="utf-8"))["paraphrases"]]
    return [(pair["article_or_reference"], pair["candidate"], pair["category"]) for pair in pairs]


def words_in(texts: Iterable[str], language: str) -> frozenset[str]:
    """Every word of some texts.

    Examples
    --------
    >>> sorted(words_in(["A car.", "The car"], "en"))
    ['a', 'car', 'the']
    """
    return frozenset(word for text in texts for word in tokenize(text, language))


def describe(
    made: Mapping[str, Mapping[str, ParaphraseTable]], shown: Collection[str], examples: int = 4, seed: int = 0
) -> tuple[pandas.DataFrame, list[dict[str, Any]]]:
    """Sizes of all tables with some pairs of the words `shown`, and the sizes as rows for the ledger."""
    import pandas

    lines, rows = [], []
    for language, tables in made.items():
        gap = " " if language == "en" else ""
        for letter, table in tables.items():
            known = [(x, y) for x, targets in restrict(table, shown).pairs.items() for y in targets]
            drawn = sorted(np.random.default_rng(seed).permutation(len(known))[:examples])
            some = ", ".join(f"{gap.join(x)} → {gap.join(y)}" for x, y in (known[place] for place in drawn))
            phrases = sum(max(len(x), len(y)) > 1 for x, targets in table.pairs.items() for y in targets)
            name = f"{table.name} ({letter})"
            lines.append((language, name, len(table), phrases, some))
            row = {"row": f"{language} {table.name}", "column": "pairs", "value": len(table)}
            rows.append({**row, "signature": table.signature, "note": "directed; all words occur in the texts"})
    columns = ["language", "resource", "pairs", "with a phrase", "for example"]
    return pandas.DataFrame(lines, columns=columns), rows


def lexicons(language: str, words: Collection[str], dictionaries: str = "shipped") -> list[ParaphraseTable]:
    """The two tables that people made, W and N, for a few words.

    Examples
    --------
    >>> [table.name for table in lexicons("en", {"port", "harbour"})]
    ['WordNet', 'Variants']
    """
    wordnet = load_wordnet(language, dictionaries, parts_of_speech="nvarx")
    return [wordnet.table(words), load_variants(language, dictionaries).table(words)]


def four_tables(
    language: str,
    words: Collection[str],
    *,
    dictionaries: str = "shipped",
    parts_of_speech: str = "nvarx",
    parallel: Sequence[str] = ("shipped",),
    least_count: int = 1,
    parsed: str = "shipped",
) -> dict[str, ParaphraseTable]:
    """Tables S, D, W and N of a language, restricted to pairs whose words all occur in the texts.

    Parameters
    ----------
    language : {"en", "ja"}
    words : collection of str
        Every word of the texts.
    dictionaries : {"shipped", "auto"}
        ``auto``: the best WordNet, VarCon and Sudachi synonyms found.
    parts_of_speech : str
        Of the WordNet; ``x`` stands for phrases and clauses, which only the shipped lexicon has. The paper: ``nv``.
    parallel : sequence of str
        Sentence pairs to pivot through: ``shipped``, or names of `CORPORA`; those that lack the language are skipped.
    least_count : int
        How often two phrases must be aligned.
    parsed : {"shipped", "auto"}
        For distributional similarity; ``auto``: the treebanks and news articles found.

    Examples
    --------
    >>> list(four_tables("en", {"car", "cars"}))  # doctest: +SKIP
    ['S', 'D', 'W', 'N']
    """
    texts = [
        shipped_sentences() if name == "shipped" else open_parallel(name, language)
        for name in parallel
        if name == "shipped" or language in CORPORA[name]
    ]
    pivoted = merge([pivot_table(text, language, PivotSettings(minimum_count=least_count)) for text in texts])
    if parsed == "auto":
        similar = distributional_table(language)
    else:
        trees = [paths.data_dir() / "corpus" / "treebank-en.conllu"] if language == "en" else []
        similar = distributional_table(language, trees, shipped_sentences().side(language))
    return {
        "S": restrict(pivoted, words),
        "D": restrict(similar, words),
        "W": load_wordnet(language, dictionaries, parts_of_speech=parts_of_speech).table(words),
        "N": load_variants(language, dictionaries).table(words),
    }
