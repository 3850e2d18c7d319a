"""Pruning: a tree worked by hand, plain slow searches, and what a matched random run must keep."""

import gzip
from collections import Counter
from itertools import product

import numpy as np
import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refused import refused

from nbhelpers.base import stats
from nbhelpers.base.paths import data_dir
from nbhelpers.metrics.ndd import Edit, ndd
from nbhelpers.resources.treebank import Sentence, Token, depths_of
from nbhelpers.results import published
from nbhelpers.results.estimates import estimate
from nbhelpers.studies.ndd import branches, pruning, pruning_evidence, trees
from nbhelpers.studies.ndd.branches import COLUMNS
from nbhelpers.studies.ndd.pruning import CONFIGURATIONS, prune, pruning_settings
from nbhelpers.studies.ndd.trees import is_subtree, sentence_of


def result(*spans: list[int]) -> dict:
    return {"skipped": None, "spans": list(spans), "ndd": [0.5, 1.5, 0.2][: len(spans)]}


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
        (sentence,) = trees.read_treebank(tmp_path / name)
        assert [(t.form, t.head) for t in sentence.tokens] == rows
    (tmp_path / "five.conllu.gz").write_bytes(gzip.compress(conllu.encode()))
    assert trees.read_treebank(tmp_path / "five.conllu.gz")[0].words == FIVE.words


# By hand ----------------------------------------------------------------------------------------------------


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
    assert trees.closed(heads, words) == (set().union(*map(under, words)) == words)


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
        assert not pruned["skipped"]
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
    rows = product(("Random", "NDD-based"), CONFIGURATIONS)
    assert set(table["row"]) == {f"{kind} L_max={longest} NDD_max={limit}" for kind, (longest, limit) in rows}


def test_one_word_and_long_sentences(tiny_lm):
    one, long = prune(tiny_lm, [["rain"], ["mat"] * 39], pruning_settings(3, 1.0))
    assert one["spans"] == long["spans"] == [] and one["skipped"] is None and "pieces" in long["skipped"]


# At random --------------------------------------------------------------------------------------------------


@given(st.lists(st.integers(1, 4), max_size=5), st.integers(1, 9), st.integers(0, 2**31))
def test_random_runs_prune_as_much(sizes, left, seed):
    spans, words = [(0, size) for size in sizes], sum(sizes) + left
    places = {1: np.array([0.0, 0.3, 1.0]), 2: np.array([0.5])}
    for drawn in (pruning.random_spans(spans, words, (seed,)), pruning.matched_spans(spans, words, places, (seed,))):
        gone = [i for start, length in drawn for i in range(start, start + length)]
        assert len(set(gone)) == len(gone) and set(gone) <= set(range(words))
        assert sorted(length for _, length in drawn) == sorted(length for _, length in spans)
    again = pruning.random_spans(spans, words, (seed,))
    assert again == pruning.random_spans(spans, words, (seed,))


def test_all_arrangements_are_equally_likely():
    drawn = [pruning.random_spans([(0, 2), (3, 1)], 6, (seed,)) for seed in range(3000)]
    arrangements = Counter(tuple(sorted(spans)) for spans in drawn)
    # a pair and a single word in six: five places for the pair, four words left for the single one
    assert len(arrangements) == 20
    assert sum((n - 150) ** 2 / 150 for n in arrangements.values()) < 43.8  # chi-squared, 19 d.f., p = 0.001


def test_matched_runs_stand_where_the_others_stand():
    places = {1: np.array([1.0])}  # in other sentences only the last word went
    assert pruning.matched_spans([(0, 1)], 9, places, (0,)) == [(8, 1)]
    two = {pruning.matched_spans([(0, 2)], 10, {2: np.array([0.0, 0.5])}, (seed,))[0] for seed in range(20)}
    assert two == {(0, 2), (4, 2)}


# The trees --------------------------------------------------------------------------------------------------


def tagged(*rows: tuple[str, str, int]) -> Sentence:
    tokens = (Token(i, word, "_", "_", tag, head, "_") for i, (word, tag, head) in enumerate(rows, 1))
    return Sentence("t", "", tuple(tokens))


LOWERED = [
    # has been sold: has > been > sold becomes sold(has, been), and the subject goes with the verb
    (("It", "PRP", 2), ("has", "VBZ", 0), ("been", "VBN", 2), ("sold", "VBN", 3), (".", ".", 2)),
    # is a chairman of it: chairman(is), prepositions only where they are asked for
    (("He", "PRP", 2), ("is", "VBZ", 0), ("chairman", "NN", 2), ("of", "IN", 3), ("it", "PRP", 4)),
    # said that he came: came(that)
    (("I", "PRP", 2), ("said", "VBD", 0), ("that", "IN", 2), ("he", "PRP", 5), ("came", "VBD", 3)),
    # Ann 's dog slept: Ann('s)
    (("Ann", "NNP", 2), ("'s", "POS", 3), ("dog", "NN", 4), ("slept", "VBD", 0)),
    # have to go is no auxiliary
    (("They", "PRP", 2), ("have", "VBP", 0), ("to", "TO", 4), ("go", "VB", 2)),
]
STANFORD = [[4, 4, 4, 0, 4], [3, 3, 0, 3, 4], [2, 0, 5, 5, 2], [3, 1, 4, 0], [2, 0, 4, 2]]


