"""Paraphrases by pivoting: parallel text, word alignment, phrases, p(y|x), PPDB, tables on disk."""

import gzip
import itertools
import math
import os
import random
from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nbhelpers.base import paths
from nbhelpers.base.errors import ChecksumError, DataFormatError, InputError, ResourceNotFoundError
from nbhelpers.studies.paraphrase import alignment, parallel, phrases, pivot, smt, table_files
from nbhelpers.studies.paraphrase.alignment import AlignmentSettings
from nbhelpers.studies.paraphrase.expressions import ParaphraseTable
from nbhelpers.studies.paraphrase.pivot import PivotSettings, Translations
from nbhelpers.studies.paraphrase.tokens import tokenize

NO_FILTER = PivotSettings(minimum_count=1, same_length=False, same_tags=False, minimum_probability=0, most=0)
MODEL_1 = AlignmentSettings(model1_iterations=5, diagonal_iterations=0, pseudo_count=0)

# ---------------------------------------------------------------------------------------------------- parallel text


def write(path, lines):
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def test_parallel_files_are_read_line_by_line(tmp_path):
    one = write(tmp_path / "train.en", ["A dog runs.", "Two cats sleep."])
    two = tmp_path / "train.de.gz"
    two.write_bytes(gzip.compress(b"Ein Hund rennt.\r\nZwei Katzen schlafen.\n"))
    text = parallel.read_parallel(one, two, ("en", "de"), name="own")
    assert text.first == ("A dog runs.", "Two cats sleep.")
    assert text.side("de") == ("Ein Hund rennt.", "Zwei Katzen schlafen.")
    assert text.other("de") == "en" and len(text) == 2
    assert text.signature.startswith("own:en-de:2@")
    assert len(parallel.read_parallel(one, two, ("en", "de"), limit=1)) == 1


def test_files_of_different_lengths_are_an_error_with_file_and_line(tmp_path):
    three, two = write(tmp_path / "three", "abc"), write(tmp_path / "two", "ab")
    for pair in ((three, two), (two, three)):
        with pytest.raises(DataFormatError, match="ends after 2 lines") as error:
            parallel.read_parallel(*pair, ("en", "de"))
        assert error.value.path == str(two) and error.value.line == 3


def test_an_empty_or_undecodable_line_is_an_error_with_file_and_line(tmp_path):
    whole, hole = write(tmp_path / "whole", "abc"), write(tmp_path / "hole", ["a", "  ", "c"])
    with pytest.raises(DataFormatError, match="empty") as error:
        parallel.read_parallel(whole, hole, ("en", "de"))
    assert (error.value.path, error.value.line) == (str(hole), 2)
    text = parallel.read_parallel(whole, hole, ("en", "de"), empty="skip")
    assert text.first == ("a", "c") and text.left_out == (2,)
    wrong = tmp_path / "latin1"
    wrong.write_bytes("a\nb\nMün\n".encode("latin-1"))
    with pytest.raises(DataFormatError, match="UTF-8") as error:
        parallel.read_parallel(whole, wrong, ("en", "de"))
    assert (error.value.path, error.value.line) == (str(wrong), 3)
    cut = tmp_path / "cut.gz"
    cut.write_bytes(gzip.compress(random.Random(0).randbytes(4000).hex().encode())[:-40])
    with pytest.raises(DataFormatError, match="cut off or damaged"):
        parallel.read_parallel(cut, whole, ("en", "de"))
    with pytest.raises(ResourceNotFoundError):
        parallel.read_parallel(whole, tmp_path / "none", ("en", "de"))


def test_lines_that_do_not_correspond_are_refused(tmp_path):
    draw = random.Random(1)
    lengths = [draw.randint(2, 30) for _ in range(900)]
    one = write(tmp_path / "one", ["w " * n for n in lengths])
    same = write(tmp_path / "same", ["wort " * (n + draw.randint(0, 2)) for n in lengths])
    assert len(parallel.read_parallel(one, same, ("en", "de"))) == 900
    lines = same.read_text().splitlines()
    shifted = write(tmp_path / "shifted", lines[:410] + lines[411:] + ["wort"])  # one line lost
    with pytest.raises(DataFormatError, match="do not translate") as error:
        parallel.read_parallel(one, shifted, ("en", "de"))
    assert error.value.path == str(shifted) and 401 <= error.value.line <= 601
    assert len(parallel.read_parallel(one, shifted, ("en", "de"), check=False)) == 900


