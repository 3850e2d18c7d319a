"""Paraphrases by pivoting: parallel text, word alignment, phrases, p(y|x), PPDB, tables and their files."""

import gzip
import itertools
import math
import random
from collections import Counter, defaultdict
from fractions import Fraction
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refused import refused
from scipy.sparse import csr_array

from nbhelpers.base.errors import DataFormatError
from nbhelpers.metrics.paraphrase import tables
from nbhelpers.metrics.paraphrase.tables import ParaphraseTable
from nbhelpers.metrics.paraphrase.tokens import tokenize
from nbhelpers.studies.paraphrase import alignment, parallel, smt
from nbhelpers.studies.paraphrase.alignment import AlignmentSettings
from nbhelpers.studies.paraphrase.smt import PivotSettings


def words(text):
    return tuple(text.split())


# ---------------------------------------------------------------------------------------------------- parallel text


@pytest.fixture
def corpus(in_data):
    """Writes Multi30k's files where the registry looks for them, and opens it."""

    def opened(english, german):
        for language, lines in (("en", english), ("de", german), ("fr", ["x"])):
            content = lines if isinstance(lines, bytes) else "".join(f"{line}\n" for line in lines)
            in_data(f"paraphrase/multi30k/train.{language}.gz", content)
        return parallel.open_parallel("multi30k")

    return opened


def test_parallel_files_are_read_line_by_line(corpus):
    german = gzip.compress(b"Ein Hund rennt.\r\n \nZwei Katzen schlafen.\n")
    text = corpus(["A dog runs.", "Nothing.", "Two cats sleep."], german)
    assert text.first == ("A dog runs.", "Two cats sleep.")
    assert text.side("de") == ("Ein Hund rennt.", "Zwei Katzen schlafen.")
    assert text.other("de") == "en"
    assert text.signature.startswith("multi30k:en-de:2@")


def shuffled_from(start):
    """Lengths of 900 sentences and of their translations, which come one too late from a line on."""
    draw = random.Random(1)
    lengths = [draw.randint(2, 30) for _ in range(900)]
    return ["w " * n for n in lengths], ["wort " * (n + 1) for n in [*lengths[:start], *lengths[start + 1 :], 5][:900]]


@pytest.mark.parametrize(
    ("english", "german", "message"),
    [
        ("abc", "ab", r"train.de.gz, line 3: ends after 2 lines"),
        ("ab", "abc", r"train.en.gz, line 3: ends after 2 lines"),
        ("abc", "a\nb\nMün\n".encode("latin-1"), r"train.de.gz, line 3: is not UTF-8"),
        ("abc", gzip.compress(random.Random(0).randbytes(4000).hex().encode(), mtime=0)[:-40], "cut off or damaged"),
        (*shuffled_from(410), r"train.de.gz, line (401|601): .* do not translate"),
    ],
)
def test_damaged_parallel_files(corpus, english, german, message):
    assert parallel.mismatch(*shuffled_from(900)) is None
    with pytest.raises(DataFormatError, match=message):
        corpus(english, german)


test_bad_arguments = refused(
    (lambda: parallel.parallel_text(["a"], ["b", "c"], ("en", "de")), "1 sentences in en and 2 in de"),
    (lambda: parallel.parallel_text([], [], ("en", "de")), "0 sentences in en"),
    (lambda: parallel.parallel_text(["a"], ["b"], ("en", "de")).side("fr"), "not in 'fr'"),
    (lambda: parallel.open_parallel("europarl"), "no corpus 'europarl'"),
    (lambda: tables.merge([]), "at least one"),
    (lambda: tables.restrict(ParaphraseTable("SMT", "en", {}, "s"), "ab"), "not one string"),
)