@pytest.mark.parametrize("rows, heads", zip(LOWERED, STANFORD))
def test_function_words_are_lowered(rows, heads):
    sentence = tagged(*rows)
    assert trees.lowered_heads(sentence) == heads
    assert (trees.lowered_heads(sentence, prepositions=True) == heads) == ("of" not in sentence.words)


@given(heads_of_trees, st.data())
def test_lowered_heads_are_a_tree(by_id, data):
    heads = [by_id[i + 1] for i in range(len(by_id))]
    tags = [data.draw(st.sampled_from(["IN", "MD", "VBZ", "NN", "VBN", "POS", "TO"])) for _ in heads]
    sentence = tagged(*(("is", tag, head) for tag, head in zip(tags, heads)))
    for prepositions in (False, True):
        lowered = trees.lowered_heads(sentence, prepositions=prepositions)
        assert min(depths_of(lowered)) == 1 and len(lowered) == len(heads)


# Evidence ---------------------------------------------------------------------------------------------------

TREES = {7: FIVE, 3: FIVE, 20: FIGURE_3}
FOUND = {  # what went, by longest span; the lower threshold leaves out the second span
    7: {3: result([0, 1, 2]), 5: result([0, 1, 2], [4])},
    3: {3: result([3]), 5: result([0, 1])},
    20: {3: result([7], [8, 9]), 5: result([6, 7], [7, 8, 9], [0])},
}


@pytest.fixture(scope="module")
def items():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pruning, "search", lambda *_, **__: FOUND)
        return pruning_evidence.run(TREES, draws=4)


def test_sentences_that_are_known_are_not_searched_again(monkeypatch):
    asked = []

    def search(new, **options):
        asked.append(list(new))
        return {place: FOUND[place] for place in new}

    monkeypatch.setattr(pruning, "search", search)
    whole = pruning_evidence.run({3: FIVE, 7: FIVE}, draws=4)
    known = pruning_evidence.searched(whole)
    for some in (known, {7: known[7]}):
        assert pruning_evidence.run({3: FIVE, 7: FIVE}, draws=4, known=some).equals(whole)
    assert asked == [[3, 7], [], [3]]


def test_items_by_hand(items):
    own = items[(items["system"] == "ndd") & (items["placed"] == "own") & (items["threshold"] == 2)]
    columns = ["longest", "sentence", "start", "length", "treebank_branch", "single"]
    columns += [f"treebank_{depth}" for depth in (1, 2, 3)]
    assert own[columns].astype(int).values.tolist() == [
        [3, 7, 0, 3, 1, 1, 0, 1, 2],
        [3, 3, 3, 1, 0, 0, 1, 0, 0],
        [3, 20, 7, 1, 1, 1, 0, 0, 0],
        [3, 20, 8, 2, 0, 0, 0, 0, 1],
        [5, 7, 0, 3, 1, 1, 0, 1, 2],
        [5, 7, 4, 1, 1, 1, 0, 1, 0],
        [5, 3, 0, 2, 1, 0, 0, 0, 2],  # two sisters, no single subtree
        [5, 20, 0, 1, 1, 1, 0, 1, 0],
        [5, 20, 6, 4, 1, 1, 0, 1, 1],  # two spans that tied are one
    ]
    low = items[(items["system"] == "ndd") & (items["placed"] == "own") & (items["threshold"] == 1)]
    assert (low["ndd"] < 1).all() and len(low) == 3 + 4
    words = items[items["system"] == "word"]
    assert words.groupby("sentence").size().to_dict() == {3: 5, 7: 5, 20: 10} and (words["words"] <= 10).all()
    runs = ["system", "longest", "threshold", "placed", "draw"]
    size = items.groupby(runs, observed=True)["length"].sum()  # a random run prunes as much as its setting
    assert set(size.groupby(level=[0, 1, 2]).nunique()) == {1} and size.nunique() > 1
    assert set(items["draw"]) == {0, 1, 2, 3}


