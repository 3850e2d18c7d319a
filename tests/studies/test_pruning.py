"""Pruning: a tree worked by hand, plain slow searches, and what a matched random run must keep."""

import gzip
import math
from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nbhelpers.base.errors import InputError
from nbhelpers.metrics.ndd import Edit, ndd
from nbhelpers.resources.treebank import Sentence, Token
from nbhelpers.results import published
from nbhelpers.studies.ndd import pruning
from nbhelpers.studies.ndd.pruning import COLUMNS, Counting, count_pruned, evaluate, is_subtree, prune, pruning_settings


def tree(words: str, heads: list[int], relations: list[str] | None = None) -> Sentence:
    relations = relations or ["_"] * len(heads)
    tokens = [
        Token(number, word, "_", "_", "_", head, relation)
        for number, (word, head, relation) in enumerate(zip(words.split(), heads, relations), start=1)
    ]
    return Sentence("t", words, tuple(tokens))


def result(length: int, *spans: list[int], iteration: list[int] | None = None) -> dict:
    count = len(spans)
    found = {"spans": list(spans), "ndd": [0.1] * count, "iteration": iteration or [0] * count}
    return {"skipped": None, "words": length, **found}


# the old man slept here: slept(man(the, old), here)
RELATIONS = ["det", "amod", "nsubj", "root", "advmod"]
FIVE = tree("the old man slept here", [3, 3, 4, 0, 4], RELATIONS)
# the paper's Figure 3: since(1970s(the, early)) under level(That, would, be, the, lowest)
FIGURE_3 = tree("That would be the lowest level since the early 1970s", [6, 6, 6, 6, 6, 0, 6, 10, 10, 7])

SENTENCES = [
    "the man sat on a cold mat in the rain .".split(),
    "he is walking in the old snow , running no more".split(),
    "snow cats".split(),
    "rain".split(),
]


def test_reads_either_treebank_format(tmp_path):
    rows = [(t.form, t.head) for t in FIVE.tokens]
    conllu = "".join(f"{i}\t{w}\t_\t_\t_\t_\t{h}\t_\t_\t_\n" for i, (w, h) in enumerate(rows, 1)) + "\n"
    nltk = "".join(f"{word}\tX\t{head}\n" for word, head in rows)
    for name, content in [("five.conllu", conllu), ("five.dp", nltk)]:
        (tmp_path / name).write_text(content, encoding="utf-8")
        (sentence,) = pruning.read_treebank(tmp_path / name)
        assert [(t.form, t.head) for t in sentence.tokens] == rows
    (tmp_path / "five.conllu.gz").write_bytes(gzip.compress(conllu.encode()))
    assert pruning.read_treebank(tmp_path / "five.conllu.gz")[0].words == FIVE.words


# By hand ----------------------------------------------------------------------------------------------------


def test_depths():
    assert FIVE.depths().tolist() == [3, 3, 2, 1, 2]
    assert FIGURE_3.depths().tolist() == [2, 2, 2, 2, 2, 1, 2, 4, 4, 3]


COMMA = tree("well , he slept .", [4, 4, 4, 0, 4])
LATER = result(10, [7, 8], [6, 9], iteration=[0, 1])  # "since … 1970s" after "the early"
APART = result(10, [7, 8], [6], [9], iteration=[0, 1, 1])
BESIDE = result(10, [6], [7, 8], [9])


@pytest.mark.parametrize(
    "sentence, pruned, counting, depths, subtrees",
    [
        (FIVE, result(5, [0, 1, 2], [4]), {}, "0/4 2/4 2/4 0/4", "1/1 0/0 1/1"),
        # two sisters hang on the same word, but are no complete subtree; the root alone has dependents left
        (FIVE, result(5, [0, 1], [3]), {}, "1/3 0/3 2/3 0/3", "0/1 0/1 0/0"),
        (FIVE, result(5, [0, 1], [3]), {"several": True}, "1/3 0/3 2/3 0/3", "0/1 1/1 0/0"),
        (FIVE, result(5, [1, 2]), {"several": True}, "0/2 1/2 1/2 0/2", "0/0 0/1 0/0"),
        (FIVE, result(5, [3, 4]), {"several": True}, "1/2 1/2 0/2 0/2", "0/0 0/1 0/0"),
        (FIGURE_3, result(10, [6, 7, 8, 9]), {}, "0/4 1/4 1/4 2/4", "0/0 0/0 1/1"),
        # the tree that an earlier iteration left
        (FIGURE_3, LATER, {}, "0/4 1/4 1/4 2/4", "0/0 0/2 0/0"),
        (FIGURE_3, LATER, {"left": True}, "0/4 1/4 1/4 2/4", "0/0 1/2 0/0"),
        # spans side by side; in later iterations in what is left, as "since" and "1970s" are without "the early"
        (FIGURE_3, BESIDE, {}, "0/4 1/4 1/4 2/4", "0/2 0/1 0/0"),
        (FIGURE_3, BESIDE, {"merged": True}, "0/4 1/4 1/4 2/4", "0/0 0/0 1/1"),
        (FIGURE_3, APART, {"merged": True}, "0/4 1/4 1/4 2/4", "0/0 0/2 0/0"),
        # overlapping spans that tied are one
        (FIGURE_3, result(10, [6, 7], [7, 8, 9], [0]), {}, "0/5 2/5 1/5 2/5", "1/1 0/0 1/1"),
        (COMMA, result(5, [0, 1], [4]), {}, "0/3 3/3 0/3 0/3", "1/1 0/1 0/0"),
        (COMMA, result(5, [0, 1], [4]), {"punctuation": False}, "0/1 1/1 0/1 0/1", "0/0 0/1 0/0"),
    ],
)
def test_counts_by_hand(sentence, pruned, counting, depths, subtrees):
    counts = [f"{hits}/{total}" for hits, total in count_pruned(sentence, pruned, Counting(**counting)).tolist()]
    assert counts == depths.split() + subtrees.split()


