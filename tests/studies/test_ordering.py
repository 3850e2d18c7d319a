"""Sentence order: the measures of Ermakova (2016), the framework around them, collections and bad input."""

import bz2
import codecs
import gzip
import itertools
import json
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nbhelpers.base.errors import DataFormatError, InputError, ResourceNotFoundError
from nbhelpers.studies import ordering
from nbhelpers.studies.ordering import documents as documents_module
from nbhelpers.studies.ordering import experiment as experiment_module
from nbhelpers.studies.ordering import measures as measures_module
from nbhelpers.studies.ordering import orders as orders_module

# -------------------------------------------------------------------- plain, slow versions


def plain_cosine(a: dict, b: dict) -> float:
    """Equation 3, word by word."""
    product = sum(a[word] * b.get(word, 0) for word in a)
    length = math.sqrt(sum(x * x for x in a.values())) * math.sqrt(sum(x * x for x in b.values()))
    return product / length if length else 0.0


def plain_score(rows: list[dict], order) -> float:
    """Equation 2: mean over adjacent sentences."""
    pairs = list(itertools.pairwise(order))
    return sum(plain_cosine(rows[i], rows[j]) for i, j in pairs) / len(pairs)


def plain_rows(matrix) -> list[dict]:
    matrix = matrix.tocsr()
    return [dict(zip(matrix[i].indices.tolist(), matrix[i].data.tolist(), strict=True)) for i in range(matrix.shape[0])]


def plain_divergence(p: dict, q: dict) -> float:
    return sum(x * math.log(x / q[word]) for word, x in p.items() if x)


def plain_distributions(rows: list[dict], smoothing: float) -> list[dict]:
    """Sentence distributions of one document, smoothed with the document's."""
    document = Counter()
    for row in rows:
        document.update(row)
    total = sum(document.values())
    result = []
    for row in rows:
        length = sum(row.values())
        weight = smoothing if length else 1.0
        result.append(
            {
                word: (1 - weight) * (row.get(word, 0) / length if length else 0) + weight * count / total
                for word, count in document.items()
            }
        )
    return result


# -------------------------------------------------------------------- small collections

STORY = [
    "The old fisherman repaired his net on the beach.",
    "The net had a large hole, and the fisherman had little string.",
    "Anna Berg walked along the beach with a small dog.",
    "The dog found a ball of string near the harbour in Bergen.",
    "Berg gave the string to the fisherman.",
    "It was raining.",
    "Later the fisherman caught a large fish near Bergen.",
]


@pytest.fixture(scope="module")
def analysed():
    return ordering.analyse(
        ordering.from_texts(
            {
                "story": STORY,
                "short": ["A cat slept.", "The cat woke up.", "Snow fell."],
                "two": ["One fish swam.", "Another fish slept."],
                "one": ["Alone again."],
                "long": [
                    f"The {a} {b} of Oslo met the {b} of {c}."
                    for a, b, c in itertools.product(
                        ["red", "blue", "old"], ["king", "baker", "farmer"], ["Rome", "Paris", "Lyon"]
                    )
                ],
            }
        )
    )


@pytest.fixture(scope="module")
def all_measures(analysed):
    class Encoder:
        signature = "letters"

        def encode(self, sentences):
            return np.array([[s.count(c) for c in "abcdefghijklmnopqrstuvwxyz"] for s in sentences], np.float32)

    vectors = {word: np.array([len(word), word.count("e"), -1.0]) for word in " ".join(STORY).lower().split()}
    return [
        *ordering.standard_measures(analysed),
        ordering.embedding_similarity(analysed, Encoder()),
        ordering.vector_similarity(analysed, vectors),
    ]


# -------------------------------------------------------------------- equations 2 and 3


def test_equation_3_by_hand(analysed):
    # Stems without stop words: {cat, slept} and {cat, woke}: 1 / (√2 · √2).
    collection = ordering.from_texts({"d": ["A cat slept.", "The cat woke up."]})
    measure = ordering.similarity(ordering.analyse(collection))
    assert measure.pairs([0], [1]) == pytest.approx([1 / 2])
    # Counts, not sets: {dog: 2, cat: 1} and {dog: 1, fish: 2}: 2 · 1 / (√5 · √5).
    collection = ordering.from_texts({"d": ["Dog, dog, cat!", "Dogs, fish and fish."]})
    measure = ordering.similarity(ordering.analyse(collection))
    assert measure.pairs([0], [1]) == pytest.approx([2 / 5])


def test_equation_2_by_hand():
    # Adjacent cosines 1/2 (cat), 0, 1/√2 (snow against snow, fell): their sum over n - 1 = 3.
    collection = ordering.from_texts({"d": ["A cat slept.", "The cat woke.", "Snow.", "Snow fell."]})
    measure = ordering.similarity(ordering.analyse(collection))
    assert measure.source_scores() == pytest.approx([(1 / 2 + 0 + 1 / math.sqrt(2)) / 3])
    assert ordering.order_score(measure.matrix(0)) == pytest.approx((1 / 2 + 1 / math.sqrt(2)) / 3)
    # Cat, cat, snow, snow in the order 0 2 1 3: no neighbours share a word.
    assert ordering.order_score(measure.matrix(0), [0, 2, 1, 3]) == 0


def test_nouns_are_sets_and_may_be_proper(analysed):
    collection = ordering.from_texts({"d": ["The dogs saw the dogs in Oslo.", "A dog saw the cats in Oslo."]})
    two = ordering.analyse(collection)
    # Sets {dog} and {dog, cat}.
    assert ordering.noun_similarity(two).pairs([0], [1]) == pytest.approx([1 / math.sqrt(2)])
    # Counts {dog: 2} and {dog, cat}: the same angle; with Oslo {dog, oslo} and {dog, cat, oslo}.
    assert ordering.noun_similarity(two, as_set=False).pairs([0], [1]) == pytest.approx([1 / math.sqrt(2)])
    assert ordering.noun_similarity(two, proper=True).pairs([0], [1]) == pytest.approx([2 / math.sqrt(2 * 3)])
    counted = ordering.noun_similarity(two, proper=True, as_set=False).pairs([0], [1])
    assert counted == pytest.approx([3 / (math.sqrt(5) * math.sqrt(3))])


def test_names_are_items_or_words():
    collection = ordering.from_texts({"d": ["They met Anna Berg in Oslo.", "He saw Berg leave Oslo."]})
    two = ordering.analyse(collection)
    assert two.entities == ("anna berg", "oslo", "berg")
    assert ordering.entity_similarity(two).pairs([0], [1]) == pytest.approx([1 / 2])
    assert ordering.entity_similarity(two, words=True).pairs([0], [1]) == pytest.approx([2 / math.sqrt(3 * 2)])
    assert ordering.entity_similarity(two, minimum_words=2).pairs([0], [1]) == [0]
    with pytest.raises(InputError, match="at least one word"):
        ordering.entity_similarity(two, minimum_words=0)


