"""The evidence store: what is written comes back, and what does not fit is one sentence."""

import shlex

import pandas
import pytest

from nbhelpers.base import paths
from nbhelpers.base.errors import DataFormatError, InputError, ResourceNotFoundError
from nbhelpers.base.stats import Estimate
from nbhelpers.commands import evidence as command
from nbhelpers.resources import data
from nbhelpers.results import estimates, evidence, tables
from nbhelpers.results.evidence import Run
from nbhelpers.studies.ndd import measures


@pytest.fixture
def store(tmp_path, monkeypatch):
    """An empty store, in place of the project's, whatever data other tests have read in this process."""
    monkeypatch.setattr(paths, "data_dir", lambda: tmp_path)
    monkeypatch.setattr(evidence, "stand_ins", tuple)
    return tmp_path / "results" / "evidence"


def items(value=1.0):
    return pandas.DataFrame({"sentence": [0, 1], "kept": [[0, 1], [2]], "hits": [value, 2.0]})


def test_two_models_share_a_table_and_a_new_run_replaces_the_old_one(store):
    evidence.save("ndd-x", items(), Run(model="small", data="set@1", signature="s"))
    evidence.save("ndd-x", items(5.0), Run(model="base", data="set@1", signature="s"))
    evidence.save("ndd-x", items(7.0), Run(model="small", data="set@1", signature="s", seconds=3.14159))
    found = evidence.load("ndd-x")
    assert found.groupby("model").hits.sum().to_dict() == {"base": 7.0, "small": 9.0}
    assert [list(one) for one in found[found.model == "small"].kept] == [[0, 1], [2]]
    assert [run.model for run in evidence.runs("ndd-x")] == ["base", "small"]
    assert evidence.runs("ndd-x")[1].seconds == 3.1 and evidence.runs("ndd-x")[1].date
    assert evidence.names() == ["ndd-x"]


def test_damage_is_one_sentence(store):
    path = evidence.save("ndd-x", items(), Run(model="small"))
    path.write_bytes(path.read_bytes()[:-7])
    with pytest.raises(DataFormatError, match="another sha256"):
        evidence.load("ndd-x")
    path.with_suffix(".json").write_text('{"format": "other"}')
    with pytest.raises(DataFormatError, match="its format is 'other'"):
        evidence.load("ndd-x")
    with pytest.raises(ResourceNotFoundError, match="no evidence called 'ndd-y'.*ndd-x"):
        evidence.load("ndd-y")


def test_no_text_and_no_stand_in_gets_in(store, monkeypatch):
    with pytest.raises(InputError, match="column 'text' has a text of 50"):
        evidence.save("ndd-x", items().assign(text="x" * 50), Run())
    monkeypatch.setattr(evidence, "stand_ins", lambda: ("google-compression-shipped",))
    with pytest.raises(InputError, match="real data only.*google-compression-shipped"):
        evidence.save("ndd-x", items(), Run())
    assert not store.exists() and data.stand_ins is not evidence.stand_ins


@pytest.mark.parametrize("name", evidence.names())
def test_the_command_of_each_run_can_be_pasted_and_says_its_settings(name):
    for run in evidence.runs(name):
        program, dash, module, *words = shlex.split(run.command)
        assert [program, dash, module, *words[:3]] == ["python", "-m", "nbhelpers", "evidence", "record", name]
        settings = command._settings(words[3:])
        assert settings == {each: run.settings[each] for each in settings}


def test_a_table_says_how_many_items_stand_behind_it():
    assert command.show("ndd-pairs", "edits by kind").startswith("edits by kind (n: embedded 48; base 48; ")
    assert command.show("ndd-compression", "ndd/table2").startswith("ndd/table2 (n: embedded 40; base 800)")


def test_lines_of_one_model_alone_are_refused_where_the_sentences_are_missing():
    found = evidence.load("ndd-compression")
    with pytest.raises(InputError, match="unedited sentences"):
        measures.scored(found[found["model"] == "base"])


def test_shipped_tables_fit_their_manifests_and_hold_no_long_text():
    size = 0
    for name in evidence.names():
        found = evidence.load(name)
        size += (evidence.folder() / f"{name}.parquet").stat().st_size
        assert set(found["run"]) == set(range(len(evidence.runs(name))))
        for column in found.select_dtypes(include=["object", "str"]):
            assert max((len(one) for one in found[column] if isinstance(one, str)), default=0) <= 40, (name, column)
    assert size < 25e6


@pytest.mark.parametrize(
    ("name", "item"),
    [
        ("board-scores", ["test", "place"]),
        ("meaningbert-trained", ["labels", "split", "augmented", "seed", "part", "item"]),
        ("ndd-compression", ["system", "sentence"]),
        ("ndd-pairs", ["set", "pair"]),
        ("ndd-predicates", ["data", "sentence"]),
        ("ndd-pruning", ["sentence"]),
        ("ordering-documents", ["collection", "document", "measure"]),
        ("paraphrase-passages", ["topic", "method", "alike", "content"]),
        ("pyramid-pairs", ["reading", "embedding", "topic", "seed"]),
        ("pyramid-questions", ["reading", "embedding", "topic"]),
    ],
)
def test_no_item_of_a_model_stands_in_two_runs(name, item):
    found = evidence.load(name)
    runs = found[["model", *item, "run"]].drop_duplicates().groupby(["model", *item], observed=True, dropna=False)
    assert runs.size().max() == 1, "it would count twice"


def test_a_table_shows_the_evidence_and_below_it_this_run():
    found = estimates.frame([{"row": "NDD", "column": "F1", "value": Estimate(60.0, 58.0, 62.0, 300)}], model="base")
    here = estimates.frame([{"row": "NDD", "column": "F1", "value": Estimate(50.0, 40.0, 60.0, 10)}], model="tiny")
    shown = tables.layout(found, here=here)
    assert shown.index.tolist() == ["NDD", "NDD (this run: tiny)"]
    assert shown["F1"].tolist() == ["60.0 [58.0, 62.0]", "50.0 [40.0, 60.0]"]
    both = tables.layout(pandas.concat([found, here]))
    assert both.index.tolist() == ["NDD (base)", "NDD (tiny)"]
    assert estimates.estimate(found, "NDD", "F1", model="base") == Estimate(60.0, 58.0, 62.0, 300)
    with pytest.raises(InputError, match="0 estimates"):
        estimates.estimate(found, "NDD", "F2")


def test_a_table_escapes_what_stands_in_it():
    bad = "<img src=x onerror=alert(1)>"
    frame = pandas.DataFrame({bad: [bad]}, index=[bad])
    page = tables.plain(frame, bad).to_html()
    assert "<img" not in page and page.count("&lt;img") == 4
