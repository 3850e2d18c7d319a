"""The experiment of section 4: sentences of the Google set, and which words every system keeps.

A line is a sentence and a system. The lines of the system ``unedited`` have the sentence and its gold compression in
codes (see `nbhelpers.studies.ndd.measures.coded`); the others have the places of the words that are kept.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from nbhelpers.base import shards
from nbhelpers.base.errors import InputError
from nbhelpers.language.mlm import cached_engine, on_engine
from nbhelpers.resources import data
from nbhelpers.results import published
from nbhelpers.results.evidence import Run
from nbhelpers.studies.ndd import baselines, compression, lengths, measures
from nbhelpers.studies.ndd.compression import SETTINGS, compression_signature
from nbhelpers.studies.ndd.pairs import EXAMPLE_RECORDS, read_compressions, read_pairs

if TYPE_CHECKING:
    import pandas

PRINTED = {
    ("ndd/table3", "Edit"): "printed",
    ("ndd/table4", "Iter2"): "printed 2",
    ("ndd/table4", "Final"): "printed end",
}
"""Systems that are the paper's own printed outputs, by table and column."""

TABLES = {
    "ndd/table2": measures.summary,
    "ndd/table3": lambda items: table3(items),
    "ndd/lengths": lengths.summary,
}


def kept_by(
    system: str,
    sources: Sequence[Sequence[str]],
    *,
    model: str,
    mask: str = "word",
    dtype: str = "float32",
    **options: Any,
) -> list[list[int] | None]:
    """The words that a system keeps of each sentence, as places; None for a sentence too long for the model.

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
    lm = cached_engine(model, mask, dtype)
    if system == "perplexity":
        kept = kept_by("paper", sources, **engine, **options)
        fit = [place for place, places in enumerate(kept) if places is not None]
        search = functools.partial(on_engine, baselines.delete_by_perplexity, **engine)
        jobs = [[sources[place], len(sources[place]) - len(kept[place])] for place in fit]
        found = dict(zip(fit, shards.map(search, jobs, signature=f"perplexity|{lm.signature}", **settings)))
        return [found.get(place) for place in range(len(sources))]
    if system not in SETTINGS:
        raise InputError(f"a system is perplexity or one of {', '.join(SETTINGS)}, not {system!r}")
    how = SETTINGS[system]
    search = functools.partial(on_engine, compression.compress_rows, **engine, settings=how)
    return [row["kept"] for row in shards.map(search, sources, signature=compression_signature(lm, how), **settings)]


def texts(pairs: Sequence[tuple[Sequence[str], str]]) -> pandas.DataFrame:
    """Items of sentences and their gold compressions, in codes."""
    import pandas

    lines = [
        {"sentence": place, "words": len(words), "system": "unedited", "kept": None} | measures.coded(words, gold)
        for place, (words, gold) in enumerate(pairs)
    ]
    return pandas.DataFrame(lines).assign(model="")


def outputs(
    pairs: Sequence[tuple[Sequence[str], str]], system: str, *, model: str = "embedded", **options: Any
) -> pandas.DataFrame:
    """Items of a system: the words that it keeps of each sentence (see `kept_by`)."""
    import pandas

    sources = [list(words) for words, _ in pairs]
    kept = kept_by(system, sources, model=model, **options)
    lines = [
        {"sentence": place, "words": len(words), "system": system, "kept": list(places)}
        for place, (words, places) in enumerate(zip(sources, kept))
        if places is not None
    ]
    return pandas.DataFrame(lines).assign(model=model)


def run(
    pairs: Sequence[tuple[Sequence[str], str]], systems: Sequence[str] = ("paper",), **options: Any
) -> pandas.DataFrame:
    """Compress sentences: the items that the evidence has, of these sentences.

    Parameters
    ----------
    pairs : sequence of (words, gold compression)
        See `nbhelpers.studies.ndd.pairs.read_pairs`.
    systems : sequence of str
        See `kept_by`.
    **options
        Of `kept_by`.
    """
    import pandas

    return pandas.concat([texts(pairs), *(outputs(pairs, one, **options) for one in systems)], ignore_index=True)


def _printed(found: list[tuple[str, Sequence[str]]]) -> pandas.DataFrame:
    """Items of the paper's own outputs: the places of their words in the sentences of `EXAMPLE_RECORDS`."""
    import pandas

    places, lines = {number: place for place, (number, _) in enumerate(found)}, []
    for (table, column), system in PRINTED.items():
        for (name, row), number in EXAMPLE_RECORDS.items():
            if name == table:
                words, kept = [word.lower() for word in found[places[number]][1]], []
                for token in measures.tokens_of(published.text(table, row, column).lower()):
                    kept.append(words.index(token, kept[-1] + 1 if kept else 0))
                lines.append({"sentence": places[number], "words": len(words), "system": system, "kept": kept})
    return pandas.DataFrame(lines).assign(model="")


