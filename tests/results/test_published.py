"""The published tables: cells typed from the papers, and sums that they must obey."""

import csv
import math
import re
from pathlib import Path

import pytest

from nbhelpers.base import paths
from nbhelpers.base.errors import InputError
from nbhelpers.results import published

# Typed from the papers, not from the files.
with (Path(__file__).parents[1] / "golden" / "published.csv").open(encoding="utf-8", newline="") as stream:
    CELLS = list(csv.DictReader(stream))
# Rows and columns of each study's tables 1, 2, ...
SIZES = {
    "ndd": [(14, 3), (9, 6), (2, 5), (1, 2), (3, 2), (8, 7), (6, 6), (3, 4)],
    "paraphrase": [(4, 2), (5, 8), (16, 4), (16, 2), (16, 2), (2, 6)],
    "pyramid": [(8, 3)],
    "ordering": [(9, 7)],
}


@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: f"{cell['table']}, {cell['row']}, {cell['column']}")
def test_a_cell_is_the_papers(cell):
    place = cell["table"], cell["row"], cell["column"]
    if published.table(cell["table"]).set_index(["row", "column"])["unit"][place[1:]] == "text":
        assert published.text(*place) == cell["cell"]
    else:
        assert published.value(*place) == float(cell["cell"])


def test_every_table_is_there_and_a_full_rectangle():
    names = published.tables()
    assert names == sorted(names)
    sizes = {f"{study}/table{number}": size for study in SIZES for number, size in enumerate(SIZES[study], start=1)}
    # Of the MeaningBERT article, whose tables are images, only these two were read.
    sizes |= {"meaningbert/table2": (5, 8), "meaningbert/table3": (7, 5)}
    assert {name for name in names if "/table" in name} == set(sizes) and "meaningbert/text" in names
    for name, (rows, columns) in sizes.items():
        cells = published.cells(name)
        assert (len({cell.row for cell in cells}), len({cell.column for cell in cells})) == (rows, columns), name
        assert len(cells) == rows * columns, name


def test_only_dashes_lack_a_number():
    every = [cell for name in published.tables() for cell in published.cells(name)]
    missing = [cell for cell in every if cell.value is None and cell.unit != "text"]
    # Table 2 of the NDD paper: five single-figure methods, a dash in each of the five BLEU columns.
    assert len(missing) == 25
    assert {(cell.table, cell.text) for cell in missing} == {("ndd/table2", "(dash)")}
    frame = published.table("ndd/table2").set_index(["row", "column"])
    assert math.isnan(frame.loc[("Zhao et al., 2018", "B1"), "value"])
    assert frame.loc[("Zhao et al., 2018", "F1"), "value"] == 85.1


def test_bold_cells():
    def bold(name):
        return {(cell.row, cell.column) for cell in published.cells(name) if cell.mark == "bold"}

    ours = "NDD-based (ours)"
    assert bold("ndd/table2") == {(ours, "F1"), (ours, "B"), ("Kamigaito and Okumura, 2020", "F1")}
    assert {row for row, _ in bold("ndd/table7")} == {"NDD-based Ensemble"} and len(bold("ndd/table7")) == 6
    assert bold("paraphrase/table4") == {("DN", "Extract (EX-1)"), ("SDW", "Abstract (EX-2)")}
    assert bold("paraphrase/table5") == {("SN", "Extract (EX-3)"), ("SDW", "Abstract (EX-4)")}


# Sums that the papers' figures obey: a slip of a digit in a file would break them.


def test_depths_of_pruned_words_sum_to_100_percent():
    for row in {cell.row for cell in published.cells("ndd/table6")}:
        total = sum(published.value("ndd/table6", row, f"Depth {depth}") for depth in ("1", "2", "3", ">=4"))
        assert total == pytest.approx(100, abs=0.11), row


def test_bleu_of_table_2_is_the_arithmetic_mean_of_its_orders():
    for row in ("Unedited", "Random", "PPL-based (re-implementation)", "NDD-based (ours)"):
        mean = sum(published.value("ndd/table2", row, f"B{order}") for order in (1, 2, 3, 4)) / 4
        assert published.value("ndd/table2", row, "B") == pytest.approx(mean, abs=0.0501), row


