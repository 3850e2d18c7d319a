"""Two systems compared: by hand, against the tests of the statistics room, on the command line, and bad input."""

import json
import re

import numpy as np
import pytest
from scipy.stats import norm

from nbhelpers import __main__ as command_line
from nbhelpers.base import stats
from nbhelpers.base.errors import InputError
from nbhelpers.base.paths import data_dir
from nbhelpers.commands.compare import compare
from nbhelpers.metrics import Metric, load

WORDS = ("boat", "car", "house", "horse", "ship", "farm")
SOURCES = [f"The {word} was sold in the old harbour ." for word in WORDS] * 5
FIRST = [text.replace("old ", "") for text in SOURCES]
SECOND = [" ".join(text.split()[:3]) for text in SOURCES]


def test_a_row_is_what_the_statistics_say():
    table, lines = compare(SOURCES, {"one": FIRST, "two": SECOND}, ["token-f1", "bleu"])
    metric = load("token-f1")
    a, b = metric(SOURCES, FIRST), metric(SOURCES, SECOND)
    row = table.iloc[0]
    expected = stats.paired_permutation(a, b)
    assert (row["n"], row["mean A"], row["mean B"]) == (30, pytest.approx(a.mean()), pytest.approx(b.mean()))
    assert lines[lines.system == "two"]["token-f1"].tolist() == pytest.approx(b.tolist())
    assert (row["difference"], row["p"]) == (pytest.approx(expected.value), pytest.approx(expected.p))
    assert row["p adjusted"] == pytest.approx(2 * min(table["p"])) and row["better"] == "one"
    assert row["A wins"] == pytest.approx(np.mean((a > b) + 0.5 * (a == b)))
    error = np.std(a - b, ddof=1) / 30**0.5
    assert row["detectable"] == pytest.approx((norm.ppf(0.975) + norm.ppf(0.8)) * error)


def test_the_better_system_has_the_smaller_distance():
    def length(sources, candidates, references):
        return [abs(len(s) - len(c)) + 0.01 * number for number, (s, c) in enumerate(zip(sources, candidates))]

    distance = Metric("distance", "Distance", (0.0, np.inf), False, False, "distance|v:1", length, None)
    assert compare(SOURCES, {"A": FIRST, "B": SECOND}, [distance])[0]["better"].tolist() == ["A"]
    same, _ = compare(SOURCES, {"A": FIRST, "B": FIRST}, [distance])
    assert same.loc[0, ["difference", "A wins", "better"]].tolist() == [0, 0.5, ""]


def test_three_systems_are_compared_two_by_two_without_the_lines_that_one_of_them_lacks():
    third = ["", *SECOND[1:]]
    table, lines = compare(SOURCES, {"one": FIRST, "two": SECOND, "three": third}, ["token-f1", "fkgl"])
    assert table[["A", "B"]].values.tolist()[:3] == [["one", "two"], ["one", "three"], ["two", "three"]]
    assert set(table["n"]) == {29} and np.isnan(lines["token-f1"]).sum() == 1
    assert set(table[table.metric == "fkgl"]["better"]) == {""}  # a school grade is no better for being higher
    with pytest.raises(InputError, match="two or more systems can be compared, not 1"):
        compare(SOURCES, {"one": FIRST})


def test_a_table_with_a_column_for_each_system(tmp_path, capsys):
    rows = [f"{s};{a};{b}" for s, a, b in zip(SOURCES, FIRST, SECOND)]
    (tmp_path / "systems.csv").write_text("\n".join(["Source Text;plain;short", *rows]), encoding="utf-8")
    assert command_line.main(["compare", str(tmp_path / "systems.csv"), "--metric", "token-f1", "--lines"]) == 0
    printed = capsys.readouterr()
    assert len(printed.out.splitlines()) == 61 and printed.err == ""  # nothing is said of so short a time


def write(folder, **texts):
    for name, lines in texts.items():
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return [str(folder / name) for name in texts]


@pytest.mark.parametrize("form", ["table", "tsv", "json"])
def test_the_command_line(form, tmp_path, capsys):
    files = write(tmp_path, sources=SOURCES, first=FIRST, second=SECOND)
    assert command_line.main(["compare", *files, "--metric", "token-f1,rouge1-f1", "--format", form]) == 0
    out = capsys.readouterr().out
    if form == "json":
        assert [row["metric"] for row in json.loads(out)] == ["token-f1", "rouge1-f1"]
    else:
        assert [line.split()[0] for line in out.splitlines()] == ["metric", "token-f1", "rouge1-f1"]


@pytest.mark.parametrize(
    ("second", "metric", "message"),
    [
        (SECOND[:-1], "bleu", "second has 29 lines, and .*sources has 30"),
        (SECOND, "bloo", "no metric 'bloo'"),
    ],
)
def test_bad_input_is_one_sentence(second, metric, message, tmp_path, capsys):
    files = write(tmp_path, sources=SOURCES, first=FIRST, second=second)
    assert command_line.main(["compare", *files, "--metric", metric, "--quiet"]) == 2
    captured = capsys.readouterr()
    assert captured.out == "" and len(captured.err.splitlines()) == 1
    assert re.search(message, captured.err), captured.err


def test_the_example_in_the_documentation_is_what_it_prints(capsys):
    folder = data_dir() / "corpus" / "simplifiers"
    files = [str(folder / f"{name}.txt") for name in ("sources", "short", "plain")]
    assert command_line.main(["compare", *files, "--metric", "token-f1,chrf,sentence-transformer,meaningbert"]) == 0
    printed = capsys.readouterr().out.rstrip().splitlines()
    assert all(line.strip() in (folder / "README.md").read_text(encoding="utf-8") for line in printed), printed
