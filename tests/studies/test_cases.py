"""Single edits and minimal pairs: the three measures together, orderings, and the file of pairs."""

import pytest

from nbhelpers.base.errors import DataFormatError, InputError
from nbhelpers.metrics.ndd import contextual_cosine, ndd, pseudo_perplexity, split_words
from nbhelpers.results import published
from nbhelpers.studies.ndd.cases import edit_label, ordering_claims, read_minimal_pairs, score_edits

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
    claims = ordering_claims(scores)
    assert len(claims) == 11 and all(held == (scores[mild] < scores[strong]) for mild, strong, held in claims)
    assert edit_label(claims[0][0]) == "cool"


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
        with pytest.raises(DataFormatError, match=reason) as caught:
            read_minimal_pairs(path)
        assert caught.value.line == 2
