"""Readers of rated pairs: the format and its errors, CSMD, the rating files it was made from."""

import csv
import gzip
import io
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from refused import damaged

from nbhelpers.base.errors import DataFormatError, ResourceNotFoundError
from nbhelpers.resources import csmd

HEADER = "original\tsimplification\tlabel\n"


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def test_the_format(tmp_path):
    text = HEADER + '"The ""new"" song came out."\tThe song came out. \t63.333333333333336\nA.\t"B\tc."\t1e2\n'
    twice = text + "A.\tB\t0\nA.\tB\t0"  # what is twice in the data is a finding
    assert csmd.read_pairs(write(tmp_path / "a.tsv", twice)) == (
        csmd.RatedPair('The "new" song came out.', "The song came out. ", 63.333333333333336, 1),
        csmd.RatedPair("A.", "B\tc.", 100.0, 2),
        csmd.RatedPair("A.", "B", 0.0, 3),
        csmd.RatedPair("A.", "B", 0.0, 4),
    )
    packed = tmp_path / "a.tsv.gz"
    packed.write_bytes(gzip.compress("\ufefflabel\tid\tsimplification\toriginal\r\n5\tx\tB.\tA.\r\n".encode()))
    assert csmd.read_pairs(packed) == (csmd.RatedPair("A.", "B.", 5.0, 1),)


texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r"), min_size=1).filter(str.strip)


@given(st.lists(st.tuples(texts, texts, st.floats(0, 100)), min_size=1, max_size=5))
def test_what_csv_writes_is_read_again(tmp_path_factory, rows):
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter="\t", lineterminator="\n")
    writer.writerows([("original", "simplification", "label"), *rows])
    pairs = csmd.read_pairs(write(tmp_path_factory.mktemp("pairs") / "a.tsv", stream.getvalue()))
    assert [(pair.source, pair.candidate, pair.rating) for pair in pairs] == rows


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("", None, "holds no pairs"),
        ("original\tlabel\nA.\t5\n", 1, "the header lacks simplification"),
        (HEADER, None, "holds no pairs"),
        (HEADER + "A.\tB.\t5\nA.\tB.\tNaN\n", 3, "the label 'NaN' is no number from 0 to 100"),
        (HEADER + "A.\tB.\t5,5\n", 2, "the label '5,5' is no number"),
        (HEADER + "A.\tB.\t100.5\n", 2, "the label '100.5' is no number from 0 to 100"),
        (HEADER + "A.\tB.\t-1\n", 2, "the label '-1' is no number from 0 to 100"),
        (HEADER + " \tB.\t5\n", 2, "the original is empty"),
        (HEADER + "A.\tB.\t5\nA.\tB.\n", 3, "more or fewer cells"),
        (HEADER + "A.\tB.\tC.\t5\n", 2, "more or fewer cells"),
        (HEADER + 'A.\t"B\n\t5\n', 3, "the cells cannot be told apart (unexpected end of data); cut off?"),
    ],
)
def test_what_does_not_follow_the_format_is_an_error_with_its_line(tmp_path, text, line, reason):
    path = write(tmp_path / "a.tsv", text)
    with damaged(path, line, re.escape(reason)):
        csmd.read_pairs(path)


PARTS = "train dev test identical unrelated".split()
FILES = [*(f"meaning/{part}.tsv" for part in PARTS[:3]), *(f"holdout/{part}.tsv" for part in PARTS[-2:])]


@pytest.mark.parametrize("below", ["", "dataset"])
def test_the_folder_of_csmd(tmp_path, below):
    for part, file in zip(PARTS, FILES):
        write(tmp_path / below / file, HEADER + f"{part}.\tB.\t50\n")
    read = csmd.read_csmd(tmp_path)
    assert [[pair.source for pair in getattr(read, part)] for part in PARTS] == [[f"{part}."] for part in PARTS]
    assert [pair.source for pair in read.pairs] == ["train.", "dev.", "test."]
    (tmp_path / below / FILES[-1]).unlink()
    with pytest.raises(ResourceNotFoundError, match="lacks holdout/unrelated.tsv of CSMD"):
        csmd.read_csmd(tmp_path)


# ------------------------------------------------------------------------------------------------------ rating files

SIMPDA = "WorkerId,Input.original,Input.simplified,Answer.adequacy\n"
SIMPLICITY = "orig_sent,simp_sent,meaning\n"


def test_ratings_of_annotators_are_averaged_and_those_of_systems_kept_apart(tmp_path):
    write(tmp_path / "lens_simpDA_2022.csv", SIMPDA + '0,"A, b.",A.,100\n1,"A,  b. ",A.,91\n0,C.,D.,7\n')
    write(tmp_path / "simplicity_DA.csv", SIMPLICITY + "E.,F.,40.5\nE.,F.,20\nG.,H.,0\n")
    questeval = "source,simplification,aspect,rating\nI.,J.,meaning,80\nI.,J.,fluency,1\nI.,J.,meaning,90\n"
    write(tmp_path / "questeval_simplification_likert_ratings_cleaned.csv", questeval)
    ratings = csmd.read_source_ratings(tmp_path)
    assert ratings["QuestEval"].ratings == {("I.", "J."): (85.0,)}
    assert ratings["SimpDA-2022"].ratings == {("A, b.", "A."): (95.5,), ("C.", "D."): (7.0,)}
    assert ratings["Simplicity-DA"].of(" E.", "F. ") == (40.5, 20.0)
    assert ratings["Simplicity-DA"].of("E.", "G.") == ()


def test_rating_files_that_do_not_follow_their_format(tmp_path):
    write(tmp_path / "simplicity_DA.csv", SIMPLICITY + "E.,F.,40.5\n")
    wrong = "line 2: the Answer.adequacy '101' is no number from 0 to 100"
    for rows, reason in (("0,A.,B.,101\n", wrong), ("", "holds no ratings")):
        write(tmp_path / "lens_simpDA_2022.csv", SIMPDA + rows)
        with pytest.raises(DataFormatError, match=reason):
            csmd.read_source_ratings(tmp_path)


def test_texts_are_compared_without_regard_to_white_space_and_composition():
    assert csmd.normalized("  Cafe\u0301\u00a0 au\nlait ") == "Café au lait"
    assert csmd.normalized("A.") != csmd.normalized("a.")


@pytest.mark.usefixtures("real_data")
def test_the_real_files():
    read = csmd.read_csmd()
    assert [len(getattr(read, part)) for part in PARTS] == [853, 95, 407, 359, 359]
    assert all(pair.source == pair.candidate and pair.rating == 100 for pair in read.identical)
    assert {pair.rating for pair in read.unrelated} == {0.0}
    ratings = csmd.read_source_ratings()
    sizes = {name: len(some.ratings) for name, some in ratings.items()}
    assert sizes == {"SimpDA-2022": 360, "Simplicity-DA": 596, "QuestEval": 295}
    assert {part: len(some) for part, some in csmd.read_word_soups().items()}["train"] == 2560
    assert len(csmd.read_asset_ratings().ratings) == 100
