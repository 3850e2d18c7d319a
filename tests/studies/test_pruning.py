"""Pruning: a tree worked by hand, plain slow searches, and what a matched random run must keep."""

import gzip
from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refused import refused

from nbhelpers.metrics.ndd import Edit, ndd
from nbhelpers.resources.treebank import Sentence, Token
from nbhelpers.results import published
from nbhelpers.studies.ndd import pruning
from nbhelpers.studies.ndd.pruning import COLUMNS, count_pruned, is_subtree, prune, pruning_settings, sentence_of


def result(length: int, *spans: list[int]) -> dict:
    return {"skipped": None, "words": length, "spans": list(spans), "ndd": [0.1] * len(spans)}


# the old man slept here: slept(man(the, old), here)
FIVE = sentence_of("the old man slept here".split(), [3, 3, 4, 0, 4])
# the paper's Figure 3: since(1970s(the, early)) under level(That, would, be, the, lowest)
WORDS = "That would be the lowest level since the early 1970s".split()
FIGURE_3 = sentence_of(WORDS, [6, 6, 6, 6, 6, 0, 6, 10, 10, 7])

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


@pytest.mark.parametrize(
    "sentence, pruned, single, depths, subtrees",
    [
        (FIVE, result(5, [0, 1, 2], [4]), True, "0/4 2/4 2/4 0/4", "1/1 0/0 1/1"),
        # two sisters hang on the same word, but are no single subtree; the root alone has dependents left
        (FIVE, result(5, [0, 1], [3]), True, "1/3 0/3 2/3 0/3", "0/1 0/1 0/0"),
        (FIVE, result(5, [0, 1], [3]), False, "1/3 0/3 2/3 0/3", "0/1 1/1 0/0"),
        (FIVE, result(5, [1, 2]), False, "0/2 1/2 1/2 0/2", "0/0 0/1 0/0"),
        (FIGURE_3, result(10, [6, 7, 8, 9]), True, "0/4 1/4 1/4 2/4", "0/0 0/0 1/1"),
        # overlapping spans that tied are one
        (FIGURE_3, result(10, [6, 7], [7, 8, 9], [0]), True, "0/5 2/5 1/5 2/5", "1/1 0/0 1/1"),
    ],
)
def test_counts_by_hand(sentence, pruned, single, depths, subtrees):
    counts = [f"{hits}/{total}" for hits, total in count_pruned(sentence, pruned, single).tolist()]
    assert counts == depths.split() + subtrees.split()


heads_of_trees = st.integers(1, 8).flatmap(
    lambda n: st.permutations(range(1, n + 1)).flatmap(
        lambda order: st.tuples(*[st.integers(0, i - 1 if i else 0) for i in range(n)]).map(
            lambda picks: {order[i]: 0 if i == 0 else order[picks[i]] for i in range(n)}
        )
    )
)


@given(heads_of_trees, st.data())
def test_a_subtree_is_what_some_word_dominates(by_id, data):
    heads = [by_id[i + 1] for i in range(len(by_id))]
    words = data.draw(st.sets(st.integers(0, len(heads) - 1), min_size=1))

    def under(word: int) -> set[int]:
        return {word}.union(*(under(i) for i, head in enumerate(heads) if head == word + 1))

    assert is_subtree(heads, words) == any(under(word) == words for word in range(len(heads)))
    assert pruning.closed(heads, words) == (set().union(*map(under, words)) == words)