def test_the_words_are_those_of_the_matcher():
    english = ["I can 't see the long-term plan, he said.", "The U.S. firm’s 3.5% rise – twice!"]
    whole = ["I can't see the long-term plan, he said.", english[1]]
    for tagged, text in zip(parallel.analyse(english, "en"), whole, strict=True):
        assert tuple(token for token, tag in tagged if tag != parallel.PUNCTUATION) == tokenize(text, "en")
    assert ("plan", "NOUN") in parallel.analyse(english, "en")[0]
    japanese = ["彼 は 「 はい 」 と 言 っ た 。", "ＵＦＯを見た、と彼女は言った。"]
    for tagged, text in zip(parallel.analyse(japanese, "ja"), japanese, strict=True):
        words = tuple(token for token, tag in tagged if tag != parallel.PUNCTUATION)
        assert words == tokenize(text.replace(" ", ""), "ja")
        assert "".join(token for token, _ in tagged) == text.replace(" ", "").replace("ＵＦＯ", "UFO")
    other = parallel.analyse(["L’homme a 3,5 ans - oui."], "fr")[0]
    assert [token for token, _ in other] == ["l'", "homme", "a", "3,5", "ans", "oui", "."]
    assert [tag for _, tag in other] == [""] * 6 + [parallel.PUNCTUATION]


# --------------------------------------------------------------------------------------------------- word alignment

BOOKS = [
    ("the house is small", "klein ist das haus"),
    ("the house is big", "das haus ist ja groß"),
    ("the book is small", "das buch ist ja klein"),
    ("the house", "das haus"),
    ("the book", "das buch"),
    ("a book", "ein buch"),
]


def probability(model, source, target, word, other):
    """t(word | other), None being the empty word; 0 for words that never meet in a sentence pair."""
    left = 0 if other is None else source.words.index(other) + 1
    key = left * len(target.words) + target.words.index(word)
    return float(model.probabilities[model.keys == key].sum())


@pytest.mark.parametrize("iterations", [1, 5, 12])
def test_model_1_is_that_of_nltk(iterations):
    # NLTK adds up the denominators of a target word that stands twice in a sentence; no sentence here has one.
    from nltk.translate import AlignedSent, IBMModel1

    english, german = ([side.split() for side in column] for column in zip(*BOOKS))
    reference = IBMModel1([AlignedSent(g, e) for e, g in zip(english, german, strict=True)], iterations)
    settings = AlignmentSettings(model1_iterations=iterations, diagonal_iterations=0, pseudo_count=0)
    encoded = alignment.encode(english), alignment.encode(german)
    model = alignment.train(*encoded, settings)
    for target, source in itertools.product(encoded[1].words, [None, *encoded[0].words]):
        together = any(target in g and (source is None or source in e) for e, g in zip(english, german, strict=True))
        expected = reference.translation_table[target][source] if together else 0.0
        assert probability(model, *encoded, target, source) == pytest.approx(expected, abs=1e-6)
    if iterations == 5:  # the figures of NLTK's documentation
        assert probability(model, *encoded, "buch", "book") == pytest.approx(0.889, abs=5e-4)
        assert probability(model, *encoded, "buch", None) == pytest.approx(0.113, abs=5e-4)


def slow_diagonal_model(pairs, iterations, tension, null):
    """Section 2 of Dyer et al. (2013), word by word; no variational Bayes, fixed tension."""
    t = defaultdict(lambda: 1.0)

    def scores(source, target, j):
        n, m = len(source), len(target)
        weights = [math.exp(-tension * abs((j + 1) / m - (i + 1) / n)) for i in range(n)]
        priors = [null] + [(1 - null) * weight / sum(weights) for weight in weights]
        return [p * t[word, target[j]] for p, word in zip(priors, [None, *source], strict=True)]

    for _ in range(iterations):
        counts, totals = Counter(), Counter()
        for source, target in pairs:
            for j, word in enumerate(target):
                row = scores(source, target, j)
                for left, score in zip([None, *source], row, strict=True):
                    counts[left, word] += score / sum(row)
                    totals[left] += score / sum(row)
        t = defaultdict(float, {key: count / totals[key[0]] for key, count in counts.items()})
    links = [[int(np.argmax(scores(s, g, j))) - 1 for j in range(len(g))] for s, g in pairs]
    return t, links


def test_the_diagonal_model_is_that_of_the_paper():
    pairs = [(e.split(), g.split()) for e, g in BOOKS] + [("yes".split(), "ja ja doch".split())]
    expected, links = slow_diagonal_model(pairs, 4, 3.0, 0.1)
    settings = AlignmentSettings(0, 4, tension=3.0, optimise_tension=False, null_probability=0.1, pseudo_count=0)
    english, german = (alignment.encode(side) for side in zip(*pairs, strict=True))
    model = alignment.train(english, german, settings)
    for (source, target), value in expected.items():
        assert probability(model, english, german, target, source) == pytest.approx(value, abs=1e-10)
    assert model.links.tolist() == [place for row in links for place in row]