def test_table_by_hand(items):
    cell = branches.summary(items, resamples=200).set_index(["row", "column"])
    name = "L_max=3 NDD_max=2.0"
    ours, random = (cell["value"][f"{who} {name}"][list(COLUMNS)] for who in ("NDD-based", "Random"))
    # pruned words: depths 3 3 2, 1, 4 4 3
    assert ours.tolist() == pytest.approx([100 / 7, 100 / 7, 300 / 7, 200 / 7, 50, 0, 100])
    assert sum(random.iloc[:4]) == pytest.approx(100)
    assert cell["value"][f"NDD-based {name}", "Words pruned"] == pytest.approx(700 / 20)
    whole = cell.loc[(f"NDD-based {name}", "Subtree 1")]
    assert whole["n"] == 3 and whole["low"] <= 50 <= whole["high"]
    lead = cell.loc[(f"NDD-based {name} minus random", "Subtree 1")]
    assert lead["value"] == pytest.approx(50 - random["Subtree 1"]) and lead["over"] == "random" and lead["p"] > 0
    assert {(one.row, one.column) for one in published.by_place("ndd/table6").values()} <= set(cell.index)
    single = branches.summary(items, resamples=200, single=True)
    assert estimate(single, "NDD-based L_max=5 NDD_max=2.0", "Subtree 2").value == 0


def test_comparisons_are_paired(items):
    found = branches.compared(items, resamples=200)
    assert estimate(found, "threshold 1 minus 2, longest span 5", "Subtree 1").value == pytest.approx(0)
    assert estimate(found, "longest span 5 minus 3, threshold 2", "Subtree 1").value == pytest.approx(50)
    both = estimates_of_two_models(items)
    own = branches.models_compared(both, "b", "a", resamples=200)
    assert own["row"].nunique() == 4 and set(own["value"].dropna()) == {0.0}
    assert set(branches.summary(both, resamples=200)["model"]) == {"a", "b"}
    joint = branches.cells(branches.leads(items), slice(0, 3))
    assert joint.values.shape == (12,) and joint.largest().value == joint.values.max()


def test_without_punctuation_marks_are_neither_words_nor_spans(items):
    # "Rain, ..." by hand: make each second word a mark, and count what is left
    marked = items.assign(tag=items["tag"].astype(str))
    words = marked["system"] == "word"
    marks = {(one.sentence, one.start) for one in marked[words].itertuples() if one.start % 2}
    of = [(one.sentence, one.start) in marks for one in marked.itertuples()]
    marked["tag"] = np.where(of, "PUNCT", "NOUN")
    every, found = branches.counts(marked), branches.counts(marked, punctuation=False)
    places = sorted(set(items["sentence"]))
    for key, table in found.items():
        part = marked[(marked["system"] == key[0]) & (marked["longest"] == key[1]) & (marked["placed"] == key[3])]
        part = part[part["threshold"] == np.float32(key[2])]
        left = np.zeros(len(places))
        for one in part.itertuples():
            at = places.index(one.sentence)
            left[at] += sum((one.sentence, i) not in marks for i in range(one.start, one.start + one.length))
        assert table[:, :4, 1] == pytest.approx(np.repeat(left[:, None] / max(part["draw"].nunique(), 1), 4, axis=1))
        assert table[:, :4, 0].sum(axis=1) == pytest.approx(table[:, 0, 1])
        assert (table[:, 4, 1] <= every[key][:, 4, 1]).all() and (table[:, 5:] == every[key][:, 5:]).all()


def test_groups_of_sentences(items):
    names = {False: "short", True: "long"}
    found = branches.by_group(items.assign(of=(items["words"] > 5).map(names)), "of", resamples=200).set_index("row")
    assert found["n"].to_dict() == {"long": 1, "short": 2, "long minus short": 3}
    alone = branches.answers(items[items["words"] == 5], resamples=200).query("row == 'whole branches'")
    lead = alone[alone["column"] == "minus random"]["value"].item()
    assert found.loc["short", "value"] == pytest.approx(lead)


def test_as_many_words_as_the_rule_at_most(items):
    found = branches.as_many(items, resamples=200)
    assert set(found["row"]) == set(trees.TREES_IN_WORDS.values()) and found["column"].nunique() == 2
    once = branches.rules_once(branches.by_length(estimates_of_two_models(items), resamples=200))
    rules = once[once["row"].str.contains("rule")]
    assert len(rules) == 2 and set(rules["model"]) == {branches.NO_MODEL} and len(once) == 8


def test_deep_words_minus_the_rule_are_the_mean_of_the_settings_compared(items):
    for punctuation in (True, False):
        found = branches.deep_words(items, punctuation=punctuation, resamples=200)
        for tree, name in trees.TREES_IN_WORDS.items():
            how = {"over": "random", "tree": tree, "punctuation": punctuation, "resamples": 200}
            each = branches.compared(items, **how).query("kind == 'rule' and column == 'Depth >=4'")
            mean = each[each["row"].str.endswith("tagger's tags")]["value"].mean()  # these trees have no tags
            assert estimate(found, name, "deep words, tagger's tags").value == pytest.approx(mean)