# The search -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("longest, threshold, nu", [(3, 2.0, 0.9), (2, 4.0, 1.0), (5, 4.0, 0.9)])
def test_equals_a_plain_search(tiny_lm, longest, threshold, nu):
    how = pruning_settings(longest, threshold, nu=nu)
    some = 0
    for words, pruned in zip(SENTENCES, prune(tiny_lm, SENTENCES, how)):
        scores = {}
        for start, size in product(range(len(words)), range(1, longest + 1)):
            if start + size <= len(words) and size < len(words):
                left, edits = words[:start] + words[start + size :], [Edit(start, start + size)]
                scores[start, start + size] = ndd(tiny_lm, words, left, edits, settings=how.ndd).value
        low = {span: score for span, score in scores.items() if score < threshold}
        expected, gone = {}, set()
        for (i, j), score in sorted(low.items(), key=lambda item: item[1]):
            beaten = any(k < j and i < m and other < score for (k, m), other in low.items())
            if not beaten and len(gone | set(range(i, j))) < len(words):  # never the whole sentence
                expected[i, j] = score
                gone |= set(range(i, j))
        found = {(span[0], span[-1] + 1): score for span, score in zip(pruned["spans"], pruned["ndd"])}
        assert found == {span: pytest.approx(score, abs=1e-5) for span, score in expected.items()}
        assert pruned["words"] == len(words) and not pruned["skipped"]
        some += len(found)
    assert some > 0


def test_the_lower_threshold_needs_no_search_of_its_own(tiny_lm):
    counts = []
    for threshold in (1.0, 2.0, 3.0, 4.0):
        own = prune(tiny_lm, SENTENCES, pruning_settings(3, threshold))
        for mine, theirs in zip(own, prune(tiny_lm, SENTENCES, pruning_settings(3, 4.0))):
            cut = pruning.at_threshold(theirs, threshold)
            assert cut["spans"] == mine["spans"] and cut["ndd"] == pytest.approx(mine["ndd"], abs=1e-5)
        counts.append(sum(len(mine["spans"]) for mine in own))
    assert 0 < counts[1] < counts[3]


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
    length, spans, start = draw(st.integers(2, 14)), [], 0
    while (start := start + draw(st.integers(0, 3))) < length - 1:
        spans.append(list(range(start, min(length - 1, start + draw(st.integers(1, 4))))))
        start = spans[-1][-1] + 1
    return result(length, *spans)


@given(prunings(), st.integers(0, 2**31))
def test_random_runs_prune_as_much(pruned, seed):
    random = pruning.random_pruning(pruned, seed)
    assert random == pruning.random_pruning(pruned, seed)
    words = [i for span in random["spans"] for i in span]
    assert len(set(words)) == len(words) and set(words) <= set(range(pruned["words"]))
    assert sorted(map(len, random["spans"])) == sorted(map(len, pruned["spans"]))
    assert all(span == list(range(span[0], span[-1] + 1)) for span in random["spans"])


def test_all_arrangements_are_equally_likely():
    pruned = result(6, [0, 1], [3])
    drawn = [pruning.random_pruning(pruned, seed)["spans"] for seed in range(3000)]
    arrangements = Counter(tuple(sorted(map(tuple, spans))) for spans in drawn)
    # a pair and a single word in six: five places for the pair, four words left for the single one
    assert len(arrangements) == 20
    assert sum((n - 150) ** 2 / 150 for n in arrangements.values()) < 43.8  # chi-squared, 19 d.f., p = 0.001


# Rows -------------------------------------------------------------------------------------------------------

MANY = [FIVE, FIVE, FIGURE_3]
SOME = [result(5, [0, 1, 2]), result(5, [3]), result(10, [7], [8, 9])]


def by_place(rows):
    return {(row["row"], row["column"]): row["value"] for row in rows}


def test_table_by_hand():
    rows = by_place(pruning.table_rows(MANY, {(3, 1.0): SOME}, runs=4, resamples=200))
    name = "L_max=3 NDD_max=1.0"
    ours, random = ([rows[f"{who} {name}", column] for column in COLUMNS] for who in ("NDD-based", "Random"))
    # pruned words: depths 3 3 2, 1, 4 4 3
    assert [cell.value for cell in ours[:4]] == pytest.approx([100 / 7, 100 / 7, 300 / 7, 200 / 7])
    assert sum(cell.value for cell in random[:4]) == pytest.approx(100)
    assert rows[f"NDD-based {name}", "Words pruned"] == pytest.approx(700 / 20)
    assert ours[4].value == 50 and ours[4].n == 3 and ours[4].low <= 50 <= ours[4].high
    assert rows[f"NDD-based minus Random {name}", "Subtree 1"].value == pytest.approx(50 - random[4].value)
    table = published.table("ndd/table6")
    assert {(row, column) for row, column in zip(table["row"], table["column"]) if name in row} <= rows.keys()