def made_up_text(seed, size=60):
    draw = random.Random(seed)
    english = [[f"e{draw.randint(0, 12)}" for _ in range(draw.randint(1, 9))] for _ in range(size)]
    german = [[f"g{word[1:]}" for word in row if draw.random() < 0.9] or ["g0"] for row in english]
    for row in german:
        if draw.random() < 0.3:
            draw.shuffle(row)
    return english, german


def test_tension_maximises_the_expected_prior():
    from scipy.optimize import minimize_scalar

    english, german = (alignment.encode(side) for side in made_up_text(5))
    groups, *_ = alignment._grouped(english, german, 100)
    linked = [np.random.default_rng(0).random(group.closeness.shape) for group in groups]

    def loss(tension):
        priors = [group.diagonal_prior(tension, 0.08)[:, 1:] for group in groups]
        return -sum(float((links * np.log(prior)).sum()) for links, prior in zip(linked, priors, strict=True))

    best = minimize_scalar(loss, bounds=(0.1, 14), method="bounded", options={"xatol": 1e-9}).x
    assert alignment._best_tension(groups, 4.0, linked) == pytest.approx(best, abs=1e-5)
    assert all(np.allclose(group.diagonal_prior(2.0, 0.08).sum(axis=1), 1) for group in groups)


def test_alignment_does_not_depend_on_the_order_of_sentences():
    english, german = made_up_text(7)
    order = random.Random(0).sample(range(len(english)), len(english))
    straight = alignment.align(alignment.encode(english), alignment.encode(german))
    mixed = alignment.align(*(alignment.encode([side[i] for i in order]) for side in (english, german)))
    assert mixed == [straight[number] for number in order]


def test_of_equal_links_the_first_is_taken():
    """Words that are all alike: each takes the nearest to the diagonal in exact fractions, whatever the rounding."""
    for n, m in itertools.product(range(1, 8), range(1, 6)):
        model = alignment.train(alignment.encode([["a"] * n]), alignment.encode([[f"x{j}" for j in range(m)]]))
        distances = [[abs(Fraction(j + 1, m) - Fraction(i + 1, n)) for i in range(n)] for j in range(m)]
        assert model.links.tolist() == [row.index(min(row)) for row in distances]


def test_long_and_empty_sentences_have_no_links():
    english, german = alignment.encode([["a"] * 6, [], ["a", "b"]]), alignment.encode([["x"], ["y"], ["x", "y"]])
    found = alignment.align(english, german, AlignmentSettings(longest=5))
    assert found[:2] == [[], []] and found[2]
    assert alignment.align(alignment.encode([[]]), alignment.encode([[]])) == [[]]


# ------------------------------------------------------------------------------------------------- symmetrisation


def literal_grow_diag_final_and(forward, backward, size):
    """The pseudo-code of Koehn et al. (2005), scanning all cells until nothing changes."""
    links, union = forward & backward, forward | backward
    free_row = lambda i: all(a != i for a, _ in links)  # noqa: E731
    free_column = lambda j: all(b != j for _, b in links)  # noqa: E731
    changed = True
    while changed:
        changed = False
        for i, j in itertools.product(range(size), repeat=2):
            if (i, j) in links:
                for down, right in alignment._NEIGHBOURS:
                    new = (i + down, j + right)
                    if new in union and new not in links and (free_row(new[0]) or free_column(new[1])):
                        links.add(new)
                        changed = True
    for direction in (forward, backward):
        for i, j in itertools.product(range(size), repeat=2):
            if (i, j) in direction and free_row(i) and free_column(j):
                links.add((i, j))
    return links


links_of_6 = st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=9)


@given(links_of_6, links_of_6, links_of_6)
def test_growing_follows_the_pseudo_code(forward, backward, both):
    forward, backward = forward | both, backward | both
    found = alignment.grow_diag_final_and(forward, backward)
    assert found == literal_grow_diag_final_and(set(forward), set(backward), 6)
    assert forward & backward <= found <= forward | backward


# --------------------------------------------------------------------------------------------------------- phrases


