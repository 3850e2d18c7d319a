"""The paper's cases and the pairs: every score against a plain version, orderings, tests and what is told apart."""

import numpy as np
import pandas as pd
import pytest
import torch

from nbhelpers.base.errors import InputError
from nbhelpers.metrics.ndd import NDDSettings, ndd, pseudo_perplexity, split_words
from nbhelpers.results import estimates, evidence, published
from nbhelpers.studies.ndd import cases, edits
from nbhelpers.studies.ndd.cases import orderings_held

TEXT = "the man sat on a mat .".split()


def mean_vector(plain, words: list[str]) -> np.ndarray:
    model, tokenizer = plain
    ids = tokenizer(" ".join(words), return_tensors="pt")
    with torch.no_grad():
        hidden = model.base_model(**ids, output_hidden_states=True).hidden_states
    return torch.stack([layer[0, 1:-1].mean(0) for layer in hidden]).numpy()


def test_scores_are_those_of_the_measures(tiny_lm, plain_bert):
    pairs = [("the man sat .", "the dog sat ."), ("cold rain .", "cold snow .")]
    for (original, edited), scores in zip(pairs, edits.scores(tiny_lm, pairs)):
        a, b = split_words(original), split_words(edited)
        before, after = pseudo_perplexity(tiny_lm, [a, b])
        assert scores["NDD"] == pytest.approx(ndd(tiny_lm, a, b).value, rel=1e-5) and scores["NDD"] > 0
        balanced = ndd(tiny_lm, a, b, settings=NDDSettings("balanced")).value
        assert scores["NDD, authors' weights"] == pytest.approx(balanced, rel=1e-5)
        assert (scores["PPL"], scores["perplexity ratio"]) == pytest.approx((after, after / before), rel=1e-5)
        for layer, (x, y) in enumerate(zip(mean_vector(plain_bert, a), mean_vector(plain_bert, b))):
            cosine = x @ y / np.linalg.norm(x) / np.linalg.norm(y)
            assert scores[f"layer {layer}"] == pytest.approx(1 - cosine, abs=1e-5)
        assert scores["1 - cosine"] == scores[f"layer {layer}"]


def plain_log_probability(plain, words: list[str], first: int, last: int) -> float:
    """Mean log-probability per word of the words `first` to `last` - 1, all of their pieces masked at once."""
    model, tokenizer = plain
    pieces = [tokenizer.tokenize(word) for word in words]
    ids = [tokenizer.cls_token_id, *tokenizer.convert_tokens_to_ids(sum(pieces, [])), tokenizer.sep_token_id]
    start, stop = (1 + sum(map(len, pieces[:place])) for place in (first, last))
    masked = torch.tensor([ids[:start] + [tokenizer.mask_token_id] * (stop - start) + ids[stop:]])
    with torch.no_grad():
        answer = torch.log_softmax(model(masked).logits[0], dim=-1)
    return sum(float(answer[place, ids[place]]) for place in range(start, stop)) / (last - first)


@pytest.mark.parametrize(
    "edited, spans",
    [
        ("the man sat on the mat .", [(4, 5, 4, 5)]),  # a word for another
        ("the man sat .", [(3, 6, None, None)]),  # a deletion
        ("the cold man sat on a mat .", [(None, None, 1, 2)]),  # an insertion
        ("a man sat on a cold rain .", [(0, 1, 0, 1), (5, 6, 5, 7)]),  # two edits, one with more words than before
        ("the man sat on a mat .", []),
    ],
)
def test_the_edited_word_equals_the_plain_definition(tiny_lm, plain_bert, edited, spans):
    expected = 0.0
    for first, last, start, stop in spans:
        old = 0.0 if first is None else plain_log_probability(plain_bert, TEXT, first, last)
        new = 0.0 if start is None else plain_log_probability(plain_bert, edited.split(), start, stop)
        expected += abs(old - new)
    (found,) = edits.scores(tiny_lm, [(" ".join(TEXT), edited)])
    assert found["edited word"] == pytest.approx(expected, abs=1e-4)
    assert found["NDD + edited word"] == pytest.approx(found["NDD"] + expected, abs=1e-4)


def test_orderings_of_the_published_table():
    table = published.table("ndd/table1")
    scores = table[table["column"] == "NDD"].set_index("row")["value"].to_dict()
    assert orderings_held(scores) == [True] * 11
    assert orderings_held({row: -score for row, score in scores.items()}) == [False] * 11


def test_items_and_tables_of_the_papers_cases(tiny_lm):
    items = cases.run(tiny_lm).assign(model="tiny")
    found = cases.figure1(items)
    mild, strong = (estimates.estimate(found, row, "NDD").value for row in cases.REPLACEMENTS)
    assert estimates.estimate(found, cases.REPLACEMENTS[1], cases.RATIO).value == pytest.approx(strong / mild)
    moved = items[(items["case"] == "figure1") & (items["measure"] == "divergence")]
    assert moved.groupby("item").size().tolist() == [10, 9, 9]  # the edited word has no divergence
    assert (items[items["measure"] == "choice 1"]["value"].to_numpy() > 0).all()
    assert cases.expected(items).shape == (9, 1) and "[bank]" in cases.expected(items).index[1]
    table, hits = cases.table1(items, resamples=100), cases.held(items)
    assert estimates.estimate(table, cases.INITIAL_SENTENCE, "NDD").value == 0 and len(hits) == 11
    held = {name: estimates.estimate(table, "Orderings held", name) for name in cases.COLUMNS}
    assert held["PPL"].n == 11 and held["PPL"].value == hits["PPL"].mean()
    difference = estimates.estimate(table, "Orderings held, NDD minus PPL", "NDD").value
    assert difference == pytest.approx(held["NDD"].value - held["PPL"].value)