def test_random_shares_approach_the_shares_of_the_tree():
    # a word drawn at random is a leaf as often as the sentence has leaves: 7 of 10; the root once in ten
    counts = pruning.count_all([FIGURE_3] * 2, [result(10, [2]), result(10, [4])], runs=800).sum(0)
    shares = dict(zip(COLUMNS, counts[:, 2] / np.maximum(1, counts[:, 3])))
    assert shares["Subtree 1"] == pytest.approx(0.7, abs=0.04) and shares["Depth 1"] == pytest.approx(0.1, abs=0.03)


def test_a_setting_against_another():
    more = [result(5, [0, 1, 2], [4]), result(5, [0]), result(10, [7], [8])]
    found = {key: SOME if key[1] == 1.0 else more for key in pruning.CONFIGURATIONS}
    rows = by_place(pruning.paired_rows(MANY, found, runs=2, resamples=200))
    assert rows["NDD_max 1.0 minus 2.0, L_max=3", "Subtree 1"].value == pytest.approx(50 - 100)
    assert rows["L_max 5 minus 3, NDD_max=2.0", "Subtree 1"].value == 0
    assert rows["L_max 5 minus 3, NDD_max=2.0, each minus random", "Depth >=4"].value == 0
    rows = by_place(pruning.model_rows("a minus b", MANY, found, {(3, 1.0): more}, runs=2, resamples=200))
    assert {row for row, _ in rows} == {f"a minus b L_max=3 NDD_max=1.0{end}" for end in ("", ", each minus random")}
    assert rows["a minus b L_max=3 NDD_max=1.0", "Subtree 1"].value == pytest.approx(50 - 100)


def test_the_rule_of_thumb_and_the_errors_of_a_kind():
    tags = ["DET", "ADJ", "NOUN", "VERB", "ADV"]
    tokens = tuple(Token(t.id, t.form, "_", tag, "_", t.head, "_") for t, tag in zip(FIVE.tokens, tags))
    tagged = [Sentence("t", "", tokens)] * 3
    assert pruning.rule_of_thumb(tagged)[0]["spans"] == [[0], [1], [4]]
    pruned = [result(5, [2]), result(5, [0]), result(5, [2])]
    rows = by_place(pruning.error_rows(tagged, pruned, least=1, resamples=100))
    assert rows["Pruned single words: NOUN", "Subtree 1"].value == 0
    assert rows["Pruned single words: DET", "All such words"].value == 100


BARE = Sentence("b", "rain", (Token(1, "rain", "_", "_", "_", None, "_"),))


test_bad_arguments = refused(
    (lambda: pruning.count_all([FIVE], [result(5), result(5)]), "1 sentences, and 2"),
    (lambda: count_pruned(FIVE, result(4, [0])), "has 5 words, not 4"),
    (lambda: count_pruned(BARE, result(1)), "b has no dependency tree"),
    (lambda: pruning.draw_tree(FIVE, [5]), "5 words, and none at"),
    (lambda: pruning.draw_tree(BARE), "no dependency tree"),
)


@pytest.mark.parametrize("sentence", [FIVE, FIGURE_3, sentence_of(["rain"], [0])])
def test_a_drawn_tree(sentence):
    import matplotlib.pyplot

    figure = pruning.draw_tree(sentence, pruned=[len(sentence) - 1], branch=[0])
    figure.canvas.draw()
    (axes,) = figure.axes
    assert [text.get_text() for text in axes.texts] == sentence.words
    assert [text.get_position()[1] for text in axes.texts] == sentence.depths().tolist()
    boxes = [text.get_window_extent() for text in axes.texts]
    assert all(left.x1 < right.x0 for left, right in zip(boxes, boxes[1:]))
    assert len(axes.lines) == len(sentence)  # one to each head but the root's, and one through the pruned word
    matplotlib.pyplot.close(figure)