def test_no_names_at_all_give_zero():
    two = ordering.analyse(ordering.from_texts({"d": ["It rained.", "It snowed.", "They slept."]}))
    for words in (False, True):
        assert ordering.entity_similarity(two, words=words).source_scores() == [0]


def test_weights_by_part_of_speech():
    two = ordering.analyse(ordering.from_texts({"d": ["The dogs saw it.", "The dog found it."]}))
    # {dog: 1, saw: w} and {dog: 1, found: w}.
    for weight in (0.5, 0.0, 2.0):
        measure = ordering.weighted_similarity(two, {"NOUN": 1.0, "VERB": weight})
        assert measure.pairs([0], [1]) == pytest.approx([1 / (1 + weight**2)])
    assert "NOUN=1,VERB=0.5" in ordering.weighted_similarity(two, {"NOUN": 1.0, "VERB": 0.5}).signature
    with pytest.raises(InputError, match="unknown parts of speech \\['NN'\\]"):
        ordering.weighted_similarity(two, {"NN": 1.0})
    for bad in (-1.0, float("nan"), float("inf")):
        with pytest.raises(InputError, match="0 or more"):
            ordering.weighted_similarity(two, {"NOUN": bad})


def test_equal_weights_are_plain_counts(analysed):
    weights = dict.fromkeys(set(measures_module.coarse_tag(tag) for tag in analysed.tags), 3.0)
    weighted = ordering.weighted_similarity(analysed, weights)
    assert weighted.source_scores() == pytest.approx(ordering.similarity(analysed).source_scores(), nan_ok=True)


def test_stop_words_and_stems_can_be_switched():
    two = ordering.analyse(ordering.from_texts({"d": ["The dogs barked.", "The dog is barking."]}))
    assert ordering.similarity(two).pairs([0], [1]) == pytest.approx([1])
    assert ordering.similarity(two, stemming=None).pairs([0], [1]) == [0]
    # {the, dog, bark} and {the, dog, is, bark}.
    assert ordering.similarity(two, stop_words=()).pairs([0], [1]) == pytest.approx([3 / math.sqrt(12)])


# -------------------------------------------------------------------- properties of all measures


def test_identical_sentences_give_one_and_disjoint_ones_zero():
    same = ordering.from_texts({"d": ["The baker of Oslo baked bread."] * 4})
    other = ordering.from_texts({"d": ["The baker of Oslo baked bread.", "Snow fell on Rome."] * 2})
    for make in (
        ordering.similarity,
        ordering.noun_similarity,
        ordering.entity_similarity,
        ordering.weighted_similarity,
    ):
        assert make(ordering.analyse(same)).source_scores() == pytest.approx([1])
        assert make(ordering.analyse(other)).source_scores() == [0]
    assert ordering.divergence(ordering.analyse(same)).source_scores() == pytest.approx([0], abs=1e-12)
    assert ordering.divergence(ordering.analyse(other)).source_scores()[0] < -0.1


def test_reversal_changes_only_the_asymmetric_measure(analysed, all_measures):
    result = ordering.run(analysed, all_measures, conditions=["reversed"], repetitions=1)
    for measure in all_measures:
        scores = result.scores[measure.name]
        difference = np.abs(scores.source - scores.altered["reversed"][:, 0])
        assert measure.is_symmetric == (measure.name != "KL")
        if measure.is_symmetric:
            assert difference.max() < 1e-12
        else:
            assert difference[result.documents.index("story")] > 1e-3


def test_moving_no_sentence_changes_nothing():
    generator = np.random.default_rng(0)
    assert (ordering.moved(5, 0, 3, generator) == np.arange(5)).all()


def test_scores_do_not_depend_on_the_order_of_documents(analysed, all_measures):
    texts = {name: list(analysed.document(i)) for i, name in enumerate(analysed.names)}
    names = list(texts)
    forwards = ordering.analyse(ordering.from_texts(texts))
    backwards = ordering.analyse(ordering.from_texts({name: texts[name] for name in names[::-1]}))
    a = ordering.run(forwards, ordering.standard_measures(forwards), repetitions=5, seed=3)
    b = ordering.run(backwards, ordering.standard_measures(backwards), repetitions=5, seed=3)
    assert b.documents == a.documents[::-1]
    for name, scores in a.scores.items():
        assert b.scores[name].source[::-1] == pytest.approx(scores.source, abs=1e-12)
        for condition, altered in scores.altered.items():
            assert b.scores[name].altered[condition][::-1] == pytest.approx(altered, abs=1e-12)


def test_one_sentence_has_no_score(analysed, all_measures):
    place = analysed.names.index("one")
    for measure in all_measures:
        assert math.isnan(measure.source_scores()[place])
        assert math.isnan(measure.expected_scores()[place])
        assert np.isfinite(np.delete(measure.source_scores(), place)).all()
    assert math.isnan(ordering.order_score([[1.0]]))


def test_measures_equal_the_plain_equations(analysed):
    matrices = {
        "Sim": ordering.count_matrix(analysed),
        "NounSim": ordering.noun_matrix(analysed),
        "NESim": ordering.entity_matrix(analysed),
        "PosSim": ordering.weighted_matrix(analysed),
    }
    for name, matrix in matrices.items():
        rows = plain_rows(matrix)
        measure = ordering.cosine_measure(name, matrix, analysed)
        for document, (start, stop) in enumerate(itertools.pairwise(analysed.starts)):
            wanted = np.array([[plain_cosine(a, b) for b in rows[start:stop]] for a in rows[start:stop]])
            assert measure.matrix(document) == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("smoothing", [0.1, 0.5, 1.0])
@pytest.mark.parametrize("direction", ["forward", "backward"])
def test_divergence_equals_the_plain_formula(analysed, smoothing, direction):
    rows = plain_rows(ordering.count_matrix(analysed))
    measure = ordering.divergence(analysed, smoothing=smoothing, direction=direction)
    assert not measure.is_symmetric
    for document, (start, stop) in enumerate(itertools.pairwise(analysed.starts)):
        p = plain_distributions(rows[start:stop], smoothing)
        if direction == "forward":  # the next sentence, seen from the one before
            wanted = [[-plain_divergence(later, earlier) for later in p] for earlier in p]
        else:
            wanted = [[-plain_divergence(earlier, later) for later in p] for earlier in p]
        assert measure.matrix(document) == pytest.approx(np.array(wanted), abs=1e-9)
    assert (measure.source_scores()[:4] <= 1e-12).sum() >= 3


def test_divergence_of_sentences_without_words():
    # "It was." has stop words only: its distribution is the document's.
    collection = ordering.from_texts({"d": ["It was.", "A cat slept.", "It was."], "e": ["It was.", "They were."]})
    measure = ordering.divergence(ordering.analyse(collection))
    assert np.isfinite(measure.source_scores()).all()
    assert measure.matrix(0)[0, 2] == pytest.approx(0)
    assert measure.matrix(1) == pytest.approx(np.zeros((2, 2)))


