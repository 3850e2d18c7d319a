"""Sentence order: the measures of Ermakova (2016), the framework around them, collections and bad input."""

import bisect
import bz2
import gzip
import itertools
import math
import re
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refused import refused
from scipy.special import rel_entr

from nbhelpers.base.errors import NbhelpersError
from nbhelpers.language.english import coarse_tag
from nbhelpers.resources.vectors import WordVectors
from nbhelpers.results import claims, estimates, evidence
from nbhelpers.studies import ordering
from nbhelpers.studies.ordering import documents, experiment, fitting, measures, orders

# -------------------------------------------------------------------- plain, slow versions


def plain_cosine(a, b) -> float:
    """Equation 3."""
    length = np.linalg.norm(a) * np.linalg.norm(b)
    return a @ b / length if length else 0.0


def plain_score(rows, order) -> float:
    """Equation 2: mean over adjacent sentences."""
    return np.mean([plain_cosine(rows[i], rows[j]) for i, j in itertools.pairwise(order)])


def plain_documents(analysed, matrix) -> list[np.ndarray]:
    """The rows of every document."""
    return [matrix[start:stop].toarray() for start, stop in itertools.pairwise(analysed.starts)]


def plain_divergences(rows, smoothing: float) -> list[list[float]]:
    """Minus the divergence of every sentence from every other, both smoothed with their document."""
    whole = rows.sum(axis=0) / max(rows.sum(), 1)
    smoothed = [(1 - smoothing) * row / row.sum() + smoothing * whole if row.any() else whole for row in rows]
    return [[-rel_entr(earlier, later).sum() for later in smoothed] for earlier in smoothed]


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


class Letters:
    """An encoder that counts letters."""

    seen = ()

    def encode(self, sentences):
        self.seen = sentences
        return np.array([[s.count(c) for c in "abcdefghijklmnopqrstuvwxyz"] for s in sentences], np.float32)


def read(*sentences, **texts):
    """An analysed collection: one document of sentences, or several by name."""
    return ordering.analyse(ordering.from_texts(texts or {"d": list(sentences)}))


@pytest.fixture(scope="module")
def analysed():
    kinds = itertools.product(["red", "blue", "old"], ["king", "baker", "farmer"], ["Rome", "Paris", "Lyon"])
    return read(
        story=STORY,
        short=["A cat slept.", "The cat woke up.", "Snow fell."],
        two=["One fish swam.", "Another fish slept."],
        one=["Alone again."],
        long=[f"The {a} {b} of Oslo met the {b} of {c}." for a, b, c in kinds],
    )


@pytest.fixture(scope="module")
def all_measures(analysed):
    words = sorted(set(" ".join(STORY).lower().split()))
    vectors = WordVectors(tuple(words), np.array([[len(word), word.count("e"), -1.0] for word in words]), "made up")
    return [
        *ordering.standard_measures(analysed),
        ordering.embedding_similarity(analysed, Letters()),
        ordering.vector_similarity(analysed, vectors),
    ]


# -------------------------------------------------------------------- equations 2 and 3


def full_names(analysed):
    return measures.entity_similarity(analysed, minimum_words=2, name="full")


@pytest.mark.parametrize(
    "measure, sentences, expected",
    [
        # Counts, not sets: {dog: 2, cat: 1} and {dog: 1, fish: 2}.
        (ordering.similarity, ["Dog, dog, cat!", "Dogs, fish and fish."], 2 / 5),
        (ordering.similarity, ["The dogs barked.", "The dog is barking."], 1),
        # Sets of common nouns: {dog} and {dog, cat}.
        (measures.noun_similarity, ["The dogs saw the dogs in Oslo.", "A dog saw the cats in Oslo."], 1 / math.sqrt(2)),
        # Whole names: {anna berg, oslo} and {berg, oslo}.
        (measures.entity_similarity, ["They met Anna Berg in Oslo.", "He saw Berg leave Oslo."], 1 / 2),
        (measures.entity_similarity, ["It rained.", "It snowed."], 0),
        (full_names, ["They met Anna Berg in Oslo.", "Anna Berg left Rome."], 1),
        # {dog: 1, saw: 1/2} and {dog: 1, found: 1/2}.
        (measures.weighted_similarity, ["The dogs saw it.", "The dog found it."], 1 / (1 + 1 / 4)),
    ],
)
def test_equation_3_by_hand(measure, sentences, expected):
    assert measure(read(*sentences)).matrix(0)[0, 1] == pytest.approx(expected)