@pytest.mark.parametrize(
    "first, second, languages",
    [
        (["a"], ["b", "c"], ("en", "de")),
        ([], [], ("en", "de")),
        (["a"], [" "], ("en", "de")),
        (["a"], ["b"], ("en", "en")),
        ("a", "b", ("en", "de")),
    ],
)
def test_sentence_pairs_in_memory_are_checked(first, second, languages):
    with pytest.raises(InputError):
        parallel.parallel_text(first, second, languages)


def test_unknown_corpora_and_languages():
    with pytest.raises(InputError, match="multi30k"):
        parallel.open_parallel("europarl")
    for arguments in (("multi30k", "ja"), ("small-parallel-enja", "en", "de"), ("multi30k", "en", "en")):
        with pytest.raises(InputError):
            parallel.open_parallel(*arguments)
    with pytest.raises(InputError):
        parallel.parallel_text(["a"], ["b"], ("en", "de")).side("fr")


def test_the_words_are_those_of_the_matcher():
    english = ["I can 't see the long-term plan, he said.", "The U.S. firm’s 3.5% rise – twice!"]
    whole = ["I can't see the long-term plan, he said.", english[1]]
    for tagged, text in zip(parallel.analyser("en")(english), whole, strict=True):
        assert tuple(token for token, tag in tagged if tag != parallel.PUNCTUATION) == tokenize(text, "en")
    assert ("plan", "NOUN") in parallel.analyser("en")(english)[0]
    japanese = ["彼 は 「 はい 」 と 言 っ た 。", "ＵＦＯを見た、と彼女は言った。"]
    for tagged, text in zip(parallel.analyser("ja")(japanese), japanese, strict=True):
        words = tuple(token for token, tag in tagged if tag != parallel.PUNCTUATION)
        assert words == tokenize(text.replace(" ", ""), "ja")
        assert "".join(token for token, _ in tagged) == text.replace(" ", "").replace("ＵＦＯ", "UFO")
    other = parallel.analyser("fr")(["L’homme a 3,5 ans - oui."])[0]
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


def sides(pairs):
    return [[side.split() for side in column] for column in zip(*pairs, strict=True)]


@pytest.mark.parametrize("iterations", [1, 2, 5, 12])
def test_model_1_is_that_of_nltk(iterations):
    # NLTK adds up the denominators of a target word that stands twice in a sentence; no sentence here has one.
    from nltk.translate import AlignedSent, IBMModel1

    english, german = sides(BOOKS)
    reference = IBMModel1([AlignedSent(g, e) for e, g in zip(english, german, strict=True)], iterations)
    settings = AlignmentSettings(model1_iterations=iterations, diagonal_iterations=0, pseudo_count=0)
    model = alignment.train(alignment.encode(english), alignment.encode(german), settings)
    for target, source in itertools.product(model.target_words, [None, *model.source_words]):
        together = any(target in g and (source is None or source in e) for e, g in zip(english, german, strict=True))
        expected = reference.translation_table[target][source] if together else 0.0
        assert model.probability(target, source) == pytest.approx(expected, abs=1e-6)
    if iterations == 5:  # the figures of NLTK's documentation
        assert model.probability("buch", "book") == pytest.approx(0.889, abs=5e-4)
        assert model.probability("buch", None) == pytest.approx(0.113, abs=5e-4)


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
        assert model.probability(target, source) == pytest.approx(value, abs=1e-10)
    assert model.links.tolist() == [place for row in links for place in row]


def made_up_text(seed, size=60):
    draw = random.Random(seed)
    english = [[f"e{draw.randint(0, 12)}" for _ in range(draw.randint(1, 9))] for _ in range(size)]
    german = [[f"g{word[1:]}" for word in row if draw.random() < 0.9] or ["g0"] for row in english]
    for row in german:
        if draw.random() < 0.3:
            draw.shuffle(row)
    return english, german


@pytest.mark.parametrize("settings", [MODEL_1, AlignmentSettings(2, 6, pseudo_count=0, optimise_tension=True)])
def test_no_iteration_lowers_the_likelihood(settings):
    english, german = made_up_text(3)
    found = alignment.train(alignment.encode(english), alignment.encode(german), settings).log_likelihoods
    diagonal = found[settings.model1_iterations :]
    for part in (found[: settings.model1_iterations], diagonal):
        assert all(after >= before - 1e-9 for before, after in itertools.pairwise(part))


def test_tension_maximises_the_expected_prior():
    from scipy.optimize import minimize_scalar

    english, german = (alignment.encode(side) for side in made_up_text(5))
    cells = alignment._Cells(english, german, 100)
    linked = np.random.default_rng(0).random(len(cells.feature))

    def loss(tension):
        prior = cells.diagonal_prior(tension, 0.08)
        return -float((linked * np.log(prior))[~cells.is_null].sum())

    best = minimize_scalar(loss, bounds=(0.1, 14), method="bounded", options={"xatol": 1e-9}).x
    assert cells.best_tension(4.0, linked) == pytest.approx(best, abs=1e-5)
    assert cells.diagonal_prior(2.0, 0.08).sum() == pytest.approx(len(cells.rows))  # each row sums to 1