def test_a_collection_of_function_words_alone_is_measured():
    two = ordering.analyse(ordering.from_texts({"a": ["Who is it?", "What was that?", "Why not?"]}))
    measures = [*ordering.standard_measures(two), ordering.divergence(two, direction="forward")]
    assert len(measures) == 6
    for measure in measures:
        assert measure.matrix(0).tolist() == np.zeros((3, 3)).tolist() and measure.source_scores().tolist() == [0]


def test_divergence_refuses_bad_parameters(analysed):
    for smoothing in (0, -0.5, 1.5, float("nan")):
        with pytest.raises(InputError, match="smoothing is greater than 0"):
            ordering.divergence(analysed, smoothing=smoothing)
    with pytest.raises(InputError, match="'forward' or 'backward'"):
        ordering.divergence(analysed, direction="up")


def test_matrices_pairs_and_means_agree(analysed, all_measures):
    for measure in all_measures:
        together = measure.matrices(np.array([4, 0, 3, 2]))
        for document, matrix in zip([4, 0, 3, 2], together, strict=True):
            start, n = analysed.starts[document], analysed.lengths[document]
            first, second = np.divmod(np.arange(n * n), n)
            pairs = measure.pairs(start + first, start + second).reshape(n, n)
            assert matrix == pytest.approx(pairs, abs=1e-6)
            if n > 1:
                assert measure.source_scores()[document] == pytest.approx(np.diag(pairs, 1).mean(), abs=1e-6)
                off = pairs[~np.eye(n, dtype=bool)].mean()
                assert measure.expected_scores()[document] == pytest.approx(off, abs=1e-6)
        assert measure.pairs([0, 1, 2], [1, 2, 3], rows_at_once=1) == pytest.approx(measure.pairs([0, 1, 2], [1, 2, 3]))


def test_expectation_is_the_mean_over_all_orders(analysed, all_measures):
    document = analysed.names.index("story")
    everything = list(itertools.permutations(range(7)))
    for measure in all_measures:
        matrix = measure.matrix(document)
        index = np.array(everything)
        mean = matrix[index[:, :-1], index[:, 1:]].mean()
        assert measure.expected_scores()[document] == pytest.approx(mean, abs=1e-6)


def test_lag_profile_by_hand():
    collection = ordering.from_texts({"d": ["A cat.", "A dog.", "A cat.", "A dog."], "e": ["A cat.", "A cat."]})
    profile = ordering.similarity(ordering.analyse(collection)).lag_profile(4)
    # Distance 1: 0, 0, 0 and 1; distance 2: 1, 1; distance 3: 0; none at 4.
    assert profile[:3] == pytest.approx([1 / 4, 1, 0])
    assert math.isnan(profile[3])


def test_embeddings_and_word_vectors():
    two = ordering.analyse(ordering.from_texts({"d": ["Dogs bark.", "Cats sleep.", "Dogs bark."]}))

    class Encoder:
        def __init__(self):
            self.seen = []

        def encode(self, sentences):
            self.seen = sentences
            return np.array([[3.0, 4.0], [4.0, 3.0]], np.float32)[: len(sentences)]

    encoder = Encoder()
    measure = ordering.embedding_similarity(two, encoder)
    assert encoder.seen == ["Dogs bark.", "Cats sleep."]  # equal sentences once
    assert measure.pairs([0, 0], [1, 2]) == pytest.approx([24 / 25, 1])
    vectors = {"dogs": np.array([1.0, 0.0]), "cats": np.array([0.0, 1.0]), "sleep": np.array([1.0, 0.0])}
    measure = ordering.vector_similarity(two, vectors)
    assert measure.coverage == pytest.approx(4 / 6)
    assert measure.pairs([0], [1]) == pytest.approx([1 / math.sqrt(2)])
    # A function of the tokens instead of a mapping.
    as_function = ordering.vector_similarity(two, lambda tokens: sum(vectors.get(t.lower(), 0) for t in tokens))
    assert as_function.pairs([0], [1]) == pytest.approx([1 / math.sqrt(2)])
    with pytest.raises(InputError, match="no word of the collection has a vector"):
        ordering.vector_similarity(two, {})
    with pytest.raises(InputError, match="one-dimensional and of one length"):
        ordering.vector_similarity(two, {"dogs": np.ones(2), "cats": np.ones(3)})
    with pytest.raises(InputError, match="not finite"):
        ordering.vector_similarity(two, {"dogs": np.array([np.nan])})

    class Wrong:
        def encode(self, sentences):
            return np.ones(3)

    with pytest.raises(InputError, match=r"array \(3,\) for 2 sentences"):
        ordering.embedding_similarity(two, Wrong())


# -------------------------------------------------------------------- orders


@given(st.integers(3, 12), st.integers(1, 3), st.integers(0, 1000))
@settings(max_examples=60, deadline=None)
def test_moved_orders_are_other_orders(length, count, seed):
    orders = ordering.moved(length, count, 20, np.random.default_rng(seed))
    assert orders.shape == (20, length)
    assert (np.sort(orders, axis=1) == np.arange(length)).all()
    assert (orders != np.arange(length)).any(axis=1).all()
    # Without the moved sentences the others keep their order.
    for order in orders:
        assert ordering.longest_common_subsequence(order) * length >= length - count - 1e-9


def test_one_move_reaches_every_other_place_alike():
    orders = ordering.moved(4, 1, 60_000, np.random.default_rng(0))
    found = Counter(map(tuple, orders.tolist()))
    # 4 sentences with 3 other places each; swapping neighbours comes about in two ways.
    assert len(found) == 9
    single = [count for order, count in found.items() if order not in {(1, 0, 2, 3), (0, 2, 1, 3), (0, 1, 3, 2)}]
    double = [count for order, count in found.items() if order in {(1, 0, 2, 3), (0, 2, 1, 3), (0, 1, 3, 2)}]
    assert np.array(single) / 60_000 == pytest.approx(1 / 12, abs=0.006)
    assert np.array(double) / 60_000 == pytest.approx(2 / 12, abs=0.006)


def test_shuffles_are_uniform():
    found = Counter(map(tuple, ordering.shuffled(3, 60_000, np.random.default_rng(0)).tolist()))
    assert np.array([found[p] for p in itertools.permutations(range(3))]) / 60_000 == pytest.approx(1 / 6, abs=0.006)


def test_impossible_moves_are_refused():
    generator = np.random.default_rng(0)
    for length, count in ((3, 4), (1, 1), (2, 2), (3, -1)):
        with pytest.raises(InputError):
            ordering.moved(length, count, 1, generator)
    assert (ordering.moved(2, 1, 5, generator) == [1, 0]).all()
    with pytest.raises(InputError, match="at least 1 sentences"):
        ordering.shuffled(0, 1, generator)


def test_kendall_tau_is_equation_1():
    for order in itertools.permutations(range(5)):
        agree = sum(order[i] < order[j] for i, j in itertools.combinations(range(5), 2))
        disagree = 10 - agree
        assert ordering.kendall_tau(order) == pytest.approx(2 * (agree - disagree) / (5 * 4))
    assert ordering.kendall_tau([0, 1, 2]) == 1
    assert ordering.kendall_tau([2, 1, 0]) == -1
    assert math.isnan(ordering.kendall_tau([0]))


