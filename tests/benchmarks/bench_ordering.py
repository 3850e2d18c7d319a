"""Sentence order: linear cost, and all permutations in one pass against plain loops; tagging against NLTK's tagger.

A plain loop does the same work from the same sentence vectors, on some of the Wikipedia articles inside gensim's wheel:
it keeps each sentence as a dictionary and computes equation 3 for every adjacent pair of every order. What is done once
(reading and tagging) is in neither side.
"""

import itertools
import math

import numpy as np
from side_by_side import median_seconds, opt_in, seconds_of, show

CONDITIONS, REPETITIONS = ("R1", "R2", "R"), 20


def made_up(sentences: int):
    """Four documents of that many sentences, of random words as frequent as English ones."""
    from nbhelpers.studies import ordering

    rng = np.random.default_rng(sentences)
    words = 1 / (np.arange(5000) + 10.0)
    words /= words.sum()
    documents = {}
    for number in range(4):
        drawn = rng.choice(5000, (sentences, 15), p=words)
        documents[str(number)] = [" ".join(f"w{w}" for w in row) + "." for row in drawn]
    analysed = ordering.analyse(ordering.from_texts(documents))
    return analysed, [ordering.similarity(analysed), ordering.divergence(analysed)]


def measure_growth() -> dict[str, float]:
    """Seconds for documents of 10², 10³ and 10⁴ sentences with a fixed number of orders, and the exponent of growth."""
    from nbhelpers.studies import ordering

    texts = {f"{sentences} sentences, seconds": made_up(sentences) for sentences in (100, 1000, 10_000)}
    options = dict(conditions=CONDITIONS, repetitions=5)
    result = median_seconds({name: lambda own=own: ordering.run(*own, **options) for name, own in texts.items()})
    low, middle, high = map(math.log10, result.values())
    result["exponent of growth, 10³ to 10⁴"] = high - middle
    return result | {"exponent of growth, 10² to 10⁴": (high - low) / 2}


def dictionary(row) -> dict:
    return dict(zip(row.indices.tolist(), row.data.tolist()))


def plain_cosine(a: dict, b: dict) -> float:
    product = sum(value * b.get(word, 0.0) for word, value in a.items())
    length = math.sqrt(sum(v * v for v in a.values())) * math.sqrt(sum(v * v for v in b.values()))
    return product / length if length else 0.0


def plain_loop(rows: list[list[dict]], orders: list[np.ndarray]) -> list[list[float]]:
    """Equations 2 and 3 for every order of every document, word by word."""
    return [
        [
            sum(plain_cosine(document[i], document[j]) for i, j in itertools.pairwise(order)) / (len(order) - 1)
            for order in drawn.tolist()
        ]
        for document, drawn in zip(rows, orders, strict=True)
    ]


def measure_orders() -> dict[str, float]:
    """All measures and orders of a sample of documents in one pass, against plain loops."""
    from nbhelpers.studies import ordering
    from nbhelpers.studies.ordering.experiment import degraded_orders, document_generator

    found, options = {}, dict(conditions=CONDITIONS, repetitions=REPETITIONS)
    part = ordering.analyse(ordering.open_collection("wikipedia-excerpt").sample(15))
    kept = np.flatnonzero(part.lengths >= 3)
    engine = [measure for measure in ordering.standard_measures(part) if measure.name != "KL"]

    orders = []
    for document in kept:
        generator = document_generator(0, part.document(document))
        length = int(part.lengths[document])
        drawn = [degraded_orders(length, c, REPETITIONS, generator) for c in CONDITIONS]
        orders.append(np.concatenate([np.arange(length)[None], *drawn]))
    rows = {}
    for measure in engine:  # rows of length 1: their cosine is that of the counts
        sentences = [dictionary(measure.left[[n]]) for n in range(len(part.sentences))]
        rows[measure.name] = [sentences[part.starts[d] : part.starts[d + 1]] for d in kept]
    ours = median_seconds({"engine": lambda: found.update(engine=ordering.run(part, engine, **options))})["engine"]
    plain = seconds_of(lambda: found.update(plain={name: plain_loop(rows[name], orders) for name in rows}))
    # The plain loop draws no orders; the engine's time includes them.
    for name, scores in found["engine"].scores.items():
        loop = found["plain"][name]
        assert np.allclose(scores.source, [values[0] for values in loop])
        assert np.allclose(scores.altered["R"], [values[-REPETITIONS:] for values in loop])
    return {
        "sentences": len(part.sentences),
        "engine, seconds": ours,
        "plain loop, seconds": plain,
        "plain loop / engine": plain / ours,
    }


@opt_in
def test_cost_is_linear_in_the_number_of_sentences():
    result = measure_growth()
    show(result)
    assert result["exponent of growth, 10³ to 10⁴"] < 1.2
    assert result["exponent of growth, 10² to 10⁴"] < 1.2


@opt_in
def test_all_orders_at_least_twenty_times_a_plain_loop():
    result = measure_orders()
    show(result)
    assert result["plain loop / engine"] >= 20