def test_alignment_does_not_depend_on_the_order_of_sentences():
    english, german = made_up_text(7)
    order = list(range(len(english)))
    random.Random(0).shuffle(order)
    straight = phrases.align(alignment.encode(english), alignment.encode(german))
    mixed = phrases.align(alignment.encode([english[i] for i in order]), alignment.encode([german[i] for i in order]))
    for place, number in enumerate(order):
        assert mixed.pairs(place) == straight.pairs(number)


def test_long_and_empty_sentences_have_no_links():
    english, german = alignment.encode([["a"] * 6, [], ["a", "b"]]), alignment.encode([["x"], ["y"], ["x", "y"]])
    found = phrases.align(english, german, AlignmentSettings(longest=5))
    assert found.too_long == 1 and found.pairs(0) == [] and found.pairs(1) == []
    nothing = phrases.align(alignment.encode([[]]), alignment.encode([[]]))
    assert len(nothing.sentence) == 0
    with pytest.raises(InputError, match="sentences"):
        phrases.align(english, alignment.encode([["x"]]))


@pytest.mark.parametrize(
    "wrong",
    [
        {"model1_iterations": 0, "diagonal_iterations": 0},
        {"null_probability": 1.0},
        {"symmetrisation": "best"},
        {"longest": 0},
        {"model1_iterations": -1},
        {"pseudo_count": -0.1},
    ],
)
def test_alignment_settings_are_checked(wrong):
    with pytest.raises(InputError):
        AlignmentSettings(**wrong)


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
                for down, right in phrases._NEIGHBOURS:
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
    found = phrases.grow_diag_final_and(forward, backward)
    assert found == literal_grow_diag_final_and(set(forward), set(backward), 6)
    assert forward & backward <= found <= forward | backward


# --------------------------------------------------------------------------------------------------------- phrases


def found_phrases(first, second, links, longest):
    one, two = alignment.encode(first), alignment.encode(second)
    pairs = phrases.extract_phrases(one, two, phrases.Alignment.of(links), longest)
    result = [set() for _ in first]
    for a, n, b, m in zip(pairs.first, pairs.first_length, pairs.second, pairs.second_length, strict=True):
        sentence = int(one.sentence[a])
        i, j = int(a - one.starts[sentence]), int(b - two.starts[sentence])
        assert two.sentence[b] == sentence
        entry = ((i, i + int(n)), (j, j + int(m)))
        assert entry not in result[sentence]  # each occurrence once
        result[sentence].add(entry)
    return result


@pytest.mark.parametrize("longest", [1, 2, 3, 4, 9])
def test_phrases_are_those_of_nltk(longest):
    from nltk.translate.phrase_based import phrase_extraction

    draw = random.Random(longest)
    first, second, links = [], [], []
    for _ in range(60):
        n, m = draw.randint(1, 9), draw.randint(1, 9)
        first.append([f"a{draw.randint(0, 3)}" for _ in range(n)])
        second.append([f"b{draw.randint(0, 3)}" for _ in range(m)])
        links.append({(draw.randrange(n), draw.randrange(m)) for _ in range(draw.randint(0, max(n, m)))})
    found = found_phrases(first, second, links, longest)
    for one, two, pairs, ours in zip(first, second, links, found, strict=True):
        # NLTK cuts a foreign phrase that is too long instead of leaving it out, so its own limit is not used.
        reference = phrase_extraction(" ".join(one), " ".join(two), sorted(pairs)) if pairs else set()
        expected = {(a, b) for a, b, *_ in reference if a[1] - a[0] <= longest and b[1] - b[0] <= longest}
        assert ours == expected


def test_phrases_of_the_textbook_example():
    english = "michael assumes that he will stay in the house".split()
    german = "michael geht davon aus , dass er im haus bleibt".split()
    links = [(0, 0), (1, 1), (1, 2), (1, 3), (2, 5), (3, 6), (4, 9), (5, 9), (6, 7), (7, 7), (8, 8)]
    found = {
        (" ".join(english[a:b]), " ".join(german[c:d]))
        for (a, b), (c, d) in found_phrases([english], [german], [links], 3)[0]
    }
    assert {("assumes", "geht davon aus"), ("that", "dass"), ("that", ", dass"), ("will stay", "bleibt")} <= found
    assert ("in the house", "im haus") in found and ("in", "im") not in found