heads_of_trees = st.integers(1, 8).flatmap(
    lambda n: st.permutations(range(1, n + 1)).flatmap(
        lambda order: st.tuples(*[st.integers(0, i - 1 if i else 0) for i in range(n)]).map(
            lambda picks: {order[i]: 0 if i == 0 else order[picks[i]] for i in range(n)}
        )
    )
)


@settings(max_examples=60, deadline=None)
@given(heads_of_trees, st.data())
def test_a_subtree_is_what_some_word_dominates(by_id, data):
    heads = [by_id[i + 1] for i in range(len(by_id))]
    words = data.draw(st.sets(st.integers(0, len(heads) - 1), min_size=1))

    def under(word: int) -> set[int]:
        return {word}.union(*(under(i) for i, head in enumerate(heads) if head == word + 1))

    assert is_subtree(heads, words) == any(under(word) == words for word in range(len(heads)))
    assert is_subtree(heads, words, several=True) == (set().union(*map(under, words)) == words)


def test_a_word_whose_head_is_gone_hangs_on_what_is_left_above_it():
    heads = [token.head for token in FIGURE_3.tokens]  # "the early" under "since"
    assert is_subtree(heads, [6, 7, 8], gone=[9])
    assert not is_subtree(heads, [7, 8], gone=[9])


# The search -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("longest, threshold, nu", [(3, 2.0, 0.9), (2, 4.0, 1.0), (5, 4.0, 0.9)])
def test_equals_a_plain_search(tiny_lm, longest, threshold, nu):
    how = pruning_settings(longest, threshold, nu=nu)
    some = 0
    for words, pruned in zip(SENTENCES, prune(tiny_lm, SENTENCES, how)):
        scores = {}
        for start, size in product(range(len(words)), range(1, longest + 1)):
            if start + size <= len(words) and size < len(words):
                left = words[:start] + words[start + size :]
                scores[start, start + size] = ndd(
                    tiny_lm, words, left, [Edit(start, start + size)], settings=how.ndd
                ).value
        low = {span: score for span, score in scores.items() if score < threshold}
        expected, gone = {}, set()
        for (i, j), score in sorted(low.items(), key=lambda item: item[1]):
            beaten = any(k < j and i < m and other < score for (k, m), other in low.items())
            if not beaten and len(gone | set(range(i, j))) < len(words):  # never the whole sentence
                expected[i, j] = score
                gone |= set(range(i, j))
        found = {(span[0], span[-1] + 1): score for span, score in zip(pruned["spans"], pruned["ndd"])}
        assert found == {span: pytest.approx(score, abs=1e-5) for span, score in expected.items()}
        assert set(pruned["iteration"]) <= {0} and pruned["words"] == len(words) and not pruned["skipped"]
        some += len(found)
    assert some > 0


def test_the_lower_threshold_needs_no_search_of_its_own(tiny_lm):
    high = pruning_settings(3, 4.0)
    counts = []
    for threshold in (1.0, 2.0, 3.0, 4.0):
        own = prune(tiny_lm, SENTENCES, pruning_settings(3, threshold))
        for mine, theirs in zip(own, prune(tiny_lm, SENTENCES, high)):
            cut = pruning.at_threshold(theirs, threshold, high)
            assert cut["spans"] == mine["spans"] and cut["ndd"] == pytest.approx(mine["ndd"], abs=1e-5)
            assert len(cut["iteration"]) == len(cut["spans"])
        counts.append(sum(len(mine["spans"]) for mine in own))
    assert 0 < counts[1] < counts[3]