def test_equation_2_by_hand():
    # Adjacent cosines 1/2 (cat), 0, 1/√2 (snow against snow, fell): their sum over n - 1 = 3.
    measure = ordering.similarity(read("A cat slept.", "The cat woke.", "Snow.", "Snow fell."))
    assert ordering.order_score(measure.matrix(0)) == pytest.approx((1 / 2 + 1 / math.sqrt(2)) / 3)
    # Cat, cat, snow, snow in the order 0 2 1 3: no neighbours share a word.
    assert ordering.order_score(measure.matrix(0), [0, 2, 1, 3]) == 0


@pytest.mark.parametrize("measure, weights", [("Sim", None), ("NounSim", {"NN": 1, "NNS": 1}), ("PosSim", "coarse")])
def test_measures_equal_the_plain_equations(analysed, all_measures, measure, weights):
    if weights == "coarse":
        weights = {tag: measures.POS_WEIGHTS.get(coarse_tag(tag), 0) for tag in analysed.tags}
    matrix = measures.count_matrix(analysed, weights)
    if measure == "NounSim":
        matrix.data[:] = 1
    found = next(one for one in all_measures if one.name == measure)
    for document, rows in enumerate(plain_documents(analysed, matrix)):
        wanted = np.array([[plain_cosine(a, b) for b in rows] for a in rows])
        assert found.matrix(document) == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("smoothing", [0.1, 0.5, 1.0])
def test_divergence_equals_the_plain_formula(analysed, smoothing, monkeypatch):
    monkeypatch.setattr(measures, "SMOOTHING", smoothing)
    measure = measures.divergence(analysed)
    for document, rows in enumerate(plain_documents(analysed, measures.count_matrix(analysed))):
        assert measure.matrix(document) == pytest.approx(np.array(plain_divergences(rows, smoothing)), abs=1e-9)


def test_similarity_with_stop_words():
    two = read("The cat is here.", "The dog is there.")
    assert ordering.similarity(two).matrix(0)[0, 1] == 0
    every = ordering.similarity(two, stop_words=True)  # two of four words each, "." is none
    assert every.name == "Sim with stop words" and every.matrix(0)[0, 1] == pytest.approx(2 / 4)


def test_sentences_without_words():
    # "It was." has stop words only: its distribution is the document's.
    measure = measures.divergence(read(d=["It was.", "A cat slept.", "It was."], e=["It was.", "They were."]))
    assert np.isfinite(measure.matrix(0)).all()
    assert measure.matrix(0)[0, 2] == pytest.approx(0)
    assert measure.matrix(1) == pytest.approx(np.zeros((2, 2)))
    for measure in ordering.standard_measures(read("Who is it?", "What was that?", "Why not?")):
        assert measure.matrix(0).tolist() == np.zeros((3, 3)).tolist()


def test_embeddings_and_word_vectors():
    two = read("Dogs bark.", "Cats sleep.", "Dogs bark.")
    encoder = Letters()
    measure = ordering.embedding_similarity(two, encoder)
    assert encoder.seen == ["Dogs bark.", "Cats sleep."]  # equal sentences once
    assert measure.pairs(np.array([0, 0]), np.array([1, 2])) == pytest.approx([3 / math.sqrt(7 * 12), 1])
    vectors = WordVectors(("dogs", "cats", "sleep"), np.array([[1.0, 0], [0, 1], [1, 0]]), "made up")
    measure = ordering.vector_similarity(two, vectors)
    assert measure.matrix(0)[0, 1] == pytest.approx(1 / math.sqrt(2))
    unknown = ordering.vector_similarity(two, WordVectors(("snow",), np.ones((1, 1)), "made up"))
    assert not unknown.matrix(0).any()