def test_a_link_outside_its_sentence_is_refused():
    text = alignment.encode([["a"], ["b"]])
    with pytest.raises(InputError, match="leaves its sentence"):
        phrases.extract_phrases(text, text, phrases.Alignment.of([[(0, 1)], []]))
    with pytest.raises(InputError, match="number of sentences"):
        phrases.extract_phrases(text, text, phrases.Alignment.of([[]]))


def test_a_phrase_has_one_number_wherever_it_occurs():
    text = alignment.encode([list("abab"), list("ba"), [], list("bab")])
    numbers = phrases.phrase_numbers(text, 3)
    seen = {}
    for length, position in itertools.product(range(1, 4), range(len(text.ids))):
        inside = position + length <= text.starts[text.sentence[position] + 1]
        assert (numbers[length - 1, position] >= 0) == inside
        if inside:
            phrase = tuple(text.ids[position : position + length])
            assert seen.setdefault(phrase, numbers[length - 1, position]) == numbers[length - 1, position]
    assert len(set(seen.values())) == len(seen)


# -------------------------------------------------------------------------------------------------------- pivoting


def words(text):
    return tuple(text.split())


HAND = {
    ("big", "groß"): 6,
    ("large", "groß"): 3,
    ("tall", "groß"): 1,
    ("big", "dick"): 2,
    ("fat", "dick"): 2,
    ("very big", "riesig"): 3,
    ("huge", "riesig"): 1,
}
HAND = {(words(x), words(f)): count for (x, f), count in HAND.items()}
TAGS = {
    words(x): tuple("ADV ADJ".split()[-len(words(x)) :]) for x in ("big", "large", "tall", "fat", "very big", "huge")
}


def test_pivot_by_hand():
    pairs, report = pivot.pivot(Translations.of(HAND), NO_FILTER)
    # p(groß|big) = 6/8, p(large|groß) = 3/10, p(tall|groß) = 1/10; p(dick|big) = 2/8, p(fat|dick) = 1/2
    assert pairs[words("big")] == pytest.approx({("large",): 0.225, ("tall",): 0.075, ("fat",): 0.125})
    assert list(pairs[words("big")]) == [("large",), ("fat",), ("tall",)]  # the most probable first
    # p(groß|large) = 1, p(big|groß) = 6/10
    assert pairs[words("large")] == pytest.approx({("big",): 0.6, ("tall",): 0.1})
    assert pairs[words("very big")] == pytest.approx({("huge",): 0.25})
    assert pairs[words("huge")] == pytest.approx({words("very big"): 0.75})
    # big-large, big-tall, large-tall, big-fat, very big-huge, each in both directions
    assert dict(report) == {
        "translation pairs": 7,
        "… seen at least 1 times": 7,
        "paraphrase pairs": 10,
        "… with a probability of at least 0": 10,
    }


def test_each_filter_by_hand():
    table = Translations.of(HAND, TAGS)
    settings = PivotSettings(minimum_count=2, minimum_probability=0.13, most=1)
    pairs, report = pivot.pivot(table, settings)
    assert pairs == {
        ("big",): {("large",): pytest.approx(0.225)},
        ("large",): {("big",): pytest.approx(0.6)},
        ("fat",): {("big",): pytest.approx(0.5)},
    }
    assert dict(report) == {
        "translation pairs": 7,
        "… seen at least 2 times": 5,
        "paraphrase pairs": 4,
        "… with the same number of words": 4,
        "… with the same parts of speech": 4,
        "… with a probability of at least 0.13": 3,
        "… among the first 1 of an expression": 3,
    }
    loose = PivotSettings(minimum_count=1, same_tags=False, minimum_probability=0, most=0)
    assert words("huge") not in pivot.pivot(table, loose)[0]  # one word, and its paraphrase has two
    verbs = {**TAGS, words("fat"): ("NOUN",)}
    with_tags = PivotSettings(minimum_count=1, minimum_probability=0, most=0)
    assert words("fat") not in pivot.pivot(Translations.of(HAND, verbs), with_tags)[0]


def test_filters_at_the_translations():
    table = Translations.of(HAND, TAGS, {(f,): ("ADJ",) for f in ("groß", "dick", "riesig")})
    settings = PivotSettings(minimum_count=1, minimum_probability=0, most=0, level="translation")
    pairs, report = pivot.pivot(table, settings)
    assert words("very big") not in pairs and words("huge") not in pairs
    assert pairs[words("big")] == pytest.approx({("large",): 0.225, ("tall",): 0.075, ("fat",): 0.125})
    assert dict(report)["… with the same number of words"] == 6
    with pytest.raises(InputError, match="to pivot through has no parts of speech"):
        pivot.pivot(Translations.of(HAND, TAGS), settings)
    with pytest.raises(InputError, match="no parts of speech"):
        pivot.pivot(Translations.of(HAND), PivotSettings())