def test_relative_differences_of_the_ordering_paper_divide_by_the_column_before():
    for row in {cell.row for cell in published.cells("ordering/table1")}:
        source = published.value("ordering/table1", row, "Score")
        for column, before in (("R1-score", "Score"), ("R2-score", "R1-score"), ("R-score", "R2-score")):
            score = published.value("ordering/table1", row, column)
            divisor = published.value("ordering/table1", row, before)
            printed = published.value("ordering/table1", row, f"{column} relative difference")
            assert printed == pytest.approx(100 * (source - score) / divisor, abs=0.0051), (row, column)


def test_counts_of_the_paraphrase_paper_add_up():
    cases = [published.value("paraphrase/table2", row, "Number of cases") for row in "ABCDE"]
    assert sum(cases) == 318
    for row, count in zip("ABCDE", cases, strict=True):
        share = published.value("paraphrase/table2", row, "Share of cases")
        assert share == pytest.approx(100 * count / 318, abs=0.1), row
    for row in ("SDW vs. DW", "W vs. SW"):
        outcomes = ("Improve", "Same", "Impair")
        assert sum(published.value("paraphrase/table6", row, column) for column in outcomes) == 30


def test_row_labels_of_the_paraphrase_paper_spell_their_resources():
    for cell in published.cells("paraphrase/table3"):
        letter = cell.column[-2]
        used = cell.row != "ROUGE-1" and letter in cell.row
        assert (cell.text == "○") == used, cell


def test_sizes_in_running_text_add_up():
    def pyramid(column):
        return published.value("pyramid/text", "Binary test", column)

    assert pyramid("Positive pairs") + pyramid("Negative pairs") == pyramid("Pairs")

    def meaningbert(row):
        return published.value("meaningbert/text", row, "Triplets")

    augmentation = published.value("meaningbert/text", "Data augmentation", "Sanity-check triplets")
    assert meaningbert("Without DA") + augmentation == meaningbert("With DA")


# What a reader may get wrong.


@pytest.mark.parametrize(
    ("table", "row", "column", "hint"),
    [
        ("ndd/tabel1", "x", "x", "did you mean 'ndd/table1'"),
        ("ndd/table2", "unedited", "F1", "did you mean 'Unedited'"),
        ("ndd/table6", "NDD-based L_max=3 NDD_max=1.0", "Depth 5", "did you mean 'Depth 3' or"),
        ("paraphrase/table4", "Rouge", "Extract (EX-1)", "'ROUGE-1'"),
        ("ndd/table2", "Zhao et al., 2018", "B1", "no number in the paper"),
        ("ndd/table5", "Spanish", "Init", "text, not a number"),
        ("../ndd/table1", "x", "x", "ndd/table1"),
        ("zzz", "x", "x", "choose from meaningbert/table2"),
    ],
)
def test_unknown_cell_names_the_near_match(table, row, column, hint):
    with pytest.raises(InputError) as caught:
        published.value(table, row, column)
    assert hint in str(caught.value)
    with pytest.raises(InputError, match="is a number in points"):
        published.text("ndd/table2", "Unedited", "F1")


def test_files_follow_their_readme_and_it_explains_every_table_and_unit():
    readme = (paths.data_dir() / "published" / "README.md").read_text(encoding="utf-8")
    units = re.findall(r"`([^`]+)`", readme.split("| unit |")[1].split("##")[0])
    used = set()
    for name in published.tables():
        assert f"`{name}`" in readme or (name.endswith("/text") and "`…/text`" in readme), name
        assert f"* `{name.split('/')[0]}`:" in readme, f"no citation for {name}"
        cells = published.cells(name)
        assert cells and len({(cell.row, cell.column) for cell in cells}) == len(cells), name
        used |= {cell.unit for cell in cells}
        for cell in cells:
            texts = [cell.row, cell.column, cell.unit, cell.text, cell.group, cell.mark]
            assert cell.table == name and cell.row and cell.column and cell.mark in ("", "bold"), cell
            assert texts == [text.strip() for text in texts], cell
            assert (cell.text and cell.value is None) or (cell.unit != "text" and math.isfinite(cell.value)), cell
    assert used == set(units)