# -------------------------------------------------------------------- properties of all measures


def test_matrices_pairs_and_means_agree(analysed, all_measures, monkeypatch):
    monkeypatch.setattr(measures, "PAIRS_AT_ONCE", 5)
    for measure in all_measures:
        for document, (start, n) in enumerate(zip(analysed.starts, analysed.lengths)):
            first, second = np.divmod(np.arange(n * n), n)
            pairs = measure.pairs(start + first, start + second).reshape(n, n)
            assert measure.matrix(document) == pytest.approx(pairs, abs=1e-6)
            assert document or np.allclose(pairs, pairs.T) == measure.is_symmetric == (measure.name != "KL")
            if n > 1:
                score = ordering.order_score(measure.matrix(document))
                assert score == pytest.approx(np.diag(pairs, 1).mean(), abs=1e-6)
            else:  # one sentence has no score
                assert math.isnan(ordering.order_score(pairs)) and math.isnan(measure.expected_scores()[document])


def test_expectation_is_the_mean_over_all_orders(analysed, all_measures):
    index = np.array(list(itertools.permutations(range(7))))
    for measure in all_measures:
        mean = measure.matrix(0)[index[:, :-1], index[:, 1:]].mean()
        assert measure.expected_scores()[0] == pytest.approx(mean, abs=1e-6)


def test_lag_profile_by_hand(analysed):
    text = read(d=["A cat.", "A dog.", "A cat.", "A dog."], e=["A cat.", "A cat."])
    profile, low, high = ordering.similarity(text).lag_profile(1)
    assert profile == low == high == 1
    # More than two sentences: the first text alone. Distance 1: 0, 0, 0, so no share of it; more than three: none.
    assert np.isnan(ordering.similarity(text).lag_profile(2)).all()
    text = read(d=["A cat.", "A cat.", "A dog.", "A cat."], e=["A dog.", "A dog."])
    profile, low, high = ordering.similarity(text).lag_profile(3)
    # Distance 1: 1, 0, 0, a mean of 1/3; distance 2: 0, 1, a mean of 1/2; distance 3: 1. The second text is too short.
    assert profile == pytest.approx([1, 1.5, 3])
    assert np.isnan(ordering.similarity(text).lag_profile(4)).all()
    profile, low, high = ordering.similarity(analysed).lag_profile(2)
    assert (low <= profile).all() and (profile <= high).all()


def test_scores_do_not_depend_on_the_order_of_documents(analysed):
    texts = {name: list(analysed.document(i)) for i, name in enumerate(analysed.names)}
    forwards, backwards = read(**texts), read(**dict(reversed(texts.items())))
    runs = [ordering.run(one, ordering.standard_measures(one), repetitions=5, seed=3) for one in (forwards, backwards)]
    first, second = (one.set_index(["document", "measure"]).drop(columns="collection") for one in runs)
    assert second.index[0] == ("long", "Sim") and first.index[0] == ("story", "Sim")
    assert second.loc[first.index].to_numpy() == pytest.approx(first.to_numpy(), abs=1e-12)


# -------------------------------------------------------------------- orders


@given(st.integers(3, 12), st.integers(1, 3), st.integers(0, 1000))
def test_moved_orders_are_other_orders(length, count, seed):
    found = orders.moved(length, count, 20, np.random.default_rng(seed))
    assert found.shape == (20, length)
    assert (np.sort(found, axis=1) == np.arange(length)).all()
    assert (found != np.arange(length)).any(axis=1).all()
    # Without the moved sentences the others keep their order.
    for order in found.tolist():
        ends = []  # of the longest rising runs of each length
        for sentence in order:
            place = bisect.bisect_left(ends, sentence)
            ends[place : place + 1] = [sentence]
        assert len(ends) >= length - count