def slow_pivot(counts, settings):
    of_x, of_f = Counter(), Counter()
    for (x, f), count in counts.items():
        of_x[x] += count
        of_f[f] += count
    found = defaultdict(dict)
    kept = {pair: count for pair, count in counts.items() if count >= settings.minimum_count}
    for (x, f), (y, g) in itertools.product(kept, repeat=2):
        if f == g and x != y:
            found[x][y] = found[x].get(y, 0) + kept[x, f] / of_x[x] * kept[y, f] / of_f[f]
    result = {}
    for x, targets in found.items():
        ranked = sorted((-p, y) for y, p in targets.items() if p >= settings.minimum_probability)
        ranked = [(-p, y) for p, y in ranked if not settings.same_length or len(x) == len(y)]
        if ranked:
            result[x] = {y: p for p, y in (ranked[: settings.most] if settings.most else ranked)}
    return result


phrase_counts = st.dictionaries(
    st.tuples(
        st.lists(st.sampled_from("ab"), min_size=1, max_size=2).map(tuple),
        st.lists(st.sampled_from("xyz"), min_size=1, max_size=1).map(tuple),
    ),
    st.integers(1, 7),
    min_size=1,
)


@given(phrase_counts, st.integers(1, 3), st.booleans())
def test_pivoting_equals_the_plain_loop(counts, minimum, same_length):
    settings = PivotSettings(
        minimum_count=minimum, same_length=same_length, same_tags=False, minimum_probability=0, most=0
    )
    found, _ = pivot.pivot(Translations.of(counts), settings)
    expected = slow_pivot(counts, settings)
    assert {x: set(targets) for x, targets in found.items()} == {x: set(targets) for x, targets in expected.items()}
    for x, targets in found.items():
        assert targets == pytest.approx(expected[x])


@given(phrase_counts)
def test_probabilities_sum_to_at_most_one_and_filters_only_take_away(counts):
    table = Translations.of(counts)
    loose, _ = pivot.pivot(table, NO_FILTER)
    assert all(sum(targets.values()) <= 1 + 1e-12 for targets in loose.values())
    tighter = [dict(minimum_count=3), dict(same_length=True), dict(minimum_probability=0.2), dict(most=1)]
    for change in tighter:
        values = {**dict(minimum_count=1, same_length=False, same_tags=False, minimum_probability=0, most=0), **change}
        kept, report = pivot.pivot(table, PivotSettings(**values))
        for x, targets in kept.items():
            assert all(targets[y] <= loose[x][y] + 1e-12 for y in targets)
        steps = [number for name, number in report if name.startswith(("paraphrase", "…"))][1:]
        assert steps == sorted(steps, reverse=True)
        assert report[-1][1] == sum(map(len, kept.values()))


def test_large_tables_are_multiplied_in_blocks(monkeypatch):
    from nbhelpers.studies.paraphrase import sparse_pairs

    draw = random.Random(2)
    counts = {((f"x{draw.randint(0, 40)}",), (f"f{draw.randint(0, 20)}",)): draw.randint(1, 5) for _ in range(300)}
    settings = PivotSettings(minimum_count=1, same_tags=False, minimum_probability=0.01, most=5)
    whole = pivot.pivot(Translations.of(counts), settings)
    monkeypatch.setattr(sparse_pairs, "PRODUCTS_AT_ONCE", 30)
    assert pivot.pivot(Translations.of(counts), settings) == whole


@pytest.mark.parametrize("count", [0, -1, math.nan, math.inf])
def test_counts_are_positive(count):
    with pytest.raises(InputError):
        Translations.of({(("a",), ("b",)): count})


def test_pivot_settings_are_checked_and_signed():
    for wrong in (dict(longest_phrase=0), dict(minimum_probability=1.5), dict(level="word"), dict(most=-1)):
        with pytest.raises(InputError):
            PivotSettings(**wrong)
    signatures = {PivotSettings(**change).signature for change in ({}, dict(most=3), dict(level="translation"))}
    assert len(signatures) == 3 and "minimum_count:2" in PivotSettings().signature


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