def test_agreement_with_another_order():
    order, reference = [2, 0, 1, 3], [2, 0, 3, 1]
    # In ranks of the reference: 0, 1, 3, 2.
    assert ordering.kendall_tau(order, reference) == pytest.approx(2 * (5 - 1) / 12)
    assert ordering.longest_common_subsequence(order, reference) == 3 / 4
    assert ordering.position_accuracy(order, reference) == 2 / 4
    assert not ordering.perfect_match(order, reference)
    assert ordering.perfect_match(order, order)
    assert ordering.longest_common_subsequence([4, 3, 2, 1, 0]) == 1 / 5
    for bad in ([0, 0, 1], [1, 2, 3], [], [[0, 1]], [0.5, 1]):
        with pytest.raises(InputError, match="each of 0, 1"):
            ordering.kendall_tau(bad)
    with pytest.raises(InputError, match="4 and 3 sentences"):
        ordering.perfect_match([0, 1, 2, 3], [0, 1, 2])


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("length", [2, 3, 4, 6, 7])
def test_the_best_order_is_the_best_of_all(symmetric, length):
    generator = np.random.default_rng(length)
    similarity = generator.normal(size=(length, length))
    if symmetric:
        similarity += similarity.T
    best = max(ordering.order_score(similarity, p) for p in itertools.permutations(range(length)))
    found = ordering.best_order(similarity)
    assert found.is_exact
    assert found.score == pytest.approx(best)
    assert ordering.order_score(similarity, found.order) == pytest.approx(found.score)
    heuristic = ordering.best_order(similarity, exact_up_to=0)
    assert not heuristic.is_exact
    assert heuristic.score == pytest.approx(best)  # so short that several starts find it
    if symmetric:
        assert found.order[0] < found.order[-1]


@pytest.mark.parametrize("length", [4, 5, 8])
def test_the_heuristic_sees_the_best_change(length):
    """Gains of reversals and moves against trying all of them."""
    generator = np.random.default_rng(length)
    for _ in range(30):
        similarity, path = generator.random((length, length)), generator.permutation(length)
        here = np.zeros((length + 2, length + 2))
        here[1:-1, 1:-1] = similarity[np.ix_(path, path)]

        def total(order, similarity=similarity):
            return similarity[order[:-1], order[1:]].sum()

        reversals = []
        for i, j in itertools.combinations(range(length), 2):
            other = path.copy()
            other[i : j + 1] = other[i : j + 1][::-1]
            reversals.append(total(other) - total(path))
        assert orders_module._best_reversal(here)[0] == pytest.approx(max(reversals))
        moves = []
        for size in (1, 2, 3):
            for start in range(length - size + 1):
                rest = np.delete(path, np.s_[start : start + size])
                for target in range(len(rest) + 1):
                    other = np.insert(rest, target, path[start : start + size])
                    if not np.array_equal(other, path):
                        moves.append(total(other) - total(path))
        assert orders_module._best_move(here)[0] == pytest.approx(max(moves))


def test_the_search_finds_a_hidden_chain():
    # Sentence k is like its neighbours in a hidden order only: that order is the single best.
    generator = np.random.default_rng(0)
    hidden = generator.permutation(60)
    similarity = np.zeros((60, 60))
    similarity[hidden[:-1], hidden[1:]] = similarity[hidden[1:], hidden[:-1]] = 1
    found = ordering.best_order(similarity, starts=60)
    assert found.score == 1
    assert found.order.tolist() in (hidden.tolist(), hidden[::-1].tolist())


def test_the_search_refuses_bad_input():
    for bad in ([[1, 2]], [[np.nan]], np.zeros((0, 0)), [1, 2]):
        with pytest.raises(InputError):
            ordering.best_order(bad)
    with pytest.raises(InputError, match="too many"):
        ordering.best_order(np.zeros((1001, 1001)))
    with pytest.raises(InputError, match="between 0 and 16"):
        ordering.best_order(np.eye(3), exact_up_to=30)
    with pytest.raises(InputError, match="at least one start"):
        ordering.best_order(np.eye(3), starts=0)
    assert ordering.best_order([[1.0]]).order.tolist() == [0]


# -------------------------------------------------------------------- the framework


def test_run_equals_a_plain_loop(analysed):
    matrices = {"Sim": ordering.count_matrix(analysed), "NounSim": ordering.noun_matrix(analysed)}
    measures = [ordering.cosine_measure(name, matrix, analysed) for name, matrix in matrices.items()]
    result = ordering.run(analysed, measures, conditions=["R1", "R", "R3"], repetitions=4, seed=7)
    assert result.documents == ("story", "short", "long")
    assert result.too_short == 2
    for place, name in enumerate(result.documents):
        document = analysed.names.index(name)
        sentences = analysed.document(document)
        generator = np.random.default_rng(experiment_module.document_seed(7, sentences))
        orders = {
            condition: ordering.degraded_orders(len(sentences), condition, 4, generator)
            for condition in ("R1", "R", "R3")
        }
        for measure, matrix in matrices.items():
            rows = plain_rows(matrix[analysed.starts[document] : analysed.starts[document + 1]])
            scores = result.scores[measure]
            assert scores.source[place] == pytest.approx(plain_score(rows, range(len(rows))))
            for condition, drawn in orders.items():
                wanted = [plain_score(rows, order) for order in drawn.tolist()]
                assert scores.altered[condition][place] == pytest.approx(wanted)


def test_matrices_and_rows_give_the_same_scores(analysed, all_measures, monkeypatch):
    by_matrix = ordering.run(analysed, all_measures, repetitions=6)
    monkeypatch.setattr(experiment_module, "LARGEST_MATRIX", 0)
    by_rows = ordering.run(analysed, all_measures, repetitions=6)
    monkeypatch.setattr(experiment_module, "LARGEST_MATRIX", 10)  # both in one batch
    by_both = ordering.run(analysed, all_measures, repetitions=6)
    monkeypatch.setattr(experiment_module, "NUMBERS_AT_ONCE", 1)  # every document alone
    alone = ordering.run(analysed, all_measures, repetitions=6)
    for name, scores in by_matrix.scores.items():
        for condition, values in scores.altered.items():
            for other in (by_rows, by_both, alone):
                assert other.scores[name].altered[condition] == pytest.approx(values, abs=1e-6)


def test_runs_repeat_with_their_seed(analysed, all_measures):
    first, again, other = (ordering.run(analysed, all_measures, seed=seed) for seed in (1, 1, 2))
    assert (first.scores["Sim"].altered["R"] == again.scores["Sim"].altered["R"]).all()
    assert (first.scores["Sim"].altered["R"] != other.scores["Sim"].altered["R"]).any()