# ------------------------------------------------------------------------------------------------------------- pairs


def test_a_smaller_draw_is_part_of_a_larger_one_and_texts_are_left_out(tiny_lm, monkeypatch):
    pairs = edits.draw("minimal-pairs")
    assert len(pairs) == 96 and pairs["label"].sum() == 48 and set(pairs["pair"]) == set(range(96))
    assert edits.draw("minimal-pairs", 5).equals(pairs.head(5))
    monkeypatch.setattr(edits, "scores", lambda lm, texts, settings: [{"NDD": 0.0}] * len(texts))
    items = edits.run(tiny_lm, pairs.head(3))
    assert items["pair"].tolist() == pairs["pair"].head(3).tolist() and not {"source", "candidate"} & set(items)
    frame = edits.run(tiny_lm, pairs[pairs["pair"].isin([0, 7])]).set_index("pair")
    assert frame.loc[0, ["words changed", "one word"]].tolist() == [1, True]  # start, begin
    assert frame.loc[7, ["words changed", "one word"]].tolist() == [2, False]  # a fair, an average


def test_recording_goes_on_after_the_pairs_that_the_evidence_has(tmp_path, monkeypatch):
    asked = []

    def scored(texts, **options):
        asked.append(len(texts))
        return [{"NDD": float(len(source) - len(candidate))} for source, candidate in texts]

    monkeypatch.setattr(edits, "_scored", scored)
    monkeypatch.setenv("NBHELPERS_OUT", str(tmp_path))
    monkeypatch.setattr(evidence, "folder", lambda: tmp_path)
    monkeypatch.setattr(evidence, "stand_ins", tuple)
    evidence.save("ndd-pairs", *edits.record(each=3))
    found, _ = edits.record(each=7, more=True)
    monkeypatch.setenv("NBHELPERS_OUT", str(tmp_path / "new"))
    whole, _ = edits.record(each=7)
    assert sum(asked) == 3 + 4 + 7 and found.equals(whole)
    with pytest.raises(InputError, match="these pairs of minimal-pairs are recorded already"):
        edits.record(each=3, more=True)


def minimal(**scores) -> pd.DataFrame:
    """The minimal pairs with an NDD that knows the labels, by a model called tiny."""
    pairs = edits.draw("minimal-pairs").sort_values("pair")
    plain = {"words changed": 1, "one word": pairs["kind"] == "synonym", "NDD": 1.0 - pairs["label"]}
    return pairs.assign(**plain | {"model": "tiny"} | scores)


def test_the_tests_of_the_minimal_pairs():
    items = minimal(rival=np.arange(96) % 7)
    found = edits.summary(items, ["minimal pairs", "one word for another"], ["NDD"], ["rival"], resamples=100)
    assert found[found["row"] == "NDD"]["value"].tolist() == [1, 1] and found["n"].tolist() == [84, 84, 12, 12]
    alone = edits.told(edits.of_test(items, "minimal pairs"), "rival", resamples=100).value
    assert estimates.estimate(found, "NDD minus rival", "minimal pairs").value == pytest.approx(1 - alone)
    faults = edits.of_test(items.assign(NDD=items["kind"] == "agreement error"), "agreement error or sound")
    assert edits.told(faults, "NDD", resamples=100).value == 1 and len(faults) == 54
    kinds = edits.by_kind(items, resamples=100)
    assert len(kinds) == 7 and set(kinds["n"]) == {48} and set(kinds["value"]) == {1}
    kept = edits.summary(items[items["label"] == 1], ["minimal pairs"], ["NDD"], resamples=100)
    assert kept.empty, "nothing can be told from pairs of one label"


def test_the_mean_of_several_rivals_and_two_models_on_the_same_pairs():
    own = edits.of_test(minimal(a=np.arange(96) % 5, b=np.arange(96) % 3), "minimal pairs")
    single = [edits.told(own, "NDD", name, resamples=100).value for name in "ab"]
    assert edits.told(own, "NDD", "a", "b", resamples=100).value == pytest.approx(np.mean(single))
    two = pd.concat([minimal(), minimal(model="blind", NDD=0.0)])
    assert edits.told(edits.side_by_side(two), "tiny", "blind", resamples=100).value == 0.5


def test_where_candidates_compete_ties_count_in_part():
    scores = {"NDD": [1.0, 2, 3, 2, 2, 5], "other": [3.0, 2, 1, 1, 2, 3]}
    labels = {"label": [1, 0, 0, 1, 0, 0], "item": [0, 0, 0, 1, 1, 1], "group": [0, 0, 0, 1, 1, 1]}
    frame = pd.DataFrame({**labels, **scores, "set": "semantoneg", "kind": "", "model": "tiny"})
    assert edits.told(frame, "NDD", resamples=100).value == 0.75
    assert edits.told(frame, "NDD", "other", resamples=100).value == 0.25


def test_pairs_of_one_source_are_resampled_together():
    generator = np.random.default_rng(0)
    one = pd.DataFrame({"NDD": generator.random(24), "label": np.arange(24) % 2, "group": np.arange(24) // 4})
    five = pd.concat([one.assign(set="paws-wiki")] * 5, ignore_index=True)  # copies of a pair add nothing new
    grouped, single = (edits.told(frame, "NDD") for frame in (five, five.assign(group=range(120))))
    assert grouped.value == single.value and (grouped.n, single.n) == (6, 120)
    assert grouped.high - grouped.low > 1.5 * (single.high - single.low)