def test_few_sentences_do_for_an_answer(items):
    # no setting has a span of each length in each resample of three sentences, and yet there is a number
    found = branches.answers(items, resamples=200)
    assert not found[found["row"].isin([*branches.ANSWERS])].isna()["value"].any()
    lead = found[(found["row"] == "whole branches") & (found["column"] == "minus random")]["value"].item()
    own = 100 * np.mean([2 / 3, 2 / 4, 3 / 4, 1])  # pruned spans that are whole branches, by setting
    assert lead == pytest.approx(own - random_branches(items))


def random_branches(items):
    """Per cent of random spans that are whole branches, mean over the settings."""
    random = items[(items["system"] == "ndd") & (items["placed"] == "random")]
    return 100 * random.groupby(["longest", "threshold"])["treebank_branch"].mean().mean()


def estimates_of_two_models(items):
    return pandas.concat([items.assign(model=name) for name in "ab"], ignore_index=True)


def test_the_leads_by_length_are_means_of_the_settings(items):
    cells = branches.summary(items, resamples=200).query("over == 'random' and column == 'Subtree 1'")
    cells = cells.set_index("system")
    found = branches.by_length(items, resamples=200).set_index("row")
    single = found.loc["1 word, NDD"]
    assert single["value"] == pytest.approx(np.nanmean(cells.loc["ndd", "value"]))
    assert single["published"] == pytest.approx(cells.loc["ndd", "published"].mean())
    rule = found.loc["1 word, rule (treebank's tags)"]
    assert rule["value"] == pytest.approx(cells.loc["rule", "value"], nan_ok=True) and np.isnan(rule["published"])


def test_the_rule_of_thumb_and_the_errors_of_a_kind(monkeypatch):
    tags = [("DT", 3), ("JJ", 3), ("NN", 4), ("VBD", 0), ("RB", 4)]
    sentence = tagged(*((token.form, tag, head) for token, (tag, head) in zip(FIVE.tokens, tags)))
    found = {place: dict.fromkeys((3, 5), result([went])) for place, went in enumerate((2, 0, 2))}
    monkeypatch.setattr(pruning, "search", lambda *_, **__: found)
    items = pruning_evidence.run({i: sentence for i in range(3)}, draws=2)
    rule = items[(items["system"] == "rule") & (items["placed"] == "own") & (items["sentence"] == 0)]
    assert rule["start"].tolist() == [0, 1, 4]
    kinds = branches.by_part_of_speech(items, least=1, resamples=100)
    nouns, articles = estimate(kinds, "NOUN", "Pruned words"), estimate(kinds, "DET", "All words")
    assert (nouns.value, articles.value) == (0, 100)  # with Wilson's intervals, of 2 and of 3 words
    assert (nouns.low, nouns.high) == pytest.approx((0, 100 * stats.proportion([0, 0]).high))
    assert (articles.low, articles.high) == pytest.approx((100 * stats.proportion([1, 1, 1]).low, 100))


def test_a_sample_is_part_of_a_larger_one():
    treebank = trees.read_treebank(data_dir() / "corpus" / "treebank-en.conllu")
    few, more = (list(pruning.chosen(treebank, n, among=20, longest=17)) for n in (5, 9))
    assert more[:5] == few and len(set(more)) == 9 and all(len(treebank[place]) <= 17 for place in more)


BARE = Sentence("b", "rain", (Token(1, "rain", "_", "_", "_", None, "_"),))


test_bad_arguments = refused(
    (lambda items: branches.counts(items, tree="oak"), "tree is one of treebank, stanford, content"),
    (lambda items: branches.counts(estimates_of_two_models(items)), "items of 2 models"),
    (lambda items: branches.counts(items.assign(run=items["draw"] % 2)), "a sentence stands in several runs"),
    (lambda items: trees.draw_tree(FIVE, [5]), "5 words, and none at"),
    (lambda items: trees.draw_tree(BARE), "no dependency tree"),
    given="items",
)


@pytest.mark.parametrize("sentence", [FIVE, FIGURE_3, sentence_of(["rain"], [0])])
def test_a_drawn_tree(sentence):
    import matplotlib.pyplot

    figure = trees.draw_tree(sentence, pruned=[len(sentence) - 1], branch=[0])
    figure.canvas.draw()
    (axes,) = figure.axes
    assert [text.get_text() for text in axes.texts] == sentence.words
    assert [text.get_position()[1] for text in axes.texts] == sentence.depths().tolist()
    boxes = [text.get_window_extent() for text in axes.texts]
    assert all(left.x1 < right.x0 for left, right in zip(boxes, boxes[1:]))
    assert len(axes.lines) == len(sentence)  # one to each head but the root's, and one through the pruned word
    matplotlib.pyplot.close(figure)