def test_synonyms_are_found_in_parallel_text(tmp_path, monkeypatch):
    text = invented_text()
    found = smt.pivot_resource(text, folder=tmp_path)
    assert (found.name, found.language) == ("SMT", "en") and found.signature == found.whole.signature
    for x, y in (("big", "large"), ("little", "small"), ("found", "discovered"), ("big dog", "large dog")):
        assert found.whole.pairs[words(x)][words(y)] > 0.3 and found.whole.pairs[words(y)][words(x)] > 0.3
    assert ("red",) not in found.whole.pairs and ("saw",) not in found.whole.pairs
    assert all(not any("." in word for word in x) for x in found.whole.pairs)  # no phrase holds punctuation
    assert dict(found.report)["sentence pairs"] == len(text)
    small = found.table({"big", "large", "dog"})
    assert set(small.pairs) == {words(x) for x in ("big", "large", "big dog", "large dog")}
    # The second time the table comes from its file.
    monkeypatch.setattr(smt, "translations", None)
    assert smt.pivot_resource(text, folder=tmp_path) == found
    with pytest.raises(TypeError):
        smt.pivot_resource(text, settings=PivotSettings(most=1), folder=tmp_path)


@pytest.mark.parametrize("first, second", [("!", "?"), ("a " * 101, "b"), ("Yes.", "Ja.")])
def test_text_without_paraphrases_gives_an_empty_table(first, second):
    found = smt.pivot_resource(parallel.parallel_text([first] * 3, [second] * 3, ("en", "de")))
    assert len(found.whole) == 0 and dict(found.report)["sentence pairs"] == 3
    assert dict(found.report)["sentence pairs too long to align"] == (3 if len(first) > 99 else 0)


def test_a_tag_function_of_ones_own():
    def analyse(lines):
        return [[(word, "W") for word in line.split()] for line in lines]

    text = parallel.parallel_text(["犬 が いる", "犬 が ある"] * 3, ["x y z", "x y z"] * 3, ("ja", "xx"))
    settings = AlignmentSettings(tension=8.0, optimise_tension=False)
    found = smt.pivot_resource(text, "ja", alignment=settings, analyse=analyse)
    assert found.whole.pairs[("いる",)] == {("ある",): pytest.approx(0.5)}
    assert "analyse" in found.signature
    with pytest.raises(InputError):
        smt.pivot_resource(text, "xx")


def test_without_parallel_text_the_error_says_what_to_do(monkeypatch, tmp_path):
    monkeypatch.delenv("NBHELPERS_DATA", raising=False)
    monkeypatch.setenv("NBHELPERS_OFFLINE", "1")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(smt.paths, "data_dir", lambda: tmp_path)
    monkeypatch.setattr(smt, "open_parallel", absent)
    for language in ("en", "ja"):
        with pytest.raises(ResourceNotFoundError, match="No parallel text is at hand.*NBHELPERS_DATA"):
            smt.smt_resource(language)
    table = ParaphraseTable("SMT", "en", {("a",): {("b",): 0.5}}, "small")
    table_files.save_table(table, tmp_path / "corpus" / "paraphrase-pairs" / "smt-en.tsv.gz")
    assert smt.smt_resource("en").whole == table
    with pytest.raises(ResourceNotFoundError):
        smt.smt_resource("en", [("multi30k", "de")])
    with pytest.raises(InputError):
        smt.smt_resource("de")


def absent(*arguments, **options):
    raise ResourceNotFoundError("not at hand")


def test_several_corpora_make_one_table(monkeypatch):
    monkeypatch.setattr(smt, "open_parallel", lambda *arguments, **options: invented_text())
    one, both = smt.pivot_resource(invented_text()), smt.smt_resource("en", [("multi30k", "de"), ("multi30k", "fr")])
    assert both.whole.pairs == one.whole.pairs and both.signature == f"{one.signature} + {one.signature}"
    merged = table_files.merge([ParaphraseTable("SMT", "en", {("a",): {("b",): score}}, "s") for score in (0.2, 0.7)])
    assert merged.pairs == {("a",): {("b",): 0.7}}
    with pytest.raises(InputError):
        table_files.merge([])


@pytest.mark.skipif(not os.environ.get("NBHELPERS_DATA"), reason="needs the real data: NBHELPERS_DATA is not set")
def test_real_parallel_text():
    try:
        text = parallel.open_parallel("multi30k", limit=4000)
    except ResourceNotFoundError as error:
        pytest.skip(str(error))
    found = smt.pivot_resource(text)
    assert ("man",) in found.whole.pairs[("guy",)] and ("small", "child") in found.whole.pairs[("young", "child")]
    assert all(0 < score <= 1 for targets in found.whole.pairs.values() for score in targets.values())


# ------------------------------------------------------------------------------------------------------------ PPDB

LINE = "[NN] ||| {} ||| {} ||| Abstract=0 p(LHS|e)=0.1 p(e|f)={} p(f|e)=2.5 AGigaSim=0.4 ||| 0-0"


