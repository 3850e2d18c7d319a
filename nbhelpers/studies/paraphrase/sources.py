"""The four resources of section 4.2, from what ships with the project or from real data where it is found."""

from __future__ import annotations

import functools
import json
from collections.abc import Collection, Iterable, Mapping, Sequence

import pandas

from nbhelpers.base import paths
from nbhelpers.metrics.paraphrase.tables import ParaphraseTable, merge, restrict, select, shuffled, symmetric
from nbhelpers.metrics.paraphrase.tokens import is_function, tokenize
from nbhelpers.metrics.paraphrase.variants import load_variants
from nbhelpers.metrics.paraphrase.wordnet import load_wordnet
from nbhelpers.studies.paraphrase.distributional import distributional_table
from nbhelpers.studies.paraphrase.parallel import CORPORA, ParallelText, open_parallel, parallel_text
from nbhelpers.studies.paraphrase.smt import PivotSettings, pivot_table, read_ppdb


def shipped_sentences() -> ParallelText:
    """The English and Japanese sentence pairs that ship with the project.

    Examples
    --------
    >>> len(shipped_sentences().side("ja"))
    1418
    """
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


def without_function_words(table: ParaphraseTable) -> ParaphraseTable:
    """The pairs in which neither side consists of function words only.

    Examples
    --------
    >>> table = ParaphraseTable("SMT", "en", {("the",): {("a",): 0.5}, ("car",): {("auto",): 0.5}}, "made up")
    >>> without_function_words(table).pairs
    {('car',): {('auto',): 0.5}}
    """
    language = table.language
    return select(table, lambda x, y: not (is_function(x, language) or is_function(y, language)), "|no function words")


def same_stem(words: Collection[str]) -> ParaphraseTable:
    """English words that have the same stem by Porter's algorithm ("An algorithm for suffix stripping", 1980).

    Examples
    --------
    >>> same_stem(["complain", "complains", "port"]).pairs
    {('complain',): {('complains',): 1.0}, ('complains',): {('complain',): 1.0}}
    """
    from nltk.stem import PorterStemmer

    stem, groups = PorterStemmer().stem, {}
    for word in sorted(set(words)):
        groups.setdefault(stem(word), []).append(word)
    pairs = {(x,): {(y,): 1.0 for y in group if y != x} for group in groups.values() if len(group) > 1 for x in group}
    return ParaphraseTable("Same stem", "en", pairs, "porter|nltk")


def with_variants(tables: Mapping[str, ParaphraseTable], ppdb: ParaphraseTable | None = None) -> dict:
    """Tables by letter, with what may stand for S, and with chance.

    C: S without pairs of function words; B: the pairs of S that hold both ways; R: those of S dealt out again; and with
    `ppdb` also P, which is that table, and Q, its pairs dealt out again.
    """
    smt = tables["S"]
    found = {**tables, "C": without_function_words(smt), "B": symmetric(smt), "R": shuffled(smt)}
    return found if ppdb is None else found | {"P": ppdb, "Q": shuffled(ppdb)}


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
    return {
        "S": restrict(_pivoted(language, tuple(parallel), least_count), words),
        "D": restrict(_similar(language, parsed), words),
        "W": load_wordnet(language, dictionaries, parts_of_speech=parts_of_speech).table(words),
        "N": load_variants(language, dictionaries).table(words),
    }


@functools.lru_cache(maxsize=4)
def _pivoted(language: str, parallel: tuple[str, ...], least_count: int) -> ParaphraseTable:
    texts = [
        shipped_sentences() if name == "shipped" else open_parallel(name, language)
        for name in parallel
        if name == "shipped" or language in CORPORA[name]
    ]
    return merge([pivot_table(text, language, PivotSettings(minimum_count=least_count)) for text in texts])


@functools.lru_cache(maxsize=4)
def _similar(language: str, parsed: str) -> ParaphraseTable:
    if parsed == "auto":
        return distributional_table(language)
    trees = [paths.data_dir() / "corpus" / "treebank-en.conllu"] if language == "en" else []
    return distributional_table(language, trees, shipped_sentences().side(language))


def real_tables(language: str, words: Collection[str]) -> tuple[dict[str, ParaphraseTable], ParaphraseTable | None]:
    """The four tables from the best real resources, as evidence has them, and in English the Paraphrase Database."""
    options = {"dictionaries": "auto", "parts_of_speech": "nv", "least_count": 2, "parsed": "auto"}
    found = four_tables(language, words, parallel=("multi30k", "small-parallel-enja"), **options)
    return found, restrict(read_ppdb(), words) if language == "en" else None


def english_tables(words: Collection[str]) -> dict[str, ParaphraseTable]:
    """All English tables that evidence is made with: the real ones, what may stand for S, and chance."""
    return with_variants(*real_tables("en", words))


def signature_of(tables: Mapping[str, ParaphraseTable], letters: str = "") -> str:
    """Where tables come from, by letter, in one line; of all of them without `letters`."""
    return "|".join(f"{letter}:[{tables[letter].signature}]" for letter in letters or tables)
