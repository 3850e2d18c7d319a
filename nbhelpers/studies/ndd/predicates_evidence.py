"""The experiment of section 6: words of two data sets, and how much each edit of them disturbs the sentence.

The evidence ``ndd-predicates`` has one line for each word.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas

from nbhelpers.base.errors import InputError
from nbhelpers.language.english import coarse_tag, load_english
from nbhelpers.language.mlm import EMBEDDED, cached_engine
from nbhelpers.language.tokens import is_word
from nbhelpers.resources import data
from nbhelpers.resources.treebank import Sentence
from nbhelpers.results import evidence
from nbhelpers.studies.ndd import detection, predicates
from nbhelpers.studies.ndd.pruning import chosen
from nbhelpers.studies.ndd.trees import AUXILIARIES, part_of_speech


def run(sets: Mapping[str, Mapping[int, Sentence]], **options: Any) -> pandas.DataFrame:
    """Score every word of sentences by what its edits do to the others.

    Parameters
    ----------
    sets : mapping of str to mapping of int to Sentence
        Sentences by their place in the file of each data set. Those of `predicates.REPLACEMENTS` have the
        paper's replacement word, others *a*; all but *SPA* are tagged by the package's English tagger.
    **options
        Of `nbhelpers.studies.ndd.predicates.search`: masked language model, processes.

    Returns
    -------
    DataFrame
        One line per word. ``data``, ``sentence`` (its place) and ``words`` (its length); ``place`` of the word;
        ``predicate``, and ``verbal`` for one that is a verb; ``letters``: whether it has a letter or a digit;
        ``auxiliary``: whether it is in `AUXILIARIES`, in any use; ``tag`` and ``predicted``, its part of speech by the
        data and by the tagger (empty where none was used); and what each edit of `predicates.ROWS` gives.
        Sentences of one word, and those too long for the model, are left out.
    """
    parts = []
    for name, sentences in sets.items():
        many = list(sentences.values())
        found = predicates.search(many, replacement=predicates.REPLACEMENTS.get(name, "a"), **options)
        tags = load_english().tag([one.words for one in many]) if name != "SPA" else [[""] * len(one) for one in many]
        for place, one, scores, predicted in zip(sentences, many, found, tags):
            if not scores["skipped"]:
                marked, verbal = one.predicates(), one.predicates(verbal_only=True)
                columns = {
                    "data": name,
                    "sentence": place,
                    "words": len(one),
                    "place": range(len(one)),
                    "predicate": [i in marked for i in range(len(one))],
                    "verbal": [i in verbal for i in range(len(one))],
                    "letters": [is_word(word) for word in one.words],
                    "auxiliary": [word.lower() in AUXILIARIES for word in one.words],
                    "tag": [part_of_speech(token) for token in one.tokens],
                    "predicted": [tag and coarse_tag(tag) for tag in predicted],
                }
                columns |= {key.replace(" ", "_"): values for key, values in scores.items() if key != "skipped"}
                parts.append(pandas.DataFrame(columns))
    if not parts:
        raise InputError("no sentence could be scored")
    table = pandas.concat(parts, ignore_index=True)
    kinds = {"data": "category", "tag": "category", "predicted": "category"}
    kinds |= {"sentence": "int32", "words": "int16", "place": "int16"}
    return table.astype(kinds | {key.replace(" ", "_"): "float32" for key in predicates.ROWS.values()})


def record(
    *, model: str = EMBEDDED, sentences: int = 300, dtype: str = "bfloat16", workers: int = 1
) -> tuple[pandas.DataFrame, evidence.Run]:
    """Evidence in domain and out of domain, `sentences` of each of up to 20 words; see `run`."""
    located = {name: data.find(resource, "auto") for name, resource in predicates.SETS.items()}
    every = {name: predicates.read_predicates(there.path) for name, there in located.items()}
    asked = {name: chosen(many, sentences, longest=20, among=600) for name, many in every.items()}
    items = run(asked, model=model, dtype=dtype, workers=workers)
    lm = cached_engine(model, "word", dtype)
    return items, evidence.Run(
        model=model,
        identity=lm.loaded.identity,
        data="; ".join(there.identity for there in located.values()),
        signature=predicates.scores_signature(lm, predicates.EditSettings()).replace("by:a|", "by:a,that|"),
    )


TABLES = {
    "ndd/table7": detection.summary,
    "ndd/table7, the answers": detection.answers,
    "ndd/table7, differences": detection.compared,
    "ndd/table7, other choices": detection.by_choice,
}
"""For each table the function that makes its estimates."""
