"""Pairs of texts whose meaning was kept or changed: NDD and its rivals on each, and how well they tell the two apart.

An experiment on five sets: the minimal pairs of this project, and pairs drawn at random from PAWS-Wiki, SemAntoNeg,
SummEdits and MENLI. A line of evidence is one pair by one model. Every score is higher the more an edit is said to
change; "layer 0" to the last are 1 minus the cosine of the two texts' mean vectors in that layer of the model.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas

from nbhelpers.base import shards, stats
from nbhelpers.base.errors import InputError
from nbhelpers.base.stats import Estimate
from nbhelpers.language.mlm import MaskedLM, MaskRequest, Question
from nbhelpers.metrics import ndd
from nbhelpers.resources import challenge
from nbhelpers.resources.models import batches_of_equal_length
from nbhelpers.results import estimates, evidence
from nbhelpers.results.estimates import Rows, by_model
from nbhelpers.studies.ndd import model_size

COMPETING = ("semantoneg", "menli")
"""Sets whose candidates compete: the one that keeps the meaning should have the lowest score."""

MEASURES = ("NDD", "perplexity ratio", "1 - cosine", "words changed")
"""NDD, its rivals, and the trivial baseline, which asks no model."""

TESTS = {
    "minimal pairs": "minimal-pairs",
    "one word for another": "minimal-pairs",
    "agreement error or sound": "minimal-pairs",
    "PAWS-Wiki": "paws-wiki",
    "SemAntoNeg": "semantoneg",
    "SummEdits": "summedits",
    "MENLI": "menli",
}
"""Each test and its set. The first three: the 84 grammatical minimal pairs; those of them that put one word in the
place of one other; and the 12 agreement errors against the grammatical pairs that keep the meaning."""


def draw(name: str, each: int = 0, seed: int = 0) -> pandas.DataFrame:
    """Pairs of a set, drawn at random: whole items where candidates compete, else single pairs.

    Parameters
    ----------
    name : str
        A name of `nbhelpers.resources.challenge`.
    each : int
        Stop at so many pairs; 0: all. A smaller draw with the same seed is part of a larger one.
    seed : int

    Returns
    -------
    DataFrame
        ``set``, ``pair`` (place in the set), ``group``, ``item``, ``label`` (1 kept, 0 changed), ``kind``, ``source``,
        ``candidate``. Items with a pair that shares no word are left out: NDD has no neighbour to compare there.

    Examples
    --------
    >>> draw("minimal-pairs", 3)[["pair", "kind", "label"]].values.tolist()
    [[36, 'tense', 1], [87, 'agreement error', 1], [5, 'synonym', 1]]
    """
    frame = challenge.read(name).frame
    frame["pair"] = range(len(frame))
    frame["group"] = pandas.factorize(frame["group"] if name != "minimal-pairs" else frame["pair"])[0]
    frame["item"] = pandas.factorize(frame["item"])[0] if name in COMPETING else frame["pair"]
    frame = frame.assign(set=name, label=frame["label"].astype("int8"))
    members, chosen, kept = frame.groupby("item").indices, [], 0
    for item in np.random.default_rng(seed).permutation(len(members)):
        pairs = frame.iloc[members[item]]
        if each and kept + len(pairs) > each:
            break
        if all(map(_share_a_word, pairs["source"], pairs["candidate"])):
            chosen.append(pairs)
            kept += len(pairs)
    columns = ["set", "pair", "group", "item", "label", "kind", "source", "candidate"]
    return pandas.concat(chosen, ignore_index=True)[columns]


def _share_a_word(source: str, candidate: str) -> bool:
    words = ndd.split_words(source)
    return bool(ndd.kept_positions(len(words), ndd.find_edits(words, ndd.split_words(candidate))))


def _edited_word(lm: MaskedLM, pairs: Sequence[tuple[Sequence[str], Sequence[str]]]) -> list[float]:
    """How much less, or more, the context expects the new words of each edit than the old ones, in nats, at least 0.

    For each edit all of its words are masked at once, in the original for the old ones and in the edited text for the
    new ones. Its term is the absolute difference of their mean log-probabilities per word; for a deletion or an
    insertion it is the mean surprise of the words that went or came. A pair has the sum over its edits: the weight of
    the distance 0 is 1.
    """
    questions: list[Question] = []
    owners: list[tuple[int, int, int, int]] = []  # pair, edit, sign, words
    for number, (original, edited) in enumerate(pairs):
        edits, shift = ndd.find_edits(original, edited), 0
        texts = ndd.encode_edit(lm, original, edited, edits)
        for place, edit in enumerate(edits):
            spans = (edit.start, edit.stop), (edit.start + shift, edit.start + shift + len(edit.replacement))
            shift += len(edit.replacement) - (edit.stop - edit.start)
            for sign, encoded, (first, last) in zip((1, -1), texts, spans):
                if first < last:
                    start, stop = encoded.spans[first][0], encoded.spans[last - 1][1]
                    masked = lm.request(encoded, first, mask="pieces").input_ids[start : start + 1] * (stop - start)
                    ids = encoded.input_ids[:start] + masked + encoded.input_ids[stop:]
                    request = MaskRequest(ids, tuple(range(start, stop)))
                    questions.append(Question(request, targets=tuple(encoded.input_ids[start:stop])))
                    owners.append((number, place, sign, last - first))
    terms: dict[tuple[int, int], float] = {}
    for (number, place, sign, words), answer in zip(owners, lm.answer(questions)):
        value = sign * math.fsum(answer.log_probabilities) / words
        terms[number, place] = terms.get((number, place), 0.0) + value
    totals = [0.0] * len(pairs)
    for (number, _), value in terms.items():
        totals[number] += abs(value)
    return totals


def _layer_distances(lm: MaskedLM, pairs: Sequence[tuple[Sequence[str], Sequence[str]]]) -> np.ndarray:
    """1 minus the cosine of two texts' mean vectors, in each layer of the model, shape (pairs, layers + 1).

    Layer 0 are the word vectors. Special tokens are left out.
    """
    import torch

    rows = [lm.encode(words).input_ids for pair in pairs for words in pair]
    vectors: list[Any] = [None] * len(rows)
    for batch in batches_of_equal_length(rows, lm.batch_tokens):
        ids = torch.tensor([rows[place] for place in batch], device=lm.loaded.device)
        with torch.no_grad():
            found = lm.loaded.model.base_model(ids, attention_mask=torch.ones_like(ids), output_hidden_states=True)
        means = torch.stack([hidden[:, 1:-1].float().mean(1) for hidden in found.hidden_states], dim=1).double()
        for place, each in zip(batch, torch.nn.functional.normalize(means, dim=-1).cpu().numpy()):
            vectors[place] = each
    both = np.stack(vectors).reshape(len(pairs), 2, len(vectors[0]), -1)
    return np.clip(1 - (both[:, 0] * both[:, 1]).sum(-1), 0, 2)


def scores(
    lm: MaskedLM, pairs: Sequence[tuple[str, str]], settings: ndd.NDDSettings = ndd.NDDSettings()
) -> list[dict[str, float]]:
    """Every score of (original, edited) texts, by name; ``PPL`` is the edited text's pseudo-perplexity.

    Raises
    ------
    InputError
        For a pair of anything but two non-empty texts that share a word.
    """
    found, balanced = [], replace(settings, weights="balanced")
    for start in range(0, len(pairs), 16):  # few enough that perplexity and NDD share the engine's answers
        chunk = [tuple(map(ndd.split_words, pair)) for pair in pairs[start : start + 16]]
        texts = list(dict.fromkeys(tuple(text) for pair in chunk for text in pair))
        perplexity = dict(zip(texts, ndd.pseudo_perplexity(lm, texts)))
        results = ndd.ndd_batch(lm, chunk, settings=settings)
        for (a, b), result, seen, layers in zip(chunk, results, _edited_word(lm, chunk), _layer_distances(lm, chunk)):
            weights = ndd.neighbour_weights(len(a), result.edits, balanced)[1]
            moved = [one.divergence for one in result.neighbours]
            after = perplexity[tuple(b)]
            own = {"NDD": result.value, "NDD, authors' weights": math.fsum(weights * moved), "edited word": seen}
            own |= {"NDD + edited word": result.value + seen, "PPL": after}
            own |= {"perplexity ratio": after / perplexity[tuple(a)], "1 - cosine": float(layers[-1])}
            found.append(own | {f"layer {number}": float(value) for number, value in enumerate(layers)})
    return found


def run(lm: MaskedLM, pairs: pandas.DataFrame, settings: ndd.NDDSettings = ndd.NDDSettings()) -> pandas.DataFrame:
    """Items of the experiment: the pairs of `draw` without their texts, with every score by one model."""
    return _items(pairs, scores(lm, list(zip(pairs["source"], pairs["candidate"])), settings), lm.loaded.name)


def _items(pairs: pandas.DataFrame, found: list[dict[str, float]], model: str) -> pandas.DataFrame:
    texts = [pairs[side].map(ndd.split_words) for side in ("source", "candidate")]
    edits = [ndd.find_edits(a, b) for a, b in zip(*texts)]
    sizes = [[(edit.stop - edit.start, len(edit.replacement)) for edit in each] for each in edits]
    plain = {"words changed": [sum(map(max, each)) for each in sizes], "one word": [each == [(1, 1)] for each in sizes]}
    frame = pairs.drop(columns=["source", "candidate"]).reset_index(drop=True).assign(**plain)
    return pandas.concat([frame, pandas.DataFrame(found)], axis=1).assign(model=model)


def _scored(texts: list[list[str]], *, model: str, dtype: str) -> list[dict[str, float]]:
    return scores(model_size.engine(model, dtype), [(source, candidate) for source, candidate in texts])


def record(
    model: str = "embedded",
    of: str = "minimal-pairs",
    each: int = 600,
    dtype: str = "float32",
    seed: int = 0,
    more: bool = False,
) -> tuple[pandas.DataFrame, evidence.Run]:
    """One model on one set, for the evidence. With `more`, pairs that it has (with the same seed) are kept."""
    pairs, lm = draw(of, each, seed), model_size.engine(model, dtype)
    signature, source = ndd.ndd_signature(lm, ndd.NDDSettings()), challenge.read(of).located.identity
    run = evidence.Run(model=model, identity=lm.loaded.identity, data=source, signature=signature)
    known, before = evidence.earlier("ndd-pairs", run) if more else (None, evidence.Run())
    if known is not None:
        known, pairs = known[known["pair"].isin(pairs["pair"])], pairs[~pairs["pair"].isin(known["pair"])]
    if pairs.empty:
        raise InputError(f"these pairs of {of} are recorded already; ask for more of them than {each}.")
    scored = functools.partial(_scored, model=model, dtype=dtype)
    texts = [list(pair) for pair in zip(pairs["source"], pairs["candidate"])]
    found = shards.map(scored, texts, signature=signature, shard_size=4, description=f"{of}, {model}")
    items = _items(pairs, found, model).drop(columns="model")
    numbers = items.select_dtypes("float64").columns
    items = items.astype(dict.fromkeys(numbers, "float32")).astype({"pair": "int32", "group": "int32", "item": "int32"})
    return pandas.concat([known, items], ignore_index=True), replace(run, seconds=before.seconds)


# ------------------------------------------------------------------------------------------------------------- summary


def of_test(items: pandas.DataFrame, name: str) -> pandas.DataFrame:
    """The items of one of `TESTS`; for agreement errors ``label`` is 1 for a pair without one."""
    own = items[items["set"] == TESTS[name]]
    sound = own["kind"] != "agreement error"
    if name == "agreement error or sound":
        return own[~sound | (own["label"] == 1)].assign(label=sound.astype("int8"))
    if TESTS[name] == "minimal-pairs":
        own = own[sound & own["one word"]] if name == "one word for another" else own[sound]
    return own


def _won(frame: pandas.DataFrame, score: str) -> pandas.Series:
    """For each item whether the candidate that keeps the meaning has the lowest score; a tie counts in part."""
    lowest = frame[score] == frame.groupby("item")[score].transform("min")
    return (lowest & (frame["label"] == 1)).groupby(frame["item"]).sum() / lowest.groupby(frame["item"]).sum()


def chance(items: pandas.DataFrame) -> float:
    """What a guess reaches on the items of one test and model: one half, or less where more than two compete.

    Examples
    --------
    >>> import pandas
    >>> chance(pandas.DataFrame({"set": ["semantoneg"] * 4, "item": [0, 0, 0, 0]}))
    0.25
    """
    return float((1 / items.groupby("item").size()).mean()) if items["set"].iloc[0] in COMPETING else 0.5


def told(items: pandas.DataFrame, score: str, *minus: str, resamples: int = 2000) -> Estimate:
    """How well a score tells changed from kept meaning on the items of one test and model, groups resampled.

    Where candidates compete, the share of items whose kept candidate has the lowest score; else the area under the ROC
    curve. With `minus`, the difference to another score on the same items, or to the mean of several.
    """
    frame = items.dropna(subset=[score, *minus])
    if frame["set"].iloc[0] in COMPETING:
        hits = [_won(frame, name).to_numpy(float) for name in (score, *minus)]
        groups = frame.groupby("item")["group"].first()
        value = hits[0] - np.mean(hits[1:], axis=0) if minus else hits[0]
        null = 0.0 if minus else chance(frame)
        return stats.resampled(lambda chosen: value[chosen].mean(), groups, null=null, resamples=resamples)
    changed, groups = (frame["label"] == 0).to_numpy(), frame["group"].to_numpy()
    if not minus and len(set(groups)) == len(groups):
        return stats.roc_auc_interval(changed, frame[score].to_numpy(float), resamples=resamples)
    scores = frame[[score, *minus]].to_numpy(float).T
    found = stats.areas(changed, scores, groups, resamples=resamples)
    if minus:
        found = found[:1] - found[1:].of(lambda areas: areas.mean(axis=-1))
    return found.estimate(null=0.0 if minus else 0.5)


@by_model
def summary(
    items: pandas.DataFrame,
    tests: Iterable[str] = TESTS,
    measures: Sequence[str] = MEASURES,
    minus: Sequence[str] = (),
    *,
    resamples: int = 2000,
) -> Rows:
    """Estimates: a row for each measure, and for the first minus each of `minus`; a column for each test; by model.

    A test of which there are no pairs, or only changed or only kept ones, has no column.
    """
    names = [(name, name) for name in measures] + [(f"{measures[0]} minus {one}", measures[0], one) for one in minus]
    for column in tests:
        part = of_test(items, column)
        for row, score, *rival in names if part["label"].nunique() > 1 else ():
            yield {"row": row, "column": column, "value": told(part, score, *rival, resamples=resamples)}


def side_by_side(items: pandas.DataFrame) -> pandas.DataFrame:
    """NDD by several models on the pairs that all of them have: a column for each model, for `told`."""
    keys = ["set", "pair", "group", "item", "label", "kind", "one word"]
    return items.pivot(index=keys, columns="model", values="NDD").dropna().reset_index()


@estimates.tabled
def models_compared(items: pandas.DataFrame, pairs: Iterable[tuple[str, str]], tests: Iterable[str]) -> Rows:
    """NDD by one model minus NDD by another on the pairs that both have: a row for two models, a column for a test."""
    for first, second in pairs:
        both = side_by_side(items[items["model"].isin([first, second])])
        for column in tests:
            if len(part := of_test(both, column)):
                yield {"row": f"{first} minus {second}", "column": column, "value": told(part, first, second)}


@by_model
def by_kind(items: pandas.DataFrame, score: str = "NDD", *, resamples: int = 2000) -> Rows:
    """A score on the grammatical minimal pairs: each kind that changes the meaning against all pairs that keep it."""
    own = of_test(items, "minimal pairs")
    for kind in own["kind"].unique():
        value = told(own[(own["label"] == 1) | (own["kind"] == kind)], score, resamples=resamples)
        yield {"row": kind, "column": "meaning broken or kept", "value": value}


TABLES = {"edits": functools.partial(summary, minus=MEASURES[1:]), "edits by kind": by_kind}
"""What is made of the evidence ``ndd-pairs``."""