def test_moves_and_shuffles_are_uniform():
    found = Counter(map(tuple, orders.moved(4, 1, 60_000, np.random.default_rng(0)).tolist()))
    # 4 sentences with 3 other places each; swapping neighbours comes about in two ways.
    assert len(found) == 9
    for order, count in found.items():
        ways = 2 if order in {(1, 0, 2, 3), (0, 2, 1, 3), (0, 1, 3, 2)} else 1
        assert count / 60_000 == pytest.approx(ways / 12, abs=0.006)
    found = Counter(map(tuple, orders.shuffled(3, 60_000, np.random.default_rng(0)).tolist()))
    assert np.array([found[p] for p in itertools.permutations(range(3))]) / 60_000 == pytest.approx(1 / 6, abs=0.006)


def test_agreement_with_the_authors_order():
    for order in itertools.permutations(range(5)):  # equation 1
        agree = sum(order[i] < order[j] for i, j in itertools.combinations(range(5), 2))
        assert orders.kendall_tau(order) == pytest.approx(2 * (agree - (10 - agree)) / (5 * 4))
    assert math.isnan(orders.kendall_tau([0]))


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("length", [2, 3, 4, 6, 7])
def test_the_best_order_is_the_best_of_all(symmetric, length, monkeypatch):
    similarity = np.random.default_rng(length).normal(size=(length, length))
    if symmetric:
        similarity += similarity.T
    best = max(ordering.order_score(similarity, p) for p in itertools.permutations(range(length)))
    for exact_up_to in (12, 0):  # exactly, and by a search: so short a text that several starts find it
        monkeypatch.setattr(orders, "EXACT_UP_TO", exact_up_to)
        found = ordering.best_order(similarity)
        assert found.score == pytest.approx(best) == ordering.order_score(similarity, found.order)
        assert not symmetric or found.order[0] < found.order[-1]


@pytest.mark.parametrize("length", [4, 5, 8])
def test_the_heuristic_sees_the_best_change(length):
    """Gains of reversals and of moves of up to three neighbours against trying all of them."""
    generator = np.random.default_rng(length)
    cuts = list(itertools.combinations(range(length + 1), 2))
    for _ in range(30):
        similarity, path = generator.random((length, length)), generator.permutation(length)
        reversals = [np.r_[path[:i], path[i:j][::-1], path[j:]] for i, j in cuts if j - i > 1]
        pieces = [(np.delete(path, np.s_[i:j]), path[i:j]) for i, j in cuts if j - i <= 3]
        moves = [np.insert(rest, place, piece) for rest, piece in pieces for place in range(len(rest) + 1)]
        moves = [order for order in moves if (order != path).any()]
        here = np.pad(similarity[np.ix_(path, path)], 1)
        for best_change, changed in ((orders._best_reversal, reversals), (orders._best_move, moves)):
            best = max(ordering.order_score(similarity, order) for order in changed)
            gain = (best - ordering.order_score(similarity, path)) * (length - 1)
            assert best_change(here)[0] == pytest.approx(gain)


def test_the_search_finds_a_hidden_chain(monkeypatch):
    # Sentence k is like its neighbours in a hidden order only: that order is the single best.
    monkeypatch.setattr(orders, "STARTS", 60)
    hidden = np.random.default_rng(0).permutation(60)
    similarity = np.zeros((60, 60))
    similarity[hidden[:-1], hidden[1:]] = similarity[hidden[1:], hidden[:-1]] = 1
    found = ordering.best_order(similarity)
    assert found.score == 1
    assert found.order.tolist() in (hidden.tolist(), hidden[::-1].tolist())


# -------------------------------------------------------------------- the framework