def _steps(found: list[tuple[str, Sequence[str]]], model: str, dtype: str) -> pandas.DataFrame:
    """Items of every iteration on the sentence of Table 4, in the paper's setting."""
    import pandas

    number = EXAMPLE_RECORDS["ndd/table4", "Example 1"]
    place, words = next((place, words) for place, (each, words) in enumerate(found) if each == number)
    result = compression.compress(cached_engine(model, dtype=dtype), words, SETTINGS["paper"])
    lines = [{"system": f"step {k}", "kept": list(step.kept)} for k, step in enumerate(result.iterations, start=1)]
    return pandas.DataFrame(lines).assign(sentence=place, words=len(words), model=model)


def record(
    system: str = "unedited", sentences: int = 2000, model: str = "embedded", dtype: str = "bfloat16", workers: int = 1
) -> tuple[pandas.DataFrame, Run]:
    """Items of one system on the first sentences of the Google evaluation file.

    Parameters
    ----------
    system : str
        One of `kept_by`; ``unedited``: the sentences in codes; ``printed``: the paper's own outputs; ``steps``: the
        sentence of Table 4, iteration by iteration.
    sentences : int
    model, dtype : str
    workers : int
        Processes that share the search.
    """
    located = data.find("google-compression", "auto")
    if system in ("unedited", "printed"):
        model, made = "", "nltk tokens" if system == "unedited" else "words of Tables 3 and 4"
    else:
        lm = cached_engine(model, "word", dtype)
        made = f"perplexity|{lm.signature}" if system == "perplexity" else ""
        made = made or compression_signature(lm, SETTINGS["paper" if system == "steps" else system])
    if system in ("printed", "steps"):
        found = [(pair.id, pair.source_tokens) for pair in read_compressions(located.path)]
        items = _printed(found) if system == "printed" else _steps(found, model, dtype)
    else:
        pairs = read_pairs(located.path)[:sentences]
        options = {"model": model, "dtype": dtype, "workers": workers, "shard_size": 5}
        items = texts(pairs) if system == "unedited" else outputs(pairs, system, **options)
    identity = cached_engine(model, "word", dtype).loaded.identity if model else ""
    kind = {"sentence": "int32", "words": "int16"}
    run = Run(model=model, identity=identity, data=located.identity, signature=f"{system}|{made}")
    return items.drop(columns="model").astype(kind), run


def table3(items: pandas.DataFrame) -> pandas.DataFrame:
    """Table 3: the paper's printed outputs by the measures here, as printed and without the final period."""
    from nbhelpers.results import estimates

    sentences, rows = measures.sentences(items), []
    printed = items[items["system"] == "printed"].sort_values("sentence")
    for number, line in enumerate(printed.to_dict("records"), start=1):
        for version, kept in (("", line["kept"]), (", without its period", line["kept"][:-1])):
            scores = dict(zip(measures.MEASURES, sentences[line["sentence"]].scores(kept)))
            for column, measure in (("F1 Score", "F1"), ("BLEU", "B")):
                rows.append({"row": f"Example {number}{version}", "column": column, "value": scores[measure]})
    return estimates.frame(rows)
