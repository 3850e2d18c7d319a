"""Ledger: what a line holds, replacing, concurrent writers, damage, tables, merging."""

import json
import math
import subprocess
import sys

import numpy as np
import pytest
from refused import damaged

from nbhelpers import __main__ as command_line
from nbhelpers.base import paths, stats
from nbhelpers.base.errors import InputError, ResourceNotFoundError
from nbhelpers.base.stats import Estimate
from nbhelpers.results import ledger


@pytest.fixture(autouse=True)
def checkout(tmp_path, monkeypatch):
    """An empty checkout and an empty run, so that no test sees or touches the project's own ledger."""
    monkeypatch.setattr(paths, "ROOT", tmp_path / "checkout")
    monkeypatch.setenv("NBHELPERS_OUT", str(tmp_path / "run"))
    monkeypatch.delenv("NBHELPERS_PROFILE", raising=False)
    return tmp_path


def put(value=0.5, row="ours", **more):
    return ledger.record(**{"study": "ndd", "table": "table1", "row": row, "column": "spearman", "value": value} | more)


def lines(path=None):
    path = path or paths.ledger_path()
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


# -------------------------------------------------------------------------------------------------- recording


def test_a_line_holds_every_field_in_order():
    made = {"signature": "ndd|lm:embedded", "data": "cases@12ab", "model": "embedded@3f2c", "note": "first reading"}
    entry = put(np.float32(0.5), n=np.int64(14), published=0.6, seconds=1.23456, **made)
    assert list(entry) == list(ledger.FIELDS)
    assert lines() == [entry]
    assert [entry[f] for f in ("value", "low", "high", "level", "n")] == [0.5, None, None, None, 14]
    assert entry.items() >= {"profile": "quick", "seconds": 1.235, "published": 0.6, **made}.items()
    assert entry["device"] and entry["version"] and len(entry["recorded"]) == len("2026-01-31")
    entry = put(Estimate(0.57, 0.1, 0.8, 14, p=0.03), row="größer \u2028 意味")
    assert [entry[f] for f in ("value", "low", "high", "level", "n")] == [0.57, 0.1, 0.8, 0.95, 14]
    assert ledger.read().row[1] == "größer \u2028 意味"
    assert put(None, published=0.6, note="needs bert-base-cased")["value"] is None


def test_the_same_key_is_replaced_and_another_profile_is_not(monkeypatch):
    put(0.1)
    put(0.2, row="other")
    put(0.3)
    assert [(line["row"], line["value"]) for line in lines()] == [("ours", 0.3), ("other", 0.2)]
    monkeypatch.setenv("NBHELPERS_PROFILE", "full")
    put(0.4)
    assert [(line["profile"], line["value"]) for line in lines()] == [("quick", 0.3), ("quick", 0.2), ("full", 0.4)]


@pytest.mark.parametrize(
    "more, message",
    [
        ({"value": math.nan}, "value is not a finite number: nan"),
        ({"value": True}, "value is not a finite number"),
        ({"value": None}, "note must say why"),
        ({"value": Estimate(0.5, 0.1, math.inf, 3)}, "high is not a finite number"),
        ({"value": 0.5, "n": 2.5}, "n is not an integer"),
        ({"value": 0.5, "row": " "}, "row must be one line and not empty"),
        ({"value": 0.5, "note": "two\nlines"}, "note must be one line"),
    ],
)
def test_what_is_no_result_is_refused_and_changes_nothing(more, message):
    put(0.25)
    before = paths.ledger_path().read_bytes()
    with pytest.raises(InputError, match=message):
        put(**more)
    assert paths.ledger_path().read_bytes() == before


def test_concurrent_writers_lose_nothing(checkout):
    code = (
        "import sys; from nbhelpers.results import ledger\n"
        "for i in range(15):\n"
        "    row = f'{sys.argv[1]}-{i}'\n"
        "    ledger.record(study='s', table='t', row=row, column='c', value=i)\n"
    )
    writers = [subprocess.Popen([sys.executable, "-c", code, str(w)]) for w in range(4)]
    assert [writer.wait(timeout=60) for writer in writers] == [0] * 4
    assert sorted(line["row"] for line in lines()) == sorted(f"{w}-{i}" for w in range(4) for i in range(15))
    assert sorted(p.name for p in paths.out_dir().iterdir()) == ["ledger.jsonl", "ledger.lock"]


def test_few_items_that_are_all_alike_get_a_note(checkout):
    def note(values, **more):
        return ledger.record(study="s", table="t", row="r", column="c", value=stats.bootstrap(values), **more)["note"]

    assert note([1.0] * 6) == "all 6 items are alike: resampling them gives no width"
    assert note([1.0] * 6, note="p=1") == "p=1; all 6 items are alike: resampling them gives no width"
    assert note([1.0] * 40) == note([1.0, 0.5, 1.0]) == ""


# ----------------------------------------------------------------------------------------------------- damage


@pytest.mark.parametrize(
    "damage, reason",
    [
        (lambda text: text[: len(text) - 40], "not a whole JSON object"),
        (lambda text: text + "[1, 2]\n", "not a JSON object but list"),
        (lambda text: text + '{"study": "ndd"}\n', "lacks the field"),
        (lambda text: text + text.splitlines()[0].replace('"n": null', '"n": "many"'), "n is not an integer"),
        (lambda text: text + text.splitlines()[0].replace("0.5", "NaN"), "value is not a finite number"),
        (lambda text: text + text.splitlines()[0].replace('"note"', '"notes"'), "unknown field"),
        (lambda text: text + text.splitlines()[0], "repeats the entry"),
    ],
)
def test_a_damaged_line_is_reported_with_its_number_and_nothing_is_lost(damage, reason):
    put(0.5)
    put(0.25, row="second")
    path = paths.ledger_path()
    path.write_text(damage(path.read_text()))
    before = path.read_bytes()
    number = len(before.splitlines())
    for attempt in (ledger.read, lambda: put(0.75), lambda: ledger.merge(paths.out_dir())):
        with damaged(path, number, reason):
            attempt()
    assert path.read_bytes() == before