def test_further_iterations_prune_on(tiny_lm):
    one = prune(tiny_lm, SENTENCES, pruning_settings(3, 3.0))
    all_ = prune(tiny_lm, SENTENCES, pruning_settings(3, 3.0, iterations=None))
    for first, full in zip(one, all_):
        begun = [span for span, number in zip(full["spans"], full["iteration"]) if number == 0]
        assert begun == first["spans"]
        words = [i for span, _ in pruning.disjoint_spans(full) for i in span]
        assert len(words) == len(set(words)) < full["words"]
    assert max(max(full["iteration"], default=0) for full in all_) > 0


def test_settings_and_rows_of_table_6():
    how = pruning_settings(5, 2.0)
    assert (how.longest_span, how.threshold, how.iterations, how.rate_limit) == (5, 2.0, 1, None)
    assert (how.ndd.weights, how.ndd.mu, how.ndd.nu, how.overlap) == ("balanced", 0.9, 0.9, "code")
    table = published.table("ndd/table6")
    assert set(table["column"]) == set(COLUMNS)
    rows = product(("Random", "NDD-based"), pruning.CONFIGURATIONS)
    assert set(table["row"]) == {f"{kind} L_max={longest} NDD_max={limit}" for kind, (longest, limit) in rows}


def test_one_word_and_long_sentences(tiny_lm):
    one, long = prune(tiny_lm, [["rain"], ["mat"] * 39], pruning_settings(3, 1.0))
    assert one["spans"] == long["spans"] == [] and one["skipped"] is None and "pieces" in long["skipped"]


# At random --------------------------------------------------------------------------------------------------


@st.composite
def prunings(draw):
    length, sizes = draw(st.integers(2, 14)), []
    while draw(st.booleans()) and sum(sizes) + 1 < length:
        sizes.append(draw(st.integers(1, min(4, length - 1 - sum(sizes)))))
    left, spans, iteration = list(range(length)), [], []
    for number, size in enumerate(sizes):
        start = draw(st.integers(0, len(left) - size))
        spans.append(left[start : start + size])
        iteration.append(number)
        del left[start : start + size]
    return result(length, *spans, iteration=iteration)


@settings(max_examples=100, deadline=None)
@given(prunings(), st.integers(0, 2**31))
def test_random_runs_prune_as_much(pruned, seed):
    random = pruning.random_pruning(pruned, seed)
    assert random == pruning.random_pruning(pruned, seed)
    words = [i for span in random["spans"] for i in span]
    assert len(set(words)) == len(words) == sum(map(len, pruned["spans"]))
    assert sorted(map(len, random["spans"])) == sorted(map(len, pruned["spans"]))
    assert set(words) <= set(range(pruned["words"]))
    gone = set()
    for number in sorted(set(random["iteration"])):  # unbroken in what the iterations before have left
        left = [i for i in range(pruned["words"]) if i not in gone]
        for span in (s for s, when in zip(random["spans"], random["iteration"]) if when == number):
            assert span == left[left.index(span[0]) :][: len(span)]
            gone.update(span)
    single = pruning.random_pruning(pruned, seed, match="words")
    assert sum(map(len, single["spans"])) == len(words)


def test_all_arrangements_are_equally_likely():
    pruned = result(6, [0, 1], [3])
    drawn = [pruning.random_pruning(pruned, seed)["spans"] for seed in range(3000)]
    arrangements = Counter(tuple(sorted(map(tuple, spans))) for spans in drawn)
    # a pair and a single word in six: five places for the pair, four words left for the single one
    assert len(arrangements) == 20
    assert sum((n - 150) ** 2 / 150 for n in arrangements.values()) < 43.8  # chi-squared, 19 d.f., p = 0.001


# Table ------------------------------------------------------------------------------------------------------


def test_evaluate_by_hand():
    sentences = [FIVE, FIVE, FIGURE_3]
    pruned = [result(5, [0, 1, 2]), result(5, [3]), result(10, [7], [6, 7, 8, 9][2:])]
    cells = evaluate(sentences, pruned, seeds=range(4), resamples=200)
    assert list(cells) == list(COLUMNS)
    # pruned words: depths 3 3 2, 1, 4 4 3
    assert [cells[name].ndd.value for name in COLUMNS[:4]] == pytest.approx([1 / 7, 1 / 7, 3 / 7, 2 / 7])
    assert cells["Subtree 1"].ndd.value == 0.5 and cells["Subtree 2"].ndd.value == 0
    assert cells["Subtree >=3"].ndd.value == 1 and cells["Subtree >=3"].total == 1
    for cell in cells.values():
        assert cell.ndd.n == 3 and cell.ndd.low <= cell.ndd.value <= cell.ndd.high
        assert cell.difference.value == pytest.approx(cell.ndd.value - cell.random.value)
    assert sum(cells[name].random.value for name in COLUMNS[:4]) == pytest.approx(1)