def test_the_sampled_shuffles_approach_the_expectation(analysed, all_measures):
    result = ordering.run(analysed, all_measures, conditions=["R"], repetitions=4000)
    for scores in result.scores.values():
        error = scores.altered["R"].std(axis=1) / math.sqrt(4000)
        assert (np.abs(scores.altered["R"].mean(axis=1) - scores.expected) < 5 * error + 1e-7).all()


@pytest.mark.filterwarnings("ignore:Precision loss")  # all source scores are equal on purpose
def test_summary_and_tests():
    # Chains of words: every sentence shares one word with the next and none with others.
    texts = {f"d{d}": [f"Word{d}x{i} word{d}x{i + 1}." for i in range(12)] for d in range(20)}
    analysed = ordering.analyse(ordering.from_texts(texts))
    result = ordering.run(analysed, [ordering.similarity(analysed)], conditions=["R2", "R", "R1"], repetitions=20)
    table = result.summary(resamples=200).set_index("condition")
    assert list(table.index) == ["Source", "R2", "R", "R1", "R expected"]
    assert table.score["Source"] == pytest.approx(1 / 2)
    # 11 of 66 pairs of sentences share a word: the mean over all orders.
    assert table.score["R expected"] == pytest.approx(1 / 2 * 11 / 66)
    assert table["drop"]["R expected"] == pytest.approx(100 * (1 - 11 / 66))
    assert table.score["R1"] > table.score["R2"] > table.score["R"]
    assert table.t_test_p["R"] < 1e-6 and table.paired_p["R1"] < 0.02
    assert table.drop_low["R"] <= table["drop"]["R"] <= table.drop_high["R"]
    assert table.low["R1"] <= table.difference["R1"] <= table.high["R1"]
    steps = result.expected_order("Sim", resamples=500)
    assert [(step["higher"], step["lower"], step["holds"]) for step in steps] == [
        ("Source", "R1", True),
        ("R1", "R2", True),
        ("R2", "R", True),
    ]
    assert all(step["difference"].p_value < 0.05 for step in steps)
    found = result.discrimination("Sim", "R")
    assert found["accuracy"].value == 1 and found["ties"] == 0


def test_discrimination_counts_ties_as_half():
    altered = {"R": np.array([[0.5, 0.4], [0.6, 0.5]])}
    scores = ordering.Scores("M", np.array([0.5, 0.5]), altered, np.zeros(2), (0, 1), "")
    result = ordering.Experiment("c", ("a", "b"), np.array([3, 3]), 0, {"M": scores}, ("R",), 2, 0)
    found = result.discrimination("M")
    assert found["accuracy"].value == pytest.approx((0.75 + 0.25) / 2)
    assert found["ties"] == 0.5
    with pytest.raises(InputError, match="no condition 'R1'"):
        result.discrimination("M", "R1")
    with pytest.raises(InputError, match="no measure 'Sim'"):
        result.discrimination("Sim")


def test_relative_drop_is_that_of_table_1():
    # Section 5, Table 1: Sim on Wikipedia, and NESim on Wikipedia, where the score rises.
    assert round(ordering.relative_drop(0.1052, 0.1008), 2) == 4.18
    assert round(ordering.relative_drop(0.0178, 0.0187), 2) == -5.06
    assert ordering.relative_drop(-1.0, -1.5) == 50
    assert math.isnan(ordering.relative_drop(0.0, 0.1))


def test_run_refuses_bad_parameters(analysed, all_measures):
    sim = all_measures[0]
    with pytest.raises(InputError, match="at least one repetition"):
        ordering.run(analysed, [sim], repetitions=0)
    with pytest.raises(InputError, match="at least 3"):
        ordering.run(analysed, [sim], minimum_sentences=2)
    with pytest.raises(InputError, match="different names"):
        ordering.run(analysed, [sim, sim])
    with pytest.raises(InputError, match="different names"):
        ordering.run(analysed, [])
    for condition in ("R0", "X", "r1", "R1.5"):
        with pytest.raises(InputError, match="a condition is R1, R2"):
            ordering.run(analysed, [sim], conditions=[condition])
    with pytest.raises(InputError, match="has 100 sentences"):
        ordering.run(analysed, [sim], minimum_sentences=100)
    other = ordering.analyse(ordering.from_texts({"d": ["A cat.", "A dog.", "A cow."]}))
    with pytest.raises(InputError, match="another collection"):
        ordering.run(other, [sim])


def test_more_moves_than_sentences_move_all():
    generator = np.random.default_rng(0)
    assert ordering.degraded_orders(3, "R5", 4, generator).shape == (4, 3)


def test_an_order_can_be_fitted_to_the_measure(analysed, all_measures):
    for measure in all_measures[:5]:
        result = ordering.reorder(analysed, measure)
        assert result.documents == ("story", "short", "long")
        exact = result.is_exact
        assert exact.tolist() == [True, True, False]
        assert (result.best[exact] >= result.source[exact] - 1e-12).all()
        assert (result.best >= result.shuffled - 1e-12).all()
        assert ((result.tau >= -1) & (result.tau <= 1)).all()
        if measure.is_symmetric:  # the better of both directions
            assert (result.tau >= 0).all() and (result.shuffled_tau >= 0).all()
        assert ((result.shuffled_subsequence > 0) & (result.shuffled_subsequence <= 1)).all()
        assert set(result.perfect) <= {0.0, 1.0}
    assert ordering.reorder(analysed, all_measures[0], longest=10).documents == ("story", "short")
    assert ordering.reorder(analysed, all_measures[0], limit=1).documents == ("story",)
    with pytest.raises(InputError, match="3 to 2 sentences"):
        ordering.reorder(analysed, all_measures[0], longest=2)


# -------------------------------------------------------------------- analysis


def test_given_sentences_stay_whole():
    analysed = ordering.analyse(ordering.from_texts({"d": ["He left. She stayed.", "(1)", "* * *", "A dog barked."]}))
    assert analysed.sentences == ("He left. She stayed.", "(1)", "A dog barked.")
    assert analysed.without_words == 1


def test_running_text_is_split():
    text = "Mr. Fox left Oslo. It rained.\n\nSnow fell in May"
    analysed = ordering.analyse(ordering.from_texts({"d": text}))
    assert analysed.sentences == ("Mr. Fox left Oslo.", "It rained.", "Snow fell in May")
    assert analysed.signature.startswith("text:shipped@")


def test_nothing_to_analyse():
    with pytest.raises(InputError, match="nothing to score"):
        ordering.analyse(ordering.from_texts({"d": "", "e": " - \n"}))


# -------------------------------------------------------------------- collections


def test_lee_is_read_from_gensims_wheel():
    collection = ordering.open_collection("lee-background")
    assert len(collection) == 300 and collection.counts["left out"] == 0
    assert collection.documents[0].paragraphs[0].startswith("Hundreds of people have been forced")
    small = ordering.open_collection("lee")
    assert len(small) == 50
    # That file is not UTF-8: a pound sign in Latin-1 is reported, and the article kept.
    assert [(p.kind, p.action) for p in small.problems] == [("encoding", "repaired")]
    assert "0xa3" in small.problems[0].reason and small.problems[0].line
    assert any("£" in d.paragraphs[0] for d in small.documents)


