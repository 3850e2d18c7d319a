"""The experiment of section 4: sentences of the Google set, and what every system deletes from them.

A line is a sentence and a system. ``went`` says for each word which deletion took it (see
`nbhelpers.studies.ndd.compression.Compression.went`), so that any length on the way can be asked for. The lines of the
system ``unedited`` have the sentence and its gold compression in codes (`nbhelpers.studies.ndd.measures.coded`).
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pandas

from nbhelpers.base import shards
from nbhelpers.base.errors import InputError
from nbhelpers.language.mlm import cached_engine, on_engine
from nbhelpers.resources import data
from nbhelpers.results import estimates, evidence, published
from nbhelpers.results.evidence import Run
from nbhelpers.studies.ndd import baselines, compression, lengths, measures
from nbhelpers.studies.ndd.compression import SETTINGS, compression_signature
from nbhelpers.studies.ndd.pairs import read_pairs

Pairs = Sequence[tuple[Sequence[str], str]]

EXAMPLES = {("ndd/table3", "Example 1"): 1039, ("ndd/table3", "Example 2"): 1068, ("ndd/table4", "Example 1"): 277}
"""Places in the Google evaluation file of the sentences of the paper's Tables 3 and 4."""
PRINTED = {("ndd/table3", "Edit"): "printed", ("ndd/table4", "Iter2"): "printed 2", ("ndd/table4", "Final"): "printed"}
"""Systems that are the paper's own printed outputs, by table and column."""

TABLES = {"ndd/table2": measures.summary, "ndd/table3": lambda items: table3(items), "ndd/lengths": lengths.summary}


def deleted_by(
    system: str,
    sources: Sequence[Sequence[str]],
    *,
    model: str,
    mask: str = "word",
    dtype: str = "float32",
    **options: Any,
) -> list[list[int] | None]:
    """What a system deletes of each sentence (`Compression.went`); None for a sentence too long for the model.

    Parameters
    ----------
    system : str
        A setting of the search (`nbhelpers.studies.ndd.compression.SETTINGS`), or ``perplexity``, which deletes as many
        words as the setting ``paper`` does.
    sources : sequence of word sequences
    model, mask, dtype : str
        As for `nbhelpers.language.mlm.MaskedLM`.
    **options
        Of `nbhelpers.base.shards.map`.
    """
    engine, settings = {"model": model, "mask": mask, "dtype": dtype}, {"description": f"{model}, {system}"} | options
    signature = _signature(system, **engine)
    if system == "perplexity":
        paper = deleted_by("paper", sources, **engine, **options)
        fit = [place for place, went in enumerate(paper) if went is not None]
        search = functools.partial(on_engine, baselines.delete_by_perplexity, **engine)
        jobs = [[sources[place], sum(map(bool, paper[place]))] for place in fit]
        found = dict(zip(fit, shards.map(search, jobs, signature=signature, **settings)))
        return [found.get(place) for place in range(len(sources))]
    search = functools.partial(on_engine, compression.compress_rows, **engine, settings=SETTINGS[system])
    return shards.map(search, sources, signature=signature, **settings)


def _signature(system: str, model: str, mask: str, dtype: str) -> str:
    if system not in {*SETTINGS, "perplexity"}:
        raise InputError(f"a system is perplexity or one of {', '.join(SETTINGS)}, not {system!r}")
    lm = cached_engine(model, mask, dtype)
    return f"perplexity|{lm.signature}" if system == "perplexity" else compression_signature(lm, SETTINGS[system])


def texts(pairs: Pairs) -> pandas.DataFrame:
    """Items of sentences and their gold compressions, in codes."""
    lines = [
        _line(place, "unedited", [0] * len(words)) | measures.coded(words, gold)
        for place, (words, gold) in enumerate(pairs)
    ]
    return pandas.DataFrame(lines).assign(model="")


def _line(place: int, system: str, went: list[int]) -> dict[str, Any]:
    return {"sentence": place, "words": len(went), "system": system, "went": went}


def outputs(pairs: Pairs, system: str, *, model: str = "embedded", **options: Any) -> pandas.DataFrame:
    """Items of a system: what it deletes of each sentence (see `deleted_by`)."""
    found = deleted_by(system, [list(words) for words, _ in pairs], model=model, **options)
    lines = [_line(place, system, went) for place, went in enumerate(found) if went is not None]
    return pandas.DataFrame(lines).assign(model=model)