def test_random_shares_approach_the_shares_of_the_tree():
    # a word drawn at random is a leaf as often as the sentence has leaves: 7 of 10; the root once in ten
    cells = evaluate([FIGURE_3] * 2, [result(10, [2]), result(10, [4])], seeds=range(800), resamples=100)
    assert cells["Subtree 1"].random.value == pytest.approx(0.7, abs=0.04)
    assert cells["Depth 1"].random.value == pytest.approx(0.1, abs=0.03)
    assert cells["Subtree 1"].ndd.value == 1


def test_columns_without_spans_are_empty_and_skipped_sentences_left_out():
    skipped = {**result(5), "skipped": "too long"}
    cells = evaluate([FIVE] * 3, [result(5, [0]), skipped, result(5)], seeds=[1], resamples=100)
    empty, full = cells["Subtree >=3"], cells["Subtree 1"]
    assert empty.ndd is None and empty.random is None and empty.difference is None and empty.total == 0
    assert full.ndd.value == 1 and full.total == 1 and full.ndd.n == 2


BARE = Sentence("b", "rain", (Token(1, "rain", "_", "_", "_", None, "_"),))


@pytest.mark.parametrize(
    "function, arguments, message",
    [
        (evaluate, ([FIVE], [result(5), result(5)]), "1 sentences, and 2"),
        (evaluate, ([FIVE], [result(5, [0])]), "1 sentences and 10 seeds"),
        (count_pruned, (FIVE, result(4, [0])), "has 5 words, not 4"),
        (count_pruned, (BARE, result(1)), "b has no dependency tree"),
        (pruning.at_threshold, (result(5, [0]), 5.0, pruning_settings(3, 4.0)), "above 0 and of at most 4, not 5.0"),
        (pruning.at_threshold, (result(5, [0]), math.nan, pruning_settings(3, 4.0)), "at most 4, not nan"),
        (pruning.at_threshold, (result(5, [0]), 1.0, pruning_settings(3, 4.0, iterations=None)), "one iteration"),
        (pruning.draw_tree, (None, FIVE, [5]), "5 words, and none at"),
        (pruning.draw_tree, (None, BARE), "no dependency tree"),
    ],
)
def test_refuses(function, arguments, message):
    with pytest.raises(InputError, match=message):
        function(*arguments)


# Drawing ----------------------------------------------------------------------------------------------------


@pytest.fixture
def drawn():
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figures = []

    def draw(sentence, pruned=()):
        figure, axes = plt.subplots(figsize=pruning.tree_size(sentence))
        figures.append(figure)
        pruning.draw_tree(axes, sentence, pruned)
        figure.canvas.draw()
        return axes

    yield draw
    for figure in figures:
        plt.close(figure)


def test_a_drawn_tree(drawn):
    axes = drawn(FIVE, [0, 1])
    texts = [text.get_text() for text in axes.texts]
    assert [text for text in texts if text in FIVE.words] == FIVE.words
    assert [text for text in texts if text.isdigit()] == ["3", "3", "2", "1", "2"]
    assert [text for text in texts if text in RELATIONS] == RELATIONS
    assert [patch.get_linestyle() for patch in axes.patches] == ["--", "--", "-", "-", "-"]
    struck = [line for line in axes.lines if len(line.get_xdata()) == 2]
    words = [text for text in axes.texts if text.get_text() in FIVE.words]
    assert [np.mean(line.get_xdata()) for line in struck] == pytest.approx([w.get_position()[0] for w in words[:2]])


@pytest.mark.parametrize("sentence", [FIVE, FIGURE_3, tree("rain", [0])])
def test_words_of_a_drawn_tree_do_not_touch(drawn, sentence):
    axes = drawn(sentence, [len(sentence) - 1])
    boxes = [t.get_window_extent() for t in axes.texts if t.get_text() in sentence.words]
    assert len(boxes) == len(sentence)
    assert all(left.x1 < right.x0 for left, right in zip(boxes, boxes[1:]))
    frame = axes.figure.bbox
    assert all(frame.x0 <= box.x0 and box.x1 <= frame.x1 for box in boxes)


def test_a_column_that_is_rare_on_both_sides_has_no_difference():
    # NDD's only span of three words is in the first sentence, the random run's is in the second
    pruned = [result(10, [6, 7, 8]), result(5, [0], [2], [4]), result(5), result(5)]
    cells = evaluate([FIGURE_3, FIVE, FIVE, FIVE], pruned, match="words", seeds=[0], resamples=200)
    rare = cells["Subtree >=3"]
    assert rare.ndd.value == 0 and rare.random.n == 4 and rare.difference is None
    assert cells["Depth 2"].difference is not None