@pytest.mark.parametrize(("like", "skip"), [((), 0), ((5,), 0), ((), 1)])
def test_run_equals_a_plain_loop(analysed, like, skip):
    rows = plain_documents(analysed, measures.count_matrix(analysed))
    options = {"repetitions": 4, "seed": 7, "like": like, "skip": skip}
    items = ordering.run(analysed, [ordering.similarity(analysed)], **options)
    assert items["document"].tolist() == (["story", "long"] if like or skip else ["story", "short", "long"])
    for line in items.to_dict("records"):
        document = analysed.names.index(line["document"])
        own, generator = rows[document][skip:], experiment.document_generator(7, analysed.document(document))
        if like:  # a stretch of five consecutive sentences
            assert generator.integers(1) == 0
            start = int(generator.integers(len(own) - 4))
            own = own[start : start + 5]
        source = plain_score(own, range(len(own)))
        assert (line["source"], line["sentences"]) == (pytest.approx(source), len(own))
        pairs = [plain_cosine(a, b) for a, b in itertools.pairwise(own)]
        assert line["zeros"] == pytest.approx(np.mean([value == 0 for value in pairs]))
        for condition in experiment.CONDITIONS:
            drawn = experiment.degraded_orders(len(own), condition, 4, generator)
            wanted = np.array([plain_score(own, order) for order in drawn.tolist()])
            assert line[condition] == pytest.approx(wanted.mean())
            wins = np.where(np.isclose(wanted, source, rtol=0, atol=1e-12), 0.5, source > wanted)
            assert line[f"{condition} wins"] == pytest.approx(wins.mean())


def test_numbers_in_words_are_those_of_the_evidence():
    said = {claim.id: claim.caveat for claim in claims.read()}
    items = evidence.load("ordering-documents").query("measure in ['Sim', 'NounSim with names']")
    found = ordering.summary(items, resamples=100).query("column == 'R falls by, %'").set_index("row")["value"]
    lead = found["Sim, wikipedia-5000"] - found["Sim, bbc-news"]
    assert f"a lead of {lead:.1f} points" in said["ordering-11"]
    turned = [found[f"NounSim with names, {c}"] - found[f"Sim, {c}"] for c in ("wikipedia-5000", "bbc-news")]
    assert "{:.1f} and {:.1f} points".format(*turned).replace("-", "−") in said["ordering-6"]
    depends = [claim.id for claim in claims.read() if claim.depends and claim.paper == "ordering"]
    assert max(turned) < 0 and depends == ["ordering-6"]


def test_the_summary_of_chains_of_words():
    # Every sentence shares one word with the next and none with others.
    chains = read(**{f"d{d}": [f"Word{d}x{i} word{d}x{i + 1}." for i in range(12)] for d in range(20)})
    items = ordering.run(chains, [ordering.similarity(chains)], repetitions=20)
    expected = ordering.similarity(chains).expected_scores()
    assert expected == pytest.approx(1 / 2 * 11 / 66)  # 11 of 66 pairs of sentences share a word
    found = ordering.summary(items, resamples=200)
    value = {one.column: one.value for one in found.itertuples()}
    assert value["score"] == pytest.approx(1 / 2) and value["wins over R"] == 1
    assert value["wins over reversed"] == 0.5 and value["reversed falls by, %"] == pytest.approx(0)
    mean = items[["R1", "R2", "R"]].mean()
    assert value["R falls by, %"] == pytest.approx(100 * (1 - mean["R"] / 0.5))
    assert found["n"].eq(20).all() and set(found["row"]) == {"Sim, texts"}
    printed = ordering.table1(items.assign(collection="wikipedia-5000"), resamples=200)
    cell = estimates.estimate(printed, "Sim Wikipedia", "R-score relative difference")
    assert cell.value == pytest.approx(100 * (0.5 - mean["R"]) / mean["R2"]) and cell.low < cell.value