@pytest.mark.parametrize("longest", [1, 2, 4, 9])
def test_phrases_are_those_of_nltk(longest):
    from nltk.translate.phrase_based import phrase_extraction

    draw = random.Random(longest)
    for _ in range(60):
        n, m = draw.randint(1, 9), draw.randint(1, 9)
        links = {(draw.randrange(n), draw.randrange(m)) for _ in range(draw.randint(1, max(n, m)))}
        # NLTK cuts a foreign phrase that is too long instead of leaving it out, so its own limit is not used.
        reference = phrase_extraction("a " * n, "b " * m, sorted(links))
        expected = [(a, b) for a, b, *_ in reference if a[1] - a[0] <= longest and b[1] - b[0] <= longest]
        pairs = alignment.phrase_pairs(sorted(links), (n, m), longest)
        assert sorted(((x.start, x.stop), (y.start, y.stop)) for x, y in pairs) == sorted(expected)


# -------------------------------------------------------------------------------------------------------- pivoting


PHRASES = [("a",), ("b",), ("a", "a"), ("a", "b"), ("b", "a")]
PIVOTS = [("x",), ("y",), ("x", "z")]
COUNTS = st.dictionaries(st.tuples(st.sampled_from(PHRASES), st.sampled_from(PIVOTS)), st.integers(1, 7), min_size=1)
TAGS = {x: tuple("VERB" if word in "bz" else "NOUN" for word in x) for x in PHRASES}


def phrase_table(counts):
    """From counts of (expression, foreign phrase)."""
    expressions, pivots = (sorted(set(side)) for side in zip(*counts))
    matrix = csr_array([[float(counts.get((x, f), 0)) for f in pivots] for x in expressions])
    return smt.Translations(expressions, matrix, [TAGS[x] for x in expressions])


def slow_pivot(counts, minimum):
    """Paraphrases with their probabilities, and how many pairs there are before and after the filters."""
    kept = [pair for pair, n in counts.items() if n >= minimum]
    of_x, of_f = Counter(), Counter()
    for (x, f), count in counts.items():
        of_x[x] += count
        of_f[f] += count
    found = Counter()
    for (x, f), (y, g) in itertools.product(kept, repeat=2):
        if f == g and x != y:
            found[x, y] += counts[x, f] / of_x[x] * counts[y, f] / of_f[f]
    ranked, last = defaultdict(list), 0
    for (x, y), score in sorted(found.items(), key=lambda one: (-round(one[1], 12), one[0])):
        if score >= smt.LEAST_PROBABILITY and TAGS[x] == TAGS[y]:  # as many words have as many tags
            ranked[x].append((y, score))
            last += 1
    return {x: targets[: smt.MOST] for x, targets in ranked.items()}, (len(counts), len(found), last)


@given(COUNTS, st.integers(1, 3), st.integers(1, 2), st.sampled_from([0.01, 0.0918]))
def test_pivoting_equals_the_plain_loop(counts, minimum, most, least):
    with mock.patch.multiple(smt, MOST=most, LEAST_PROBABILITY=least):
        found, report = smt.pivot(phrase_table(counts), PivotSettings(minimum))
        expected, left = slow_pivot(counts, minimum)
    assert {x: list(targets) for x, targets in found.items()} == {x: [y for y, _ in row] for x, row in expected.items()}
    for x, targets in found.items():
        assert targets == pytest.approx(dict(expected[x])) and sum(targets.values()) <= 1 + 1e-12
    names = ("translation pairs", "paraphrase pairs", f"… with a probability of at least {least}")
    assert tuple(dict(report).get(name, 0) for name in names) == left


# ------------------------------------------------------------------------------------------------- from text to table

NOUNS = {"dog": "hund", "cat": "katze", "house": "haus", "tree": "baum", "car": "wagen", "ship": "schiff"}
ADJECTIVES = {"big": "große", "large": "große", "small": "kleine", "little": "kleine", "red": "rote", "green": "grüne"}
VERBS = {"saw": "sah", "found": "fand", "discovered": "fand", "painted": "malte"}


def invented_text():
    english, german = [], []
    for a, n, v, m in itertools.product(ADJECTIVES, NOUNS, VERBS, NOUNS):
        if n != m and len(n) + len(m) + len(a) != 9:
            english.append(f"The {a} {n} {v} a {m}.")
            german.append(f"Die {ADJECTIVES[a]} {NOUNS[n]} {VERBS[v]} eine {NOUNS[m]}.")
    return parallel.parallel_text(english, german, ("en", "de"), name="invented")