# ---------------------------------------------------------------------------------------------------- reading


def test_read_joins_shipped_and_running_numbers_and_the_run_wins(monkeypatch):
    put(0.1)
    put(0.2, row="shipped only")
    ledger.merge(paths.out_dir())
    monkeypatch.setenv("NBHELPERS_OUT", str(paths.ROOT / "second"))
    put(0.9)
    put(0.8, row="new")
    frame = ledger.read()
    assert dict(zip(frame.row, frame.value)) == {"ours": 0.9, "shipped only": 0.2, "new": 0.8}
    assert list(frame.columns) == list(ledger.FIELDS)
    assert list(ledger.read(paths.committed_ledger_path()).value) == [0.1, 0.2]


def test_read_of_nothing_is_an_empty_table_and_of_a_missing_file_an_error(checkout):
    assert len(ledger.read()) == 0 and not (checkout / "run").exists()
    with pytest.raises(ResourceNotFoundError, match="nowhere"):
        ledger.read(checkout / "nowhere.jsonl")


@pytest.mark.parametrize(
    "asked, message",
    [
        (("ndd", "sizzes"), "nothing is recorded for ndd/sizzes; did you mean 'ndd/sizes'?"),
        (("nd", "order"), "nothing is recorded for nd/order; did you mean 'pyramid/order'?"),
    ],
)
def test_an_unknown_table_is_answered_with_near_ones(asked, message, capsys):
    put(table="sizes")
    put(study="pyramid", table="order")
    assert command_line.main(["ledger", "table", *asked]) == 2
    assert capsys.readouterr().err == f"python -m nbhelpers ledger: {message}\n"


@pytest.mark.parametrize(
    ("value", "like", "text"),
    [
        (-0.0004, None, "−.000"),
        (1.999, None, "2.00"),
        (99.96, None, "100.0"),
        (0.5, 1.2, "0.50"),
        (0.5, 1, ".500"),
        (1, None, "1.000"),
        (0.0, None, ".000"),
        (34.567, None, "34.6"),
        (104.36, None, "104.4"),
        (189229, None, "189,229"),
        (-0.5, None, "−.500"),
        (math.nan, None, "–"),
    ],
)
def test_numbers_have_two_or_three_digits(value, like, text):
    assert ledger.short(value, like) == text


def test_an_estimate_and_the_ends_of_its_interval_have_the_same_decimals():
    assert ledger.with_interval(-0.79, -5.311, 3.716) == "−0.79 [−5.31, 3.72]"
    assert ledger.with_interval(8.2, 4.1, 12.34) == "8.2 [4.1, 12.3]"
    assert ledger.with_interval(34.567, math.nan, math.nan) == "34.6", "no interval"


# ---------------------------------------------------------------------------------------------------- merging


def shipped(*fields):
    """Fields of the lines that ship with the project."""
    return [tuple(line[field] for field in fields) for line in lines(paths.committed_ledger_path())]


def test_merging_sorts_tables_and_keeps_the_order_within():
    for table in ("table10", "table2"):
        for row in ("zebra", "apple"):
            put(0.5, row=row, table=table)
    put(0.5, study="mb", table="table5")
    assert ledger.merge(paths.out_dir()) == (5, 0, 0, 0)
    ndd = [("ndd", table, row) for table in ("table2", "table10") for row in ("zebra", "apple")]
    assert shipped("study", "table", "row") == [("mb", "table5", "ours"), *ndd]
    assert [p.name for p in paths.committed_ledger_path().parent.iterdir()] == ["ledger.jsonl"]


def test_merging_changes_only_the_line_that_changed():
    for row in "abc":
        put(0.5, row=row, seconds=1.0)
    ledger.merge(paths.out_dir())
    before = paths.committed_ledger_path().read_text().splitlines()
    put(0.5 + 1e-9, row="a", seconds=2.0)  # the same number
    put(0.75, row="b")
    put(0.1, row="d")
    assert ledger.merge(paths.ledger_path()) == (1, 1, 2, 0)
    after = paths.committed_ledger_path().read_text().splitlines()
    assert [after[0], after[2]] == [before[0], before[2]]
    assert shipped("value") == [(0.5,), (0.75,), (0.5,), (0.1,)]


def test_merging_a_whole_run_can_drop_what_it_no_longer_has():
    put(0.5, row="a")
    put(0.5, row="old name")
    put(0.5, row="c", table="table2")
    ledger.merge(paths.out_dir())
    paths.ledger_path().unlink()
    put(0.6, row="a")
    put(0.7, row="new name")
    assert ledger.merge(paths.out_dir(), replace=True) == (1, 1, 0, 0)
    assert shipped("row") == [("a",), ("new name",), ("c",)]  # of table 2 the run had nothing, so it stays


def test_command_line(capsys, checkout):
    put(0.5, published=0.6)
    assert ledger.main(["merge", str(paths.out_dir())]) == 0
    assert capsys.readouterr().out.startswith("1 added, 0 changed, 0 unchanged")
    assert ledger.main(["table", "ndd", "table1"]) == 0
    assert ["ours", "spearman", "quick", "0.5", *"–––", "0.6"] == capsys.readouterr().out.split("\n")[1].split()
    assert ledger.main(["list"]) == 0
    assert capsys.readouterr().out == "ndd/table1 (quick): 1 numbers\n"
    assert command_line.main(["ledger", "merge", str(checkout / "empty")]) == 2
    assert "there is no ledger" in capsys.readouterr().err