def test_estimates_come_from_items_alone(analysed):
    items = ordering.run(analysed, [ordering.similarity(analysed), measures.noun_similarity(analysed)])
    whole = ordering.summary(items, resamples=200)
    part = ordering.summary(items[items["measure"] == "Sim"], resamples=200)
    numbers = ["value", "low", "high"]
    assert part[numbers].to_numpy() == pytest.approx(whole[whole["measure"] == "Sim"][numbers].to_numpy())
    without_names = ordering.summary(items.assign(source=0.0, R=0.0), resamples=200)
    assert "R falls by, %" not in set(without_names["column"])  # nothing to divide by


def test_a_fall_is_that_of_table_1():
    # Section 5, Table 1: Sim on Wikipedia, and NESim on Wikipedia, where the score rises.
    assert experiment.fall(np.array([0.1052, 0.1008]), 0, 1) == pytest.approx(4.18, abs=0.005)
    assert experiment.fall(np.array([0.0178, 0.0187]), 0, 1) == pytest.approx(-5.06, abs=0.005)
    # From the third column on it counts from the source and divides by the column before.
    assert experiment.fall(np.array([0.1052, 0.0977, 0.0721]), 0, 2, 1) == pytest.approx(33.88, abs=0.005)


def test_an_order_can_be_fitted_to_the_measure(analysed, all_measures, monkeypatch):
    for measure in all_measures[:5]:
        items = fitting.run(analysed, measure)
        assert items["document"].tolist() == ["story", "short", "long"]
        assert (items["best"] >= items["source"] - 1e-12)[:2].all()
        assert (items["best"] >= items["shuffled"] - 1e-12).all()
        assert items["tau"].between(0 if measure.is_symmetric else -1, 1).all()  # better of two ways
    items = fitting.run(analysed, all_measures[0])
    nearer = items["tau"].mean() - items["shuffled tau"].mean()
    assert fitting.summary(items)["value"].tolist() == pytest.approx(
        [(items["best"] > items["source"] + 1e-6).mean(), nearer]
    )
    assert fitting.run(analysed, all_measures[0], limit=1)["document"].tolist() == ["story"]
    monkeypatch.setattr(fitting, "LONGEST", 10)
    assert fitting.run(analysed, all_measures[0])["document"].tolist() == ["story", "short"]


# -------------------------------------------------------------------- bad input

TWO = read("A cat.", "A dog.")
SIMILARITY = ordering.similarity(TWO)


test_bad_parameters = refused(
    (lambda: ordering.run(TWO, [SIMILARITY], repetitions=0), "at least one measure"),
    (lambda: ordering.run(TWO, []), "at least one measure"),
    (lambda: ordering.run(TWO, [SIMILARITY, SIMILARITY]), "same name"),
    (lambda: ordering.run(read("A cat.", "A dog.", "A cow."), [SIMILARITY]), "another collection"),
    (lambda: ordering.run(TWO, [SIMILARITY]), "has 3 sentences"),
    (lambda: fitting.run(TWO, SIMILARITY), "3 to 60 sentences"),
    (lambda: orders.moved(3, 4, 1, np.random.default_rng(0)), "cannot be moved"),
    (lambda: ordering.order_score(np.zeros((3, 3)), [0, 0, 1]), "each of 0, 1"),
    (lambda: ordering.best_order([[np.nan]]), "square matrix"),
    (lambda: ordering.best_order(np.zeros((1001, 1001))), "square matrix"),
    (lambda: read(d="", e=" - \n"), "nothing to score"),
    (lambda: ordering.open_collection("bcc"), "is no path and none of the known collections: lee"),
    error=NbhelpersError,
)


# -------------------------------------------------------------------- analysis


def test_given_sentences_stay_whole_and_running_text_is_split():
    given = read("He left. She stayed.", "(1)", "* * *", "A dog barked.")
    assert given.sentences == ("He left. She stayed.", "(1)", "A dog barked.")
    running = read(d="Mr. Fox left Oslo. It rained.\n\nSnow fell in May", empty="", e="It fell.")
    assert running.sentences == ("Mr. Fox left Oslo.", "It rained.", "Snow fell in May", "It fell.")
    assert running.names == ("d", "e") and running.lengths.tolist() == [3, 1]