def test_synonyms_are_found_in_parallel_text():
    text = invented_text()
    found = smt.pivot_table(text)
    assert (found.name, found.language) == ("SMT", "en")
    for x, y in (("big", "large"), ("little", "small"), ("found", "discovered"), ("big dog", "large dog")):
        assert found.pairs[words(x)][words(y)] > 0.3 and found.pairs[words(y)][words(x)] > 0.3
    assert ("red",) not in found.pairs and ("saw",) not in found.pairs
    assert all(not any("." in word for word in x) for x in found.pairs)  # no phrase holds punctuation
    assert dict(found.report)["sentence pairs"] == len(text.first)
    small = tables.restrict(found, {"big", "large", "dog"})
    assert set(small.pairs) == {words(x) for x in ("big", "large", "big dog", "large dog")}


@pytest.mark.parametrize("first, second", [("!", "?"), ("a " * 101, "b"), ("Yes.", "Ja.")])
def test_text_without_paraphrases_gives_an_empty_table(first, second):
    found = smt.pivot_table(parallel.parallel_text([first] * 3, [second] * 3, ("en", "de")))
    assert len(found) == 0 and dict(found.report)["sentence pairs"] == 3
    assert dict(found.report)["sentence pairs too long to align"] == (3 if len(first) > 99 else 0)


# ------------------------------------------------------------------------------------------------------------ PPDB


LINE = "[NN] ||| {} ||| {} ||| Abstract=0 p(LHS|e)=0.1 p(e|f)={} p(f|e)=2.5 AGigaSim=0.4 ||| 0-0"
PPDB = "\n".join(
    LINE.format(*row.split(" > "))
    for row in (
        "car > automobile > 0.69315",
        "car > automobile > 1.2",  # another left-hand side: the higher probability counts
        "look into > investigate > 1.60944",
        "long-term > lasting > -0.00425",  # rounding
        "'' > quote > 0.3",
        "U.S. > u.s. > 0.3",
    )
)
PPDB_2 = """
[NN] ||| boat ||| ship ||| PPDB2.0Score=5.3 -logp(e1|e2)=2.39790 -logp(e2|e1)=1.44238 ||| 0-0 ||| Equivalence
[NN] ||| boat ||| vessel ||| Abstract=0 ||| 0-0"""


def test_ppdb(tmp_path):
    path = tmp_path / "ppdb-1.0-s-all.gz"
    path.write_bytes(gzip.compress((PPDB + PPDB_2).encode()))
    found = smt.read_ppdb(path)
    assert found.pairs == {
        ("car",): {("automobile",): pytest.approx(0.5, abs=1e-5)},
        ("look", "into"): {("investigate",): pytest.approx(0.2, abs=1e-5)},
        ("long", "term"): {("lasting",): 1.0},
        ("boat",): {("ship",): pytest.approx(math.exp(-1.44238)), ("vessel",): 1.0},
    }
    assert found.signature.startswith("smt|ppdb@") and found.signature.endswith("both_directions:False")
    columns = tmp_path / "pairs.txt"
    columns.write_text("car\tautomobile\r\nbig\tlarge\t0.25\r\n")
    both_ways = {("car", "automobile"): 1.0, ("automobile", "car"): 1.0, ("big", "large"): 0.25, ("large", "big"): 0.25}
    assert smt.read_ppdb(columns).pairs == {(x,): {(y,): score} for (x, y), score in both_ways.items()}


@pytest.mark.parametrize(
    ("first", "lines"),
    [
        ("a\tb", ["car\tautomobile\t1\t2", "car automobile", "car\t", "car\tauto\tmuch", "car\tauto\tnan"]),
        (LINE.format("a", "b", "1"), ["[NN] ||| car ||| auto", LINE.format("", "a", "1"), LINE.format("a", "b", "x")]),
    ],
)
def test_malformed_lines(tmp_path, first, lines):
    path = tmp_path / "pairs"
    for line in lines:
        path.write_text(f"{first}\n{line}\n")
        with pytest.raises(DataFormatError, match="pairs, line 2: is not"):
            smt.read_ppdb(path)
    path.write_text("")
    with pytest.raises(DataFormatError, match="empty"):
        smt.read_ppdb(path)