def test_the_official_ppdb_format(tmp_path):
    path = tmp_path / "ppdb-1.0-s-all.gz"
    lines = [
        LINE.format("car", "automobile", "0.69315"),
        LINE.format("car", "automobile", "1.2"),  # another left-hand side: the higher probability counts
        LINE.format("look into", "investigate", "1.60944"),
        LINE.format("long-term", "lasting", "-0.00425"),  # rounding
        LINE.format("such [NN,1]", "these [NN,1]", "0.3"),
        LINE.format("''", "quote", "0.3"),
        LINE.format("U.S.", "u.s.", "0.3"),
        "[NN] ||| boat ||| ship ||| PPDB2.0Score=5.3 -logp(e1|e2)=2.39790 -logp(e2|e1)=1.44238 ||| 0-0 ||| Equivalence",
        "[NN] ||| boat ||| vessel ||| Abstract=0 ||| 0-0",
    ]
    path.write_bytes(gzip.compress("\n".join(lines).encode()))
    found = smt.read_ppdb(path)
    assert found.whole.pairs == {
        ("car",): {("automobile",): pytest.approx(0.5, abs=1e-5)},
        ("look", "into"): {("investigate",): pytest.approx(0.2, abs=1e-5)},
        ("long", "term"): {("lasting",): 1.0},
        ("boat",): {("ship",): pytest.approx(math.exp(-1.44238)), ("vessel",): 1.0},
    }
    report = dict(found.report)
    assert report["lines"] == 9 and report["patterns with nonterminals, left out"] == 1
    assert report["lines without a word on a side, left out"] == 1
    assert report["lines with the same words on both sides, left out"] == 1
    assert (found.name, found.language) == ("SMT", "en") and "@" in found.signature
    assert len(smt.read_ppdb(path, minimum_score=0.3).whole) == 3
    assert ("automobile",) in smt.read_ppdb(path, both_directions=True).whole.pairs


def test_ppdb_as_columns(tmp_path):
    path = tmp_path / "pairs.txt"
    path.write_text("car\tautomobile\r\nbig\tlarge\t0.25\r\n")
    assert smt.read_ppdb(path).whole.pairs == {
        ("car",): {("automobile",): 1.0},
        ("automobile",): {("car",): 1.0},
        ("big",): {("large",): 0.25},
        ("large",): {("big",): 0.25},
    }
    assert len(smt.read_ppdb(path, both_directions=False).whole) == 2


@pytest.mark.parametrize(
    "line, reason",
    [
        ("car\tautomobile\t1\t2", "4 columns"),
        ("car automobile", "1 columns"),
        ("car\t", "empty"),
        ("car\tauto\tmuch", "no number"),
        ("car\tauto\tnan", "no number"),
    ],
)
def test_malformed_columns(tmp_path, line, reason):
    path = write(tmp_path / "pairs", ["a\tb", line])
    with pytest.raises(DataFormatError, match=reason) as error:
        smt.read_ppdb(path)
    assert error.value.line == 2 and error.value.path == str(path)


@pytest.mark.parametrize(
    "line, reason",
    [
        ("[NN] ||| car ||| auto", "3 columns"),
        ("[NN] |||  ||| auto ||| p(e|f)=1 ||| 0-0", "empty"),
        ("[NN] ||| car ||| auto ||| p(e|f) ||| 0-0", "no value"),
        ("[NN] ||| car ||| auto ||| p(e|f)=x ||| 0-0", "no number"),
        ("car\tauto", "1 columns"),
    ],
)
def test_malformed_official_lines(tmp_path, line, reason):
    path = write(tmp_path / "ppdb", [LINE.format("a", "b", "1"), line])
    with pytest.raises(DataFormatError, match=reason) as error:
        smt.read_ppdb(path)
    assert error.value.line == 2
    with pytest.raises(DataFormatError, match="empty"):
        smt.read_ppdb(write(tmp_path / "nothing", []))
    with pytest.raises(ResourceNotFoundError):
        smt.read_ppdb(tmp_path / "none")


def test_asymmetry_and_the_symmetric_filter():
    pairs = {("a",): {("b",): 0.5, ("c",): 0.4}, ("b",): {("a",): 0.3}, ("c", "d"): {("a",): 0.1}}
    table = ParaphraseTable("SMT", "en", pairs, "s")
    found = smt.asymmetry(table)
    assert (found.pairs, found.one_way, found.share.value) == (4, 2, 0.5)
    assert found.share.low == pytest.approx(0.150, abs=1e-3) and found.share.high == pytest.approx(0.850, abs=1e-3)
    mutual = smt.symmetric(table)
    assert mutual.pairs == {("a",): {("b",): 0.5}, ("b",): {("a",): 0.3}} and mutual.signature == "s|symmetric"
    assert smt.asymmetry(mutual).one_way == 0
    with pytest.raises(InputError):
        smt.asymmetry(ParaphraseTable("SMT", "en", {}, "s"))