# -------------------------------------------------------------------- collections


def found_in(collection):
    """Name, line, kind and action of every problem."""
    parts = (re.fullmatch(r"(.+?) \([^:]+?(?:, line (\d+))?\): (.*?), (.*?): .*", line) for line in collection.problems)
    return [(name, int(line or 0), kind, action) for name, line, kind, action in (part.groups() for part in parts)]


def test_lee_is_read_from_gensims_wheel():
    collection = ordering.open_collection("lee-background")
    assert len(collection) == 300 and not collection.problems
    small = ordering.open_collection("lee")
    assert len(small) == 50
    # That file is not UTF-8: a pound sign in Latin-1 is reported, and the article kept.
    assert [problem[2:] for problem in found_in(small)] == [("encoding", "repaired")]
    assert "0xa3" in small.problems[0] and found_in(small)[0][1]
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
== References ==
<references/>
Smith wrote a book.
== Economy ==
Shipping is important. &quot;Very,&quot; he said.
[[Category:Cities]]"""


def test_wikipedia_markup_becomes_running_text():
    assert documents.wikipedia_paragraphs(MARKUP) == [
        "Oslo is the capital of Norway. It has many parks.",
        "The city was founded in 1040 (by the king).",
        'Shipping is important. "Very," he said.',
    ]


def test_wikipedia_dumps(tmp_path):
    pages = [
        ("Oslo", 0, "Oslo is a city. It is old."),
        ("Talk:Oslo", 1, "I agree."),
        ("Olso", 0, "#REDIRECT [[Oslo]]"),
        ("List", 0, "* Oslo\n* Bergen"),
        ("Bergen", 0, "Bergen is wet. It rains."),
    ]
    page = "<page><title>{}</title><ns>{}</ns><id>1</id><revision><text>{}</text></revision></page>"
    dump = '<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.8/">'
    dump = (dump + "".join(page.format(*each) for each in pages) + "</mediawiki>").encode()
    path = tmp_path / "dump.xml.bz2"
    path.write_bytes(bz2.compress(dump))
    collection = documents.read_wikipedia_dump(path)
    assert [d.name for d in collection.documents] == ["Oslo", "Bergen"]
    assert found_in(collection) == [("List", 0, "empty", "left out")]
    # A dump that breaks off: what came before it is kept.
    path = tmp_path / "broken.xml"
    path.write_bytes(dump[:-120])
    collection = documents.read_wikipedia_dump(path)
    assert collection.documents[0].name == "Oslo"
    assert found_in(collection)[-1][2] == "unreadable file"


JSON_LINES = b"""{"id": "1", "category": "sport", "paragraphs": ["He won. She lost.", "", "They left."]}
{"title": "T", "text": "First paragraph.\\n\\nSecond one.\\nStill the second."}
{"name": "S", "sentences": ["He won.", "She lost."]}
{"id": "4", "paragraphs": [1, 2]}
{"id": "5", "paragraphs": []}
["no", "object"]
{broken

{"id": "latin", "text": "caf\xe9 guests."}
{"id": "c", "text": "a\x00b \x07 c."}
"""


def test_json_lines(tmp_path):
    path = tmp_path / "mixed.jsonl.gz"
    path.write_bytes(gzip.compress(JSON_LINES))
    collection = ordering.open_collection(path)
    assert {d.name: d.paragraphs or d.sentences for d in collection.documents} == {
        "sport/1": ("He won. She lost.", "They left."),
        "T": ("First paragraph.", "Second one. Still the second."),
        "S": ("He won.", "She lost."),
        "latin": ("café guests.",),
        "c": ("a b c.",),
    }
    assert collection.documents[2].sentences and not collection.documents[2].paragraphs
    assert found_in(collection) == [
        ("mixed.jsonl.gz", 9, "encoding", "repaired"),
        ("4", 4, "not a document", "left out"),
        ("5", 5, "empty", "left out"),
        ("line 6", 6, "not a document", "left out"),
        ("line 7", 7, "not a document", "left out"),
        ("c", 10, "control characters", "repaired"),
    ]


def test_folders_of_text(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "a.txt").write_text("Title\n\nOne sentence.\nTwo sentences.\n\nThree.", encoding="utf-8")
    (tmp_path / "sub" / "b.txt").write_bytes("Über café. Größe.".encode("utf-16"))
    for name, text in {"empty.txt": "", ".hidden.txt": "No.", "a.md": "No.", "long.txt": "word " * 200_000}.items():
        (tmp_path / name).write_text(text)
    collection = ordering.open_collection(tmp_path)
    assert {d.name: d.paragraphs for d in collection.documents} == {
        "a.txt": ("Title", "One sentence. Two sentences.", "Three."),
        "sub/b.txt": ("Über café. Größe.",),
    }
    assert found_in(collection) == [
        ("empty.txt", 0, "empty", "left out"),
        ("long.txt", 0, "long line", "left out"),
        ("b.txt", 0, "encoding", "repaired"),
    ]
    assert "1,000,000 characters" in collection.problems[1]
    assert ordering.open_collection(tmp_path / "a.txt").documents[0].name == "a-1"  # a document a line


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\x85", "\u2028"])
def test_a_line_end_of_any_system_is_one_line_end(tmp_path, end):
    for plain, count in (("a\nb", 1), ("a\n\tb", 1), ("a\n\nb", 2), ("a\n \n\nb", 2), ("a\fb", 2), ("a\n\fb", 2)):
        assert len(documents.paragraphs_of(plain.replace("\n", end))) == count, plain
    text = "The committee met on Monday to\ndiscuss the budget. It was long.\n\nSecond paragraph.".replace("\n", end)
    paragraphs = ("The committee met on Monday to discuss the budget. It was long.", "Second paragraph.")
    (tmp_path / "a.txt").write_bytes(text.encode())
    assert ordering.open_collection(tmp_path).documents[0].paragraphs == paragraphs


def test_a_file_that_is_not_utf_8_is_read_as_windows_1252(tmp_path):
    (tmp_path / "a.txt").write_bytes("Fine.\n\nÄngste in Zürich – “so viele” – kosten 5 €.".encode("cp1252"))
    collection = ordering.open_collection(tmp_path)
    assert collection.documents[0].paragraphs == ("Fine.", "Ängste in Zürich – “so viele” – kosten 5 €.")
    assert "byte 0xc4 is not UTF-8" in collection.problems[0]
    assert found_in(collection)[0] == ("a.txt", 3, "encoding", "repaired")


def test_a_file_that_cannot_be_read_is_reported(tmp_path):
    (tmp_path / "cut.gz").write_bytes(gzip.compress(b"A sentence. " * 50)[:-30])
    (problem,) = ordering.open_collection(tmp_path / "cut.gz").problems
    assert "unreadable file, left out: it cannot be read" in problem


READERS = [documents.read_json_lines, documents.read_lines]


@given(st.binary(max_size=400))
def test_no_bytes_stop_a_reader(tmp_path_factory, content):
    folder = tmp_path_factory.mktemp("any")
    (folder / "any.txt").write_bytes(content)
    for collection in (*(reader(folder / "any.txt") for reader in READERS), documents.read_text_folder(folder)):
        for document in collection.documents:
            assert any(c.isalnum() for part in document.paragraphs + document.sentences for c in part)


def test_samples_keep_the_order():
    collection = ordering.from_texts({str(n): "A text." for n in range(50)})
    names = [int(d.name) for d in collection.sample(10, seed=4).documents]
    assert len(names) == 10 and names == sorted(names)
    assert collection.sample(10, seed=4) == collection.sample(10, seed=4) != collection.sample(10, seed=5)
    assert collection.sample(50) is collection
