"""Sentence order: linear cost, and all permutations in one pass against plain loops; tagging against NLTK's tagger.

A plain loop does the same work from the same sentence vectors, on some of the Wikipedia articles inside gensim's wheel:
it keeps each sentence as a dictionary and computes equation 3 for every adjacent pair of every order. What is done once
(reading and tagging) is in neither side.
"""

import itertools
import math

import numpy as np
from side_by_side import judge, median_seconds, opt_in, seconds_of

from nbhelpers.studies import ordering
from nbhelpers.studies.ordering.experiment import CONDITIONS, degraded_orders, document_generator
from nbhelpers.studies.ordering.measures import divergence

REPETITIONS = 20


def made_up(sentences: int):
    """Four documents of that many sentences, of random words as frequent as English ones."""
    rng, words = np.random.default_rng(sentences), 1 / (np.arange(5000) + 10.0)
    drawn = rng.choice(5000, (4, sentences, 15), p=words / words.sum())
    documents = {str(n): [" ".join(f"w{w}" for w in row) + "." for row in rows] for n, rows in enumerate(drawn)}
    analysed = ordering.analyse(ordering.from_texts(documents))
    return analysed, [ordering.similarity(analysed), divergence(analysed)]


@opt_in
def test_cost_is_linear_in_the_number_of_sentences():
    texts = {f"{sentences} sentences, seconds": made_up(sentences) for sentences in (100, 1000, 10_000)}
    result = median_seconds({name: lambda own=own: ordering.run(*own, repetitions=5) for name, own in texts.items()})
    low, middle, high = map(math.log10, result.values())
    exponents = {"exponent of growth, 10³ to 10⁴": high - middle, "exponent of growth, 10² to 10⁴": (high - low) / 2}
    judge(result | exponents, {})
    assert max(exponents.values()) < 1.2


def plain_cosine(a: dict, b: dict) -> float:
    product = sum(value * b.get(word, 0.0) for word, value in a.items())
    length = math.sqrt(sum(v * v for v in a.values())) * math.sqrt(sum(v * v for v in b.values()))
    return product / length if length else 0.0


@opt_in
def test_all_orders_at_least_twenty_times_a_plain_loop():
    """All measures and orders of a sample of documents in one pass, against equations 2 and 3 word by word."""
    part = ordering.analyse(ordering.open_collection("wikipedia-excerpt").sample(15))
    measures = [measure for measure in ordering.standard_measures(part) if measure.name != "KL"]
    found, orders, rows = {}, [], {}
    kept = np.flatnonzero(part.lengths >= 3)
    for document in kept:
        generator, length = document_generator(0, part.document(document)), int(part.lengths[document])
        drawn = [degraded_orders(length, c, REPETITIONS, generator).tolist() for c in CONDITIONS]
        orders.append([list(range(length)), *itertools.chain(*drawn)])
    for measure in measures:  # rows of length 1: their cosine is that of the counts
        vectors = [measure.left[[n]] for n in range(len(part.sentences))]
        sentences = [dict(zip(row.indices.tolist(), row.data.tolist())) for row in vectors]
        rows[measure.name] = [sentences[part.starts[d] : part.starts[d + 1]] for d in kept]

    def engine():  # draws the orders, too
        found["engine"] = ordering.run(part, measures, repetitions=REPETITIONS)

    def plain():
        for name, documents in rows.items():
            found[name] = [
                [np.mean([plain_cosine(own[i], own[j]) for i, j in itertools.pairwise(order)]) for order in drawn]
                for own, drawn in zip(documents, orders, strict=True)
            ]

    seconds = median_seconds({"engine": engine}) | {"plain loop": seconds_of(plain)}
    shuffled = slice(-1 - REPETITIONS, -1)  # the last order is the reversed one
    for name, scores in found["engine"].groupby("measure", sort=False):
        assert np.allclose(scores["source"], [values[0] for values in found[name]])
        assert np.allclose(scores["R"], [np.mean(values[shuffled]) for values in found[name]])
    result = {"sentences": len(part.sentences), "plain loop / engine": seconds["plain loop"] / seconds["engine"]}
    judge(result | seconds, {"plain loop / engine": 20})