MARKUP = """{{Infobox|name=X}}
'''Oslo''' is the [[capital city|capital]] of [[Norway]].<ref>Book, p. 3.</ref> It has ''many'' parks ( , ) .

== History ==
[[File:Oslo.jpg|thumb|A view of Oslo]]
The city was founded in 1040 (by the king).
* A list item. It has sentences.
{| class="wikitable"
| cell || Another cell.
|}
=== Fire ===
It burned in 1624.

== References ==
<references/>
Smith wrote a book.
=== Notes ===
More of it.
== Economy ==
Shipping is important. &quot;Very,&quot; he said.
[[Category:Cities]]"""


def test_wikipedia_markup_becomes_running_text():
    assert ordering.wikipedia_paragraphs(MARKUP) == [
        "Oslo is the capital of Norway. It has many parks.",
        "The city was founded in 1040 (by the king).",
        "It burned in 1624.",
        'Shipping is important. "Very," he said.',
    ]


def _dump(*pages):
    body = "".join(
        f"<page><title>{title}</title><ns>{namespace}</ns><id>{number}</id><revision><text>{text}</text></revision></page>"
        for number, (title, namespace, text) in enumerate(pages, start=1)
    )
    return f'<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.8/">{body}</mediawiki>'.encode()


def test_wikipedia_dumps(tmp_path):
    pages = [
        ("Oslo", 0, "Oslo is a city. It is old."),
        ("Talk:Oslo", 1, "I agree."),
        ("Olso", 0, "#REDIRECT [[Oslo]]"),
        ("List", 0, "* Oslo\n* Bergen"),
        ("Bergen", 0, "Bergen is wet. It rains."),
    ]
    (tmp_path / "dump.xml.bz2").write_bytes(bz2.compress(_dump(*pages)))
    collection = ordering.read_wikipedia_dump(tmp_path / "dump.xml.bz2")
    assert [d.name for d in collection.documents] == ["Oslo", "Bergen"]
    assert [(p.document, p.kind) for p in collection.problems] == [("List", "empty")]
    assert len(ordering.read_wikipedia_dump(tmp_path / "dump.xml.bz2", limit=1)) == 1
    # A dump that breaks off: what came before it is kept.
    (tmp_path / "broken.xml").write_bytes(_dump(*pages)[:-120])
    collection = ordering.read_wikipedia_dump(tmp_path / "broken.xml")
    assert collection.documents[0].name == "Oslo"
    assert collection.problems[-1].kind == "unreadable file"


TREC = b"""<DOC>
<DOCNO> FT911-1 </DOCNO>
<HEADLINE>FT  14 MAY 91 / A headline</HEADLINE>
<TEXT>
Shares fell on Monday. R&amp;D costs
rose by 5&blank;per cent.

<P>
Profits &lt; expected. A 3 < 4 sign.
</P>
<TABLE>
1 2 3
</TABLE>
The end came.
</TEXT>
</DOC>
<DOC><DOCNO>LA010189-0001</DOCNO>
<TEXT><P>One.</P><P>Two.</P></TEXT>
<TEXT><F P=105> Language </F> [Text] Three.</TEXT></DOC>
"""

BROKEN = b"""<DOC>
<DOCNO> A-1 </DOCNO>
<TEXT>Never closed here.
</DOC>
<DOC>
<DOCNO> A-2 </DOCNO>
<TEXT>Never ended.</TEXT>
<DOC>
<DOCNO> A-3 </DOCNO>
<TEXT>This one is fine. It is kept.</TEXT>
</DOC>
</DOC>
<DOC>
<TEXT>No number.</TEXT>
</DOC>
<DOC>
<DOCNO> A-4 </DOCNO>
<HEADLINE>Only a headline</HEADLINE>
</DOC>
<DOC>
<DOCNO> A-5 </DOCNO>
<TEXT><TABLE> 1 2 3 and all that follows.</TEXT>
</DOC>
<DOC>
<DOCNO> A-6 </DOCNO>
<TEXT>The file ends"""


def test_trec_documents_are_parsed(tmp_path):
    (tmp_path / "ft").mkdir()
    (tmp_path / "ft" / "ft911_1").write_bytes(TREC)
    collection = ordering.read_trec(tmp_path)
    assert [d.name for d in collection.documents] == ["FT911-1", "LA010189-0001"]
    assert collection.documents[0].paragraphs == (
        "Shares fell on Monday. R&D costs rose by 5 per cent.",
        "Profits < expected. A 3 < 4 sign.",
        "The end came.",
    )
    assert collection.documents[1].paragraphs == ("One.", "Two.", "Language [Text] Three.")
    assert not collection.problems
    with gzip.open(tmp_path / "ft.gz", "wb") as stream:
        stream.write(TREC)
    assert len(ordering.open_collection("robust04", tmp_path / "ft.gz")) == 2


def test_broken_sgml_is_reported_and_the_rest_is_read(tmp_path):
    (tmp_path / "bad.sgml").write_bytes(BROKEN)
    (tmp_path / "readme").write_bytes(b"No documents here.")
    (tmp_path / "packed.Z").write_bytes(b"\x1f\x9d\x90abc")
    (tmp_path / "cut.gz").write_bytes(gzip.compress(TREC)[:-30])
    collection = ordering.read_trec(tmp_path)
    assert "A-3" in [d.name for d in collection.documents]
    found = {p.document: (p.line, p.kind, p.reason) for p in collection.problems if p.path.endswith("bad.sgml")}
    assert found == {
        "A-1": (1, "broken markup", "<TEXT> without </TEXT>"),
        "A-2": (5, "broken markup", "the next <DOC> starts before </DOC>"),
        "bad.sgml:12": (12, "broken markup", "</DOC> without <DOC>"),
        "bad.sgml:13": (13, "broken markup", "it has no <DOCNO>"),
        "A-4": (16, "empty", "it has no word"),
        "A-5": (20, "broken markup", "<TABLE> is never closed"),
        "A-6": (24, "broken markup", "the file ends before </DOC>"),
    }
    other = {p.document: (p.kind, p.reason) for p in collection.problems if not p.path.endswith("bad.sgml")}
    assert other["readme"] == ("not a document", "the file has no <DOC>")
    assert other["packed.Z"][0] == "unreadable file" and "gzip -d" in other["packed.Z"][1]
    assert other["cut.gz"][0] == "unreadable file"
    assert collection.counts["left out"] == 10
    assert collection.counts["left out: broken markup"] == 6
    assert "bad.sgml, line 5): broken markup, left out" in str(
        next(p for p in collection.problems if p.document == "A-2")
    )