# --------------------------------------------------------------------------------------------------- tables on disk

TABLE = ParaphraseTable(
    "SMT", "ja", {("彼", "ら"): {("彼達",): 0.1 + 0.2}, ("a",): {("b",): 1.0, ("c", "d"): 1e-9}}, "one|two"
)


def test_a_table_comes_back_from_its_file(tmp_path):
    path = table_files.save_table(TABLE, tmp_path / "new" / "t.tsv.gz", report=(("pairs", 3),))
    found = table_files.load_table(path)
    assert found.whole == TABLE and found.report == (("pairs", 3),)
    again = table_files.save_table(TABLE, tmp_path / "again.tsv.gz", report=(("pairs", 3),))
    assert again.read_bytes() == path.read_bytes()
    assert [file.name for file in path.parent.iterdir()] == ["t.tsv.gz"]
    empty = ParaphraseTable("DS", "en", {}, "none")
    assert table_files.load_table(table_files.save_table(empty, tmp_path / "e")).whole == empty


def test_a_damaged_file_is_never_read(tmp_path):
    path = table_files.save_table(TABLE, tmp_path / "t.tsv.gz")
    whole = path.read_bytes()
    for size in range(len(whole)):  # cut off anywhere
        path.write_bytes(whole[:size])
        with pytest.raises((DataFormatError, ChecksumError)):
            table_files.load_table(path)
    for place in range(10, len(whole)):  # a wrong byte anywhere after the head of gzip
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with pytest.raises((DataFormatError, ChecksumError)):
            table_files.load_table(path)
    text = gzip.decompress(whole).decode()
    for changed in (text.replace("1e-09", "0.9"), text.replace("a\tb\t1.0\n", ""), text + "x\ty\t1.0\n"):
        path.write_bytes(gzip.compress(changed.encode()))
        with pytest.raises(ChecksumError, match="does not hold the table"):
            table_files.load_table(path)
    for head in ("", "{}", "[]", '{"format": "nbhelpers-paraphrases-1"}', "a\tb\t1.0"):
        path.write_text(head)
        with pytest.raises(DataFormatError) as error:
            table_files.load_table(path)
        assert error.value.line == 1


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = table_files.save_table(TABLE, tmp_path / "t.tsv.gz")
    before = path.read_bytes()

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(paths.os, "fsync", fail)
    with pytest.raises(OSError):
        table_files.save_table(ParaphraseTable("SMT", "en", {}, "s"), path)
    assert path.read_bytes() == before and list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    "pairs", [{("a b",): {("c",): 1}}, {(): {("c",): 1}}, {("a",): {("c\t",): 1}}, {("a",): {("b",): math.nan}}]
)
def test_tables_that_no_file_can_hold(tmp_path, pairs):
    with pytest.raises(InputError):
        table_files.save_table(ParaphraseTable("SMT", "en", pairs, "s"), tmp_path / "t")
    assert not list(tmp_path.iterdir())


def test_the_cache_builds_once_and_again_after_damage(tmp_path):
    built = []

    def builder():
        built.append(1)
        return table_files.TableResource(TABLE, (("pairs", 3),))

    first = table_files.cached(builder, "one|two", tmp_path)
    assert table_files.cached(builder, "one|two", tmp_path) == first and len(built) == 1
    path = table_files.cache_path("one|two", tmp_path)
    path.write_bytes(path.read_bytes()[:-9])
    assert table_files.cached(builder, "one|two", tmp_path) == first and len(built) == 2
    assert table_files.load_table(path) == first
    other = ParaphraseTable("SMT", "ja", {}, "another")
    table_files.save_table(other, path)  # a file put in the wrong place
    assert table_files.cached(builder, "one|two", tmp_path) == first and len(built) == 3
    assert table_files.cached(builder, "one|two", None) == first and len(built) == 4
    with pytest.raises(InputError, match="signature"):
        table_files.cached(builder, "three", tmp_path)


def test_a_vocabulary_restricts_a_table():
    resource = table_files.TableResource(TABLE)
    assert resource.table({"a", "b", "c"}).pairs == {("a",): {("b",): 1.0}}
    assert resource.table({"a", "b", "c", "d"}).pairs == {("a",): TABLE.pairs[("a",)]}
    assert resource.table(None) == TABLE and resource.table(set()).pairs == {}
    assert resource.table(["a", "b"]).signature == TABLE.signature
    with pytest.raises(InputError):
        resource.table("ab")
