"""``python -m nbhelpers board``: measures of one's own and scores made elsewhere, and what is no such thing."""

import pytest
from refused import damaged

from nbhelpers.base.errors import InputError
from nbhelpers.commands.board import load_metric, main, read_scores

OWN = """
from nbhelpers.metrics import load
number = 3
def metric(): return load("token-f1")
def right(sources, candidates): return [float(len(one)) for one in candidates]
def short(sources, candidates): return [1.0]
def words(sources, candidates): return ["a" for _ in sources]
def other(text): return 1.0
"""


def test_a_measure_of_ones_own_is_a_metric_or_a_function_of_two_lists(tmp_path, monkeypatch):
    (tmp_path / "own_measures.py").write_text(OWN)
    monkeypatch.chdir(tmp_path)
    assert load_metric("own_measures:metric").name == "token-f1"
    assert load_metric("own_measures:right")(["a", "b"], ["aa", "b"]).tolist() == [2, 1]
    for name in ("number", "other", "load"):
        with pytest.raises(InputError, match=f"own_measures:{name} is no metric and no function of sources"):
            load_metric(f"own_measures:{name}")
    with pytest.raises(InputError, match="my_module:my_metric"):
        load_metric("nowhere:nothing")
    for name, message in (
        ("short", "does not return one number for each pair: 1 for 2"),
        ("words", "returns something else than numbers"),
    ):
        with pytest.raises(InputError, match=message):
            load_metric(f"own_measures:{name}")(["a", "b"], ["c", "d"])


def test_scores_made_elsewhere_are_read_or_named_with_their_line(tmp_path):
    (file := tmp_path / "own.tsv").write_text("test\tplace\tscore\nstsb\t4\t.5\n")
    assert read_scores(str(file)) == {"stsb": {4: 0.5}}
    file.write_text("test,place,my_metric\nstsb,4,.5\n")  # what --metric writes
    assert read_scores(str(file)) == {"stsb": {4: 0.5}}
    for text, line, reason in (
        ("test,place,score,more\nstsb,4,x,1\n", 2, "needs the columns"),
        ("test\tplace\tscore\nstsb\t4\tx\n", 2, r"columns test, place \(a whole number\) and score"),
        ("test\tplace\nstsb\t4\n", 2, "needs the columns test, place"),
        ("", None, "no scores"),
    ):
        file.write_text(text)
        with damaged(file, line, reason):
            read_scores(str(file))


def test_scores_that_fit_no_pair_or_no_test_are_refused(tmp_path):
    file = tmp_path / "own.tsv"
    for test, place, message in (
        ("shuffled-lee", 1_000_000, "no score for a pair of these tests"),
        ("shuffled-le", 0, "no test 'shuffled-le'; did you mean 'shuffled-lee'?"),
    ):
        file.write_text(f"test\tplace\tscore\n{test}\t{place}\t.5\n")
        with pytest.raises(InputError, match=message.replace("?", r"\?")):
            main(["--scores", str(file), "--tests", "shuffled-lee"])