WT10G = b"""<DOC>
<DOCNO>WTX001-B01-1</DOCNO>
<DOCOLDNO>IA001-000000-B001-1</DOCOLDNO>
<DOCHDR>
http://www.example.org:80/ 10.0.0.1 19970101000000 text/html 200
Content-type: text/html
</DOCHDR>
<html><head><title>The title. It is no text.</title><script>var a = 1. ;</script></head>
<body><h1>A heading.</h1>
<a href=x>Home</a> | <a href=y>Links</a>
<p>We sell <b>nets</b> &amp; hooks.<br>They are strong.
<p>Caf&eacute; guests like fish. <!-- a comment. -->
<ul><li>Item one<li>Item two is a sentence.</ul>
<table><tr><td>Cell</td><td>Another cell has text.</td></tr></table>
</DOC>
<DOC>
<DOCNO>WTX001-B01-2</DOCNO>
<DOCHDR>
http://www.example.org:80/empty
</DOCHDR>
<a href=x>Links only</a>
</DOC>
"""


def test_wt10g_pages_are_parsed(tmp_path):
    (tmp_path / "WTX001").mkdir()
    (tmp_path / "WTX001" / "B01.gz").write_bytes(gzip.compress(WT10G))
    collection = ordering.open_collection("wt10g", tmp_path)
    assert [d.name for d in collection.documents] == ["WTX001-B01-1"]
    assert collection.documents[0].paragraphs == (
        "We sell nets & hooks.",
        "They are strong.",
        "Café guests like fish.",
        "Item two is a sentence.",
        "Another cell has text.",
    )
    assert [(p.document, p.kind, p.line) for p in collection.problems] == [("WTX001-B01-2", "empty", 16)]


def test_json_lines(tmp_path):
    rows = [
        {"id": "1", "category": "sport", "paragraphs": ["He won. She lost.", "", "They left."]},
        {"title": "T", "text": "First paragraph.\n\nSecond one.\nStill the second."},
        {"name": "S", "sentences": ["He won.", "She lost."]},
        {"id": 7, "paragraphs": "no list: a text."},
        {"id": "8", "other": "no text field"},
        {"id": "9", "paragraphs": [1, 2]},
        {"id": "10", "paragraphs": []},
        ["no", "object"],
    ]
    lines = [json.dumps(row).encode() for row in rows]
    lines += [b"{broken", b"", b'{"id": "latin", "text": "caf\xe9 guests."}', b'{"id": "c", "text": "a\x00b \x07 c."}']
    path = tmp_path / "mixed.jsonl"
    path.write_bytes(b"\n".join(lines) + b"\n")
    collection = ordering.open_collection("mixed", path)
    assert [d.name for d in collection.documents] == ["sport/1", "T", "S", "7", "latin", "c"]
    assert collection.documents[0].paragraphs == ("He won. She lost.", "They left.")
    assert collection.documents[1].paragraphs == ("First paragraph.", "Second one. Still the second.")
    assert collection.documents[2].sentences == ("He won.", "She lost.")
    assert collection.documents[4].paragraphs == ("café guests.",)
    assert collection.documents[5].paragraphs == ("a b c.",)
    found = [(p.line, p.kind, p.action) for p in collection.problems]
    assert found == [
        (5, "not a document", "left out"),
        (6, "not a document", "left out"),
        (7, "empty", "left out"),
        (8, "not a document", "left out"),
        (9, "not a document", "left out"),
        (11, "encoding", "repaired"),
        (12, "control characters", "repaired"),
    ]
    assert collection.counts == {
        "documents": 6,
        "left out": 5,
        "repaired": 2,
        "left out: empty": 1,
        "left out: not a document": 4,
        "repaired: control characters": 1,
        "repaired: encoding": 1,
    }
    only = ordering.read_json_lines(path, text_field="other", name_field="other")
    assert [d.name for d in only.documents] == ["no text field"]


def test_folders_of_text(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "a.txt").write_text("Title\n\nOne sentence.\nTwo sentences.\n\nThree.", encoding="utf-8")
    (tmp_path / "sub" / "b.txt").write_bytes("Über café. Größe.".encode("utf-16"))
    (tmp_path / "c.txt").write_bytes(b"\x93Quoted,\x94 she said. \x81 fine.")
    (tmp_path / "d.txt").write_bytes("\ufeffWith a mark.".encode())
    (tmp_path / "empty.txt").write_bytes(b"")
    (tmp_path / ".hidden.txt").write_text("Not read.")
    (tmp_path / "long.txt").write_text("word " * 200_000)
    (tmp_path / "other.md").write_text("Not read.")
    collection = ordering.read_text_folder(tmp_path)
    texts = {d.name: d.paragraphs for d in collection.documents}
    assert texts["a.txt"] == ("Title", "One sentence. Two sentences.", "Three.")
    assert texts["sub/b.txt"] == ("Über café. Größe.",)
    assert texts["d.txt"] == ("With a mark.",)
    assert {(p.document, p.kind, p.action) for p in collection.problems} == {
        ("sub/b.txt", "encoding", "repaired"),
        ("c.txt", "encoding", "repaired"),
        ("c.txt", "control characters", "repaired"),
        ("empty.txt", "empty", "left out"),
        ("long.txt", "long line", "left out"),
    }
    assert "1,000,000 characters" in next(p.reason for p in collection.problems if p.kind == "long line")
    assert collection.counts["documents"] == 4 and collection.counts["repaired"] == 2
    titled = ordering.read_text_folder(tmp_path / "a.txt", first_line_is_title=True)
    assert titled.documents[0].paragraphs == ("One sentence. Two sentences.", "Three.")
    # The rest is scored although others are broken.
    analysed = ordering.analyse(collection)
    assert set(analysed.names) == {"a.txt", "sub/b.txt", "c.txt", "d.txt"}
    longer = ordering.read_text_folder(tmp_path, longest_paragraph=2_000_000)
    assert "long.txt" in {d.name for d in longer.documents}


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\x85", "\u2028"])
def test_a_line_end_of_any_system_is_one_line_end(tmp_path, end):
    for plain, count in (("a\nb", 1), ("a\n\tb", 1), ("a\n\nb", 2), ("a\n \n\nb", 2), ("a\fb", 2), ("a\n\fb", 2)):
        assert len(documents_module.paragraphs_of(plain.replace("\n", end))) == count, plain
    text = "The committee met on Monday to\ndiscuss the budget. It was long.\n\nSecond paragraph.".replace("\n", end)
    paragraphs = ("The committee met on Monday to discuss the budget. It was long.", "Second paragraph.")
    (tmp_path / "a.txt").write_bytes(text.encode())
    assert ordering.read_text_folder(tmp_path).documents[0].paragraphs == paragraphs
    assert ordering.html_paragraphs(f"<p>{text}</p>{end}<p>Third one.</p>") == [*paragraphs, "Third one."]


def test_the_title_of_a_windows_file(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"Title\r\n\r\nOne line.\r\nAnd another.\r\n\r\nTwo.")
    titled = ordering.read_text_folder(tmp_path, first_line_is_title=True)
    assert titled.documents[0].paragraphs == ("One line. And another.", "Two.")


