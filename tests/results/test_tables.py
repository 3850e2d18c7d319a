import pytest

from nbhelpers.base.errors import InputError
from nbhelpers.base.stats import Estimate
from nbhelpers.results import ledger, tables


@pytest.fixture
def recorded(tmp_path, monkeypatch):
    """A ledger of one run: a real and a small-data number, and a row without numbers."""
    monkeypatch.setenv("NBHELPERS_OUT", str(tmp_path))
    random, ndd = "Random", "NDD-based (ours)"
    real = [{"row": random, "column": "F1", "value": Estimate(48.15, 46.65, 49.54, 300)}]
    small = [{"row": random, "column": "F1", "value": 1.0}, {"row": ndd, "column": "F1", "value": 60.0, "n": 6}]
    missing = {"row": "Filippova et al., 2015", "column": "F1", "value": None, "note": "trained on private data"}
    for profile, rows in {
        "full": [*real, {"row": "Lead", "column": "F1", "value": Estimate(-0.79, -5.311, 3.716, 300)}],
        "quick": small,
    }.items():
        monkeypatch.setenv("NBHELPERS_PROFILE", profile)
        ledger.record_rows("ndd", "table2", [*rows, missing], data="pairs")
    frame = ledger.read(tmp_path / "ledger.jsonl")
    monkeypatch.setattr(ledger, "read", lambda path=None: frame)
    return frame


def test_rows_prefer_real_data_and_carry_the_papers_number(recorded):
    found = tables.rows("ndd", "table2").set_index("row")
    assert found.loc["Random", "value"] == 48.15 and found.loc["NDD-based (ours)", "profile"] == "quick"
    assert found.loc["Random", "published"] == 45.7
    with pytest.raises(InputError, match="nothing is recorded for ndd/tabel2"):
        tables.rows("ndd", "tabel2")


def test_the_layout_is_the_papers_with_baselines_below_and_reasons_in_empty_rows(recorded):
    shown = tables.in_layout("ndd", "table2", columns=["F1"], also=["Lead"], empty={"Unedited": "left out"})
    assert shown.loc["Random", "F1"] == "48.1 [46.6, 49.5] (45.7)"
    assert shown.loc["NDD-based (ours)", "F1"] == "60.0◦ (67.4)" and shown.index[-1] == "Lead"
    assert shown.loc["Filippova et al., 2015"].tolist() == ["– (82.0)", "trained on private data"]
    assert shown.loc["Unedited", "remark"] == "left out" and shown.loc["Random", "remark"] == ""
    chosen = tables.in_layout("ndd", "table2", paper="not printed", only=["Lead"], columns=["F1"])
    assert chosen.index.tolist() == ["Lead"], "rows that are asked for, and no others"
    assert chosen.loc["Lead", "F1"] == "−0.79 [−5.31, 3.72]", "one number of decimals"
    with pytest.raises(InputError, match="no row 'Leed' is recorded"):
        tables.in_layout("ndd", "table2", also=["Leed"])