def run(pairs: Pairs, systems: Sequence[str] = ("paper",), **options: Any) -> pandas.DataFrame:
    """Compress sentences: the items that the evidence has, of these sentences.

    Parameters
    ----------
    pairs : sequence of (words, gold compression)
        See `nbhelpers.studies.ndd.pairs.read_pairs`.
    systems : sequence of str
        See `deleted_by`.
    **options
        Of `deleted_by`.
    """
    return pandas.concat([texts(pairs), *(outputs(pairs, one, **options) for one in systems)], ignore_index=True)


def _printed(pairs: Pairs) -> pandas.DataFrame:
    """Items of the paper's own outputs, by their words in the sentences of `EXAMPLES`."""
    lines = []
    for (table, column), system in PRINTED.items():
        for row, place in ((row, place) for (name, row), place in EXAMPLES.items() if name == table):
            words, kept = [word.lower() for word in pairs[place][0]], []
            for token in measures.tokens_of(published.text(table, row, column).lower()):
                kept.append(words.index(token, kept[-1] + 1 if kept else 0))
            lines.append(_line(place, system, [int(one not in kept) for one in range(len(words))]))
    return pandas.DataFrame(lines)


def record(
    system: str = "unedited",
    sentences: int = 2000,
    model: str = "embedded",
    dtype: str = "bfloat16",
    longest: int = 0,
    workers: int = 1,
    more: bool = False,
) -> tuple[pandas.DataFrame, Run]:
    """Items of one system on the first sentences of the Google evaluation file.

    Parameters
    ----------
    system : str
        One of `deleted_by`; ``unedited``: the sentences in codes; ``printed``: the paper's own outputs; ``example``:
        the paper's setting on the sentence of Table 4.
    sentences : int
    model, dtype : str
    longest : int
        Sentences of more words are left out, since their search takes hours; 0: none.
    workers : int
        Processes that share the search.
    more : bool
        Keep the sentences that the evidence has from the same model, data and setting: `sentences` is larger than
        their number.
    """
    located = data.find("google-compression", "auto")
    pairs = read_pairs(located.path)
    if system == "unedited":
        return _small(texts(pairs[:sentences])), Run(data=located.identity, signature="unedited|nltk tokens")
    if system == "printed":
        return _small(_printed(pairs)), Run(data=located.identity, signature="printed|words of Tables 3 and 4")
    setting = "paper" if system == "example" else system
    made = f"{system}|{_signature(setting, model, 'word', dtype)}"
    identity = cached_engine(model, "word", dtype).loaded.identity
    run = Run(model=model, identity=identity, data=located.identity, signature=made)
    known, before = evidence.earlier("ndd-compression", run) if more else (None, Run())
    first, stop = 0 if known is None else int(known["sentence"].max()) + 1, sentences
    if system == "example":
        first = EXAMPLES["ndd/table4", "Example 1"]
        stop = first + 1
    if first >= stop:
        raise InputError(f"{first} sentences are recorded already; ask for more of them than {sentences}.")
    chosen = [place for place in range(first, stop) if not longest or len(pairs[place][0]) <= longest]
    if not chosen:
        raise InputError(f"all of the sentences {first} to {stop - 1} have more than {longest} words.")
    options = {"model": model, "dtype": dtype, "workers": workers, "shard_size": 10}
    items = outputs([pairs[place] for place in chosen], setting, **options)
    items = items.assign(system=system, sentence=items["sentence"].map(dict(enumerate(chosen))))
    return _small(pandas.concat([known, items])), replace(run, seconds=before.seconds)


def _small(items: pandas.DataFrame) -> pandas.DataFrame:
    """Items as the evidence keeps them."""
    return items.drop(columns="model", errors="ignore").astype({"sentence": "int32", "words": "int16"})


@estimates.tabled
def table3(items: pandas.DataFrame) -> estimates.Rows:
    """Table 3: the paper's printed outputs by the measures here, as printed and without the final period."""
    sentences = measures.sentences(items)
    printed = items[items["system"] == "printed"].set_index("sentence")["went"]
    for (table, name), place in EXAMPLES.items():
        kept = compression.left(printed[place]) if table == "ndd/table3" else []
        for version, places in (("", kept), (", without its period", kept[:-1])) if kept else ():
            scores = dict(zip(measures.MEASURES, sentences[place].scores(places)))
            for column, measure in (("F1 Score", "F1"), ("BLEU", "B")):
                yield {"row": name + version, "column": column, "value": scores[measure]}