def test_one_undecodable_byte_leaves_the_rest_as_it_is(tmp_path):
    text = "Ängste in Zürich – “so viele” – kosten 5 €."
    for wrong, wanted in ((b"caf\xe9 \x93x\x94", "café “x”"), (b"a\x81b\x85", "a b…"), (b"\xe2\x80 cut", "â€ cut")):
        raw = text.encode() + b" " + wrong
        (tmp_path / "a.txt").write_bytes(raw)
        (tmp_path / "b.txt").write_bytes(codecs.BOM_UTF8 + raw)
        for document in ordering.read_text_folder(tmp_path).documents:
            assert document.paragraphs == (f"{text} {wanted}",)
        problem = ordering.read_lines(tmp_path / "a.txt").problems[0]
        first = next(byte for byte in wrong if byte > 127)
        place = len(text.encode()) + 1 + wrong.index(first)
        assert (problem.kind, problem.action) == ("encoding", "repaired")
        assert problem.reason.startswith(f"byte 0x{first:02x} at position {place} is not UTF-8")


def test_latin_1_is_read_as_windows_1252(tmp_path):
    raw = "“Caf\xe9” – 5 €…".encode("cp1252")
    (tmp_path / "lines.txt").write_bytes(raw)
    collection = ordering.read_lines(tmp_path / "lines.txt", encoding="ISO-8859-1")
    assert collection.documents[0].paragraphs == ("“Café” – 5 €…",) and not collection.problems
    (tmp_path / "trec").write_bytes(b"<DOC><DOCNO>1</DOCNO><TEXT>" + raw + b"</TEXT></DOC>\n")
    collection = ordering.read_trec(tmp_path / "trec")
    assert collection.documents[0].paragraphs == ("“Café” – 5 €…",) and not collection.problems


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_readers_of_lines_refuse_utf_16(tmp_path, encoding):
    path, content = tmp_path / "a.jsonl", '{"text": "One line."}\n{"text": "Another."}\n'
    path.write_bytes(("\ufeff" + content).encode(encoding))
    for reader in (ordering.read_json_lines, ordering.read_lines, ordering.read_trec, ordering.read_wt10g):
        collection = reader(path)
        assert not collection.documents
        assert (collection.problems[0].kind, collection.problems[0].action) == ("unreadable file", "left out")
        assert "UTF-16" in collection.problems[0].reason and "UTF-8" in collection.problems[0].reason
    # A whole file is decoded, also one that ends within a character.
    for raw in (path.read_bytes(), path.read_bytes() + b"\x00"):
        path.write_bytes(raw)
        assert ordering.read_text_folder(path).documents[0].paragraphs[0].startswith('{"text": "One line."}')


def test_a_million_characters_in_one_line_are_left_out_of_every_format(tmp_path):
    long = "a" * 1_000_000
    (tmp_path / "lines.txt").write_text(f"Short one. Fine.\n{long}\n")
    (tmp_path / "docs.jsonl").write_text(json.dumps({"text": long}) + '\n{"text": "Short one."}\n')
    (tmp_path / "trec").write_text(f"<DOC><DOCNO>1</DOCNO><TEXT>{long}</TEXT></DOC>\n" + TREC.decode())
    for collection, count in (
        (ordering.read_lines(tmp_path / "lines.txt"), 1),
        (ordering.read_json_lines(tmp_path / "docs.jsonl"), 1),
        (ordering.read_trec(tmp_path / "trec"), 2),
        (ordering.from_texts({"a": long, "b": "Short."}), 1),
    ):
        assert collection.counts["left out: long line"] == 1
        assert len(collection) == count


@given(st.binary(max_size=400))
@settings(max_examples=150, deadline=None)
def test_no_bytes_stop_a_reader(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("any") / "any.jsonl"
    path.write_bytes(content)
    for reader in (
        ordering.read_json_lines,
        ordering.read_lines,
        ordering.read_trec,
        ordering.read_wt10g,
        ordering.read_text_folder,
    ):
        collection = reader(path)
        for document in collection.documents:
            assert any(c.isalnum() for part in document.paragraphs + document.sentences for c in part)


def test_missing_and_unknown_collections(tmp_path):
    with pytest.raises(ResourceNotFoundError, match="does not exist"):
        ordering.read_trec(tmp_path / "nowhere")
    with pytest.raises(ResourceNotFoundError, match="no file that matches"):
        ordering.read_text_folder(tmp_path)
    with pytest.raises(ResourceNotFoundError, match="give its path"):
        ordering.open_collection("robust04")
    with pytest.raises(InputError, match="no collection is called 'bcc'"):
        ordering.open_collection("bcc")
    with pytest.raises(InputError, match="neither a text nor a list"):
        ordering.from_texts({"a": 3})
    with pytest.raises(InputError, match="at least one character"):
        ordering.from_texts({"a": "b"}, longest_paragraph=0)


def test_folders_and_lines_by_name(tmp_path):
    (tmp_path / "a.txt").write_text("One. Two.")
    assert len(ordering.open_collection("mine", tmp_path)) == 1
    assert ordering.open_collection("mine", tmp_path / "a.txt").documents[0].name == "a-1"


def test_samples_keep_the_order():
    collection = ordering.from_texts({str(n): "A text." for n in range(50)})
    sample = collection.sample(10, seed=4)
    names = [int(d.name) for d in sample.documents]
    assert len(names) == 10 and names == sorted(names)
    assert sample.documents == collection.sample(10, seed=4).documents
    assert collection.sample(50) is collection
    assert "10 of 50 documents, seed 4" in sample.description
    with pytest.raises(InputError, match="at least one document"):
        collection.sample(0)


def test_unclosed_elements_are_not_swallowed():
    with pytest.raises(DataFormatError, match="<SCRIPT> is never closed"):
        ordering.html_paragraphs("<p>Text here. <script>var a;")
    # A heading that the next paragraph ends, as browsers take it.
    assert ordering.html_paragraphs("<h2>Head. <p>Text here.") == ["Text here."]


def test_control_characters_of_every_kind_go():
    assert not documents_module._CONTROL.search("plain\ttext\nand\r\x85more")
    assert documents_module._CONTROL.sub("", "a\x00\x1b\x7f\x9b\ud800b") == "ab"


# -------------------------------------------------------------------- published findings on real text


def test_word_similarity_falls_when_wikipedia_is_shuffled():
    """Section 5: the scores of Sim and NounSim fall from the source to the shuffled Wikipedia articles."""
    from gensim.test.utils import datapath

    dump = datapath("enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2")
    collection = ordering.read_wikipedia_dump(dump, limit=20)
    analysed = ordering.analyse(collection)
    measures = [ordering.similarity(analysed), ordering.noun_similarity(analysed)]
    result = ordering.run(analysed, measures, conditions=["R5", "R"], repetitions=20)
    for measure in measures:
        steps = result.expected_order(measure.name, resamples=500)
        assert [step["holds"] for step in steps] == [True, True]
        assert steps[1]["difference"].low > 0
        assert result.discrimination(measure.name)["accuracy"].low > 0.7  # chance is 0.5
