"""The published tables: cells typed from the papers, and sums that they must obey."""

from __future__ import annotations

import math
import re

import pytest

from nbhelpers.base import paths
from nbhelpers.base.errors import InputError
from nbhelpers.results import published

# Typed from the papers, not from the files.
AMBASSADOR = "New US ambassador to Lebanon presents credentials to Lebanese President Michel Sleiman."
CELLS = [
    ("ndd/table1", "I am walking in the cold rain.", "Cos.Sim.", 1.0),
    ("ndd/table1", "I am walking in the cool rain.", "PPL", 10.10),
    ("ndd/table1", "I am walking in the cold sunshine.", "NDD", 4.73),
    ("ndd/table2", "Unedited", "F1", 63.2),
    ("ndd/table2", "Random", "B4", 10.4),
    ("ndd/table2", "PPL-based (Niu et al., 2019)", "F1", 50.0),
    ("ndd/table3", "Example 1", "F1 Score", 51.9),
    ("ndd/table3", "Example 1", "F1 Score change", -8.5),
    ("ndd/table3", "Example 1", "BLEU change", 0.0),
    ("ndd/table6", "Random L_max=3 NDD_max=1.0", "Subtree 1", 56.7),
    ("ndd/table6", "Random L_max=5 NDD_max=2.0", "Depth >=4", 48.0),
    ("ndd/table6", "NDD-based L_max=3 NDD_max=1.0", "Subtree >=3", 70.2),
    ("ndd/table7", "NDD-based Delete", "ENG-ID mAP", 52.1),
    ("ndd/table7", "NDD-based Replace by mask", "SPA AUC", 76.3),
    ("ndd/table7", "NDD-based Replace by word", "ENG-OOD mAP", 56.2),
    ("ndd/figure1", "Replacement that changes the meaning", "NDD relative to the other replacement", 2.5),
    ("ndd/text", "Compression setting", "L_max", 9),
    ("ndd/text", "Compression setting", "mu", 0.9),
    ("ndd/text", "NDD-based over PPL-based", "F1 improvement", 17.4),
    ("pyramid/table1", "Random-Baseline", "Binary Test (F-measure)", 0.04059),
    ("pyramid/table1", "One-Hot", "Ranking Test (Success Rate)", 63.973),
    ("pyramid/table1", "word2vec-BOW (google-news)", "Ranking Test (Mean reciprocal rank)", 0.78933),
    ("pyramid/text", "Ranking test", "Questions", 8755),
    ("pyramid/text", "Binary test", "Positive pairs", 8390),
    ("pyramid/text", "Propositions", "Unique words", 6882),
    ("ordering/table1", "Sim Wikipedia", "Score", 0.1052),
    ("ordering/table1", "Sim Robust", "R-score", 0.074),
    ("ordering/table1", "NounSim WT10G", "R-score relative difference", 51.60),
    ("ordering/text", "Robust", "Documents used", 193022),
    ("ordering/text", "WT10G", "Documents", 1692096),
    ("ordering/text", "Wikipedia", "Documents used", 32211),
    ("paraphrase/table2", "A", "Number of cases", 64),
    ("paraphrase/table2", "C", "Share of cases", 11.9),
    ("paraphrase/table2", "E", "Number of cases", 99),
    ("paraphrase/table4", "S", "Extract (EX-1)", 0.296),
    ("paraphrase/table4", "DN", "Extract (EX-1)", 0.370),
    ("paraphrase/table4", "SDW", "Abstract (EX-2)", 0.357),
    ("paraphrase/table5", "SN", "Extract (EX-3)", 0.426),
    ("paraphrase/table5", "SDW", "Abstract (EX-4)", 0.436),
    ("paraphrase/table5", "SDWN", "Extract (EX-3)", 0.358),
    ("paraphrase/table6", "SDW vs. DW", "Improve", 17),
    ("paraphrase/table6", "SDW vs. DW", "Improve share", 0.56),
    ("paraphrase/table6", "W vs. SW", "Impair", 13),
    ("paraphrase/text", "Paraphrases", "Number", 318),
    ("paraphrase/text", "SMT", "Pairs of paraphrases", 85858),
    ("paraphrase/text", "Summaries", "Number", 600),
    ("meaningbert/table2", "Vocabulary size", "SimpDA2022 source", 2599),
    ("meaningbert/table3", "Mean", "Simplicity-DA", 87.55),
    ("meaningbert/text", "All metrics", "Average Pearson correlation", 0.2626),
    ("meaningbert/text", "LENS", "Pearson correlation", 0.5638),
    ("meaningbert/text", "Lower group of metrics", "Pearson correlation", 0.21),
    ("ndd/table3", "Example 2", "Edit", AMBASSADOR),
    ("ndd/table5", "Chinese", "Edit", "调价周期内，沙特下调原油价格，我国释放储备原油。"),
    ("ndd/table4", "Example 1", "Final", "A mill has been inaugurated to boost aquaculture sector ."),
    ("ndd/table8", "Japanese", "Edit translation", "Typhoon No.16 is expected to approach to the Izu Islands."),
    ("ndd/figure1", "Initial sentence", "Sentence", "The man sits beside the bank of the river."),
    ("ndd/figure3", "Example", "Subtree", "since the early 1970s"),
    ("pyramid/figure2", "Paraphrase pair", "Second", "rescue equipment poured in from around the world"),
    ("pyramid/figure3", "Question", "Sentence", "Morris Dees co-founded the SPLC"),
    ("paraphrase/table1", "SMT", "Target POS", "All"),
    ("paraphrase/table2", "B", "DS", "◎"),
    ("paraphrase/table3", "SDW", "Word (W)", "○"),
    ("meaningbert/text", "QuestEval", "R2 positive", "yes"),
]
# Rows and columns of each study's tables 1, 2, ...
SIZES = {
    "ndd": [(14, 3), (9, 6), (2, 5), (1, 2), (3, 2), (8, 7), (6, 6), (3, 4)],
    "paraphrase": [(4, 2), (5, 8), (16, 4), (16, 2), (16, 2), (2, 6)],
    "pyramid": [(8, 3)],
    "ordering": [(9, 7)],
}


@pytest.mark.parametrize(("table", "row", "column", "expected"), CELLS)
def test_a_cell_is_the_papers(table, row, column, expected):
    read = published.text if isinstance(expected, str) else published.value
    assert read(table, row, column) == expected


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
