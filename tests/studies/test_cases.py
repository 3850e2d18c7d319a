"""Single edits and minimal pairs: the three measures together, orderings, and the file of pairs."""

import pytest
from refused import damaged

from nbhelpers.base.errors import InputError
from nbhelpers.metrics.ndd import NDDSettings, contextual_cosine, ndd, pseudo_perplexity, split_words
from nbhelpers.results import published
from nbhelpers.studies.ndd import cases
from nbhelpers.studies.ndd.cases import orderings_held, read_minimal_pairs, score_edits

HEADER = "id\tkind\tmeaning\tgrammatical\toriginal\tedited\tnote\n"


def test_scores_are_those_of_the_three_measures(tiny_lm):
    pairs = [("the man sat .", "the dog sat ."), ("cold rain .", "cold snow .")]
    for (original, edited), scores in zip(pairs, score_edits(tiny_lm, pairs)):
        a, b = split_words(original), split_words(edited)
        before, after = pseudo_perplexity(tiny_lm, [a, b])
        assert scores.ndd == pytest.approx(ndd(tiny_lm, a, b).value, rel=1e-5) and scores.ndd > 0
        assert (scores.perplexity, scores.perplexity_ratio) == pytest.approx((after, after / before), rel=1e-5)
        assert scores.cosine == pytest.approx(contextual_cosine(tiny_lm, [(a, b)])[0], abs=1e-5)
    with pytest.raises(InputError, match="Pair 0"):
        score_edits(tiny_lm, [("a cat", "a dog", "a man")])


def test_orderings_of_the_published_table():
    table = published.table("ndd/table1")
    scores = table[table["column"] == "NDD"].set_index("row")["value"].to_dict()
    assert orderings_held(scores) == [True] * 11
    assert orderings_held({row: -score for row, score in scores.items()}) == [False] * 11


def test_minimal_pairs(tmp_path):
    shipped = read_minimal_pairs()
    assert len(shipped) == len({pair.id for pair in shipped}) > 80 and {pair.kept for pair in shipped} == {True, False}
    path = tmp_path / "pairs.tsv"
    for line, reason in (
        ("1\tkind\tkept\tyes\tA cat.\n", "A line has id, kind, .* note, none but the note empty"),
        ("1\tkind\tmaybe\tyes\tA cat.\tA dog.\t\n", "meaning is kept or broken"),
        ("1\tkind\tkept\tyes\t \tA dog.\t\n", "none but the note empty"),
    ):
        path.write_text(HEADER + line, encoding="utf-8")
        with damaged(path, 2, reason):
            read_minimal_pairs(path)


def test_rows_of_the_figure_and_the_table(tiny_lm):
    rows = cases.figure1_rows(tiny_lm, NDDSettings())
    scores = {(row["row"], row["column"]): row["value"] for row in rows["figure1"]}
    mild, strong = (scores[f"Replacement that {what} the meaning", "NDD"] for what in ("preserves", "changes"))
    ratio = scores["Replacement that changes the meaning", "NDD relative to the other replacement"]
    assert ratio == pytest.approx(strong / mild)
    assert [row["column"] for row in rows["figure1, each word"] if row["value"] is None] == ["lake", "town"]
    shares = [row["value"] for row in rows["figure2"]]
    assert len(shares) == 18 and shares[0] >= shares[1] >= shares[2] > 0 and "[bank]" in rows["figure2"][0]["row"]
    table = {(row["row"], row["column"]): row["value"] for row in cases.table1_rows(tiny_lm, NDDSettings())}
    assert table[cases.INITIAL_SENTENCE, "NDD"] == 0 and table["Orderings held", "PPL"].n == 11
    difference = table["Orderings held, NDD minus PPL", "NDD"].value
    assert difference == pytest.approx(table["Orderings held", "NDD"].value - table["Orderings held", "PPL"].value)


def test_areas_of_minimal_pairs(tiny_lm, monkeypatch):
    pairs = read_minimal_pairs()
    scores = [cases.EditScores(p.original, p.edited, 1.0 * (not p.kept), 2.0, 1.0, 0.9) for p in pairs]
    monkeypatch.setattr(cases, "score_edits", lambda *_, **__: scores)  # an NDD that knows the labels
    frame = cases.measure_pairs(tiny_lm, pairs, NDDSettings())
    changed = frame.set_index("id")["words changed"]
    assert changed["synonym-01"] == 1 and changed["synonym-08"] == 2 and not frame["one word"][7]
    rows = cases.pair_rows(frame, resamples=100)
    areas = {(row["row"], row["column"]): row["value"] for row in rows["minimal pairs"]}
    assert areas["NDD", "meaning broken or kept"].value == areas["NDD", "one word for another"].value == 1
    assert areas["NDD", "meaning broken or kept"].n == 84 and areas["NDD", "agreement error or sound"].n == 54
    rival = areas["words changed", "meaning broken or kept"].value
    assert areas["NDD minus words changed", "meaning broken or kept"].value == pytest.approx(1 - rival)
    assert len(rows["minimal pairs, each"]) == 96
