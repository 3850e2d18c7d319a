"""Readers of rated pairs: the format and its errors, CSMD's layouts, the rating files it was made from."""

import csv
import gzip
import io
import os
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nbhelpers.base.errors import DataFormatError, InputError, ResourceNotFoundError
from nbhelpers.resources import csmd, data

HEADER = "original\tsimplification\tlabel\n"
real_data = pytest.mark.skipif(not os.environ.get("NBHELPERS_DATA"), reason="needs real data in NBHELPERS_DATA")


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def pairs_file(path: Path, *rows: tuple[str, str, object]) -> Path:
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter="\t", lineterminator="\n")
    writer.writerows([("original", "simplification", "label"), *rows])
    return write(path, stream.getvalue())


# ------------------------------------------------------------------------------------------------------ the format


def test_quotes_are_read_as_in_csv_and_rows_are_counted_from_one(tmp_path):
    text = HEADER + '"The ""new"" song came out."\tThe song came out. \t63.333333333333336\nA.\t"B\tc."\t1e2\n'
    assert csmd.read_pairs(write(tmp_path / "a.tsv", text)) == (
        csmd.RatedPair('The "new" song came out.', "The song came out. ", 63.333333333333336, 1),
        csmd.RatedPair("A.", "B\tc.", 100.0, 2),
    )


def test_columns_stand_in_any_order_and_packed_files_with_a_byte_order_mark_are_read(tmp_path):
    path = tmp_path / "a.tsv.gz"
    path.write_bytes(gzip.compress("\ufefflabel\tid\tsimplification\toriginal\r\n5\tx\tB.\tA.\r\n".encode()))
    assert csmd.read_pairs(path) == (csmd.RatedPair("A.", "B.", 5.0, 1),)


def test_pairs_that_occur_twice_are_kept(tmp_path):
    pairs = csmd.read_pairs(pairs_file(tmp_path / "a.tsv", ("A.", "B.", 10), ("A.", "B.", 90)))
    assert [(pair.rating, pair.row) for pair in pairs] == [(10, 1), (90, 2)]


texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r"), min_size=1).filter(str.strip)


@given(st.lists(st.tuples(texts, texts, st.floats(0, 100)), min_size=1, max_size=5))
def test_what_csv_writes_is_read_again(rows):
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        pairs = csmd.read_pairs(pairs_file(Path(folder) / "a.tsv", *rows))
    assert [(pair.source, pair.candidate, pair.rating) for pair in pairs] == rows


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("", None, "is empty"),
        (HEADER, None, "holds no pairs"),
        ("original\tlabel\nA.\t5\n", 1, "the header lacks simplification; it has original, label"),
        ("A.\tB.\t5\n", 1, "the header lacks original, simplification, label"),
        ("original\tsimplification\tlabel\tlabel\nA.\tB.\t5\t6\n", 1, "a column twice"),
        (HEADER + "A.\tB.\t5\nA.\tB.\tNaN\n", 3, "the label is 'NaN', not a number"),
        (HEADER + "A.\tB.\tinf\n", 2, "the label is 'inf', not a number"),
        (HEADER + "A.\tB.\tgood\n", 2, "the label is 'good', not a number"),
        (HEADER + "A.\tB.\t1_0\n", 2, "the label is '1_0', not a number"),
        (HEADER + "A.\tB.\t5,5\n", 2, "the label is '5,5', not a number"),
        (HEADER + "A.\tB.\t\n", 2, "the label is empty"),
        (HEADER + "A.\tB.\t100.5\n", 2, "the label 100.5 is outside 0 to 100"),
        (HEADER + "A.\tB.\t-1\n", 2, "the label -1 is outside 0 to 100"),
        (HEADER + " \tB.\t5\n", 2, "the original is empty"),
        (HEADER + "A.\t\t5\n", 2, "the simplification is empty"),
        (HEADER + "A.\tB.\t5\nA.\tB.\n", 3, "has 2 cells instead of 3; cut off?"),
        (HEADER + "A.\tB.\tC.\t5\n", 2, "has 4 cells instead of 3; cut off?"),
        (HEADER + "A.\tB.\t5\n\n", 3, "has 0 cells instead of 3; cut off?"),
        (HEADER + 'A.\t"B\n\t5\n', 2, "the cells cannot be told apart (unexpected end of data); cut off?"),
        (HEADER + "A.\tB.\t5", 2, "the last line has no line break"),
        (HEADER + '"A\n.\n"\tB.\t5\nA.\tB.\tx\n', 5, "the label is 'x', not a number"),
    ],
)
def test_what_does_not_follow_the_format_is_an_error_with_its_line(tmp_path, text, line, reason):
    path = write(tmp_path / "a.tsv", text)
    with pytest.raises(DataFormatError) as error:
        csmd.read_pairs(path)
    assert (error.value.path, error.value.line) == (str(path), line)
    assert reason in error.value.reason


def test_bytes_that_are_no_text_are_an_error_with_their_line(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_bytes(HEADER.encode() + b"Caf\xe9\tA caf\xe9.\t5\n")
    with pytest.raises(DataFormatError, match="line 2: is not UTF-8"):
        csmd.read_pairs(path)


def test_a_file_that_is_cut_off_anywhere_but_between_two_rows_is_refused(tmp_path):
    whole = (HEADER + '"The ""new"" café."\tThe café.\t88.25\nAnother one.\tOne.\t7.5\n').encode()
    ends = {place + 1 for place, byte in enumerate(whole) if byte == ord("\n")}
    path = tmp_path / "a.tsv"
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        if length in ends and length > len(HEADER):
            assert len(csmd.read_pairs(path)) == 1
        else:
            with pytest.raises(DataFormatError):
                csmd.read_pairs(path)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(ResourceNotFoundError, match="no file at .*nowhere.tsv"):
        csmd.read_pairs(tmp_path / "nowhere.tsv")


# ----------------------------------------------------------------------------------------------- the project's pairs

OWN = "id\tkind\tsource\tcandidate\trating\tsecond_rating\tnote\n"


def test_own_pairs_are_read_without_quoting_and_have_their_kind(tmp_path):
    path = write(
        tmp_path / "m.tsv", OWN + 'n-1\tnegation\tI "go".\t"No," I say.\t10\t20\t\nn-2\tcopy\tA.\tA.\t100\t\t-\n'
    )
    assert csmd.read_meaning_pairs(path) == (
        csmd.RatedPair('I "go".', '"No," I say.', 10.0, 1, "negation"),
        csmd.RatedPair("A.", "A.", 100.0, 2, "copy"),
    )
    assert csmd.read_meaning_pairs(path, column="second_rating") == (
        csmd.RatedPair('I "go".', '"No," I say.', 20.0, 1, "negation"),
    )


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        (OWN + "a\tk\tA.\tB.\t5\t\t\na\tk\tA.\tB.\t5\t\t\n", 3, "the id a occurs twice"),
        (OWN + "a\t\tA.\tB.\t5\t\t\n", 2, "the kind is empty"),
        (OWN + "a\tk\tA.\tB.\t5\t101\t\n", 2, "the second_rating 101 is outside 0 to 100"),
        (OWN + "a\tk\tA.\tB.\t\t5\t\n", 2, "the rating is empty"),
        (OWN.replace("\tnote", ""), 1, "the header lacks note"),
        (OWN, None, "holds no pairs with a rating"),
    ],
)
def test_own_pairs_that_do_not_follow_the_format(tmp_path, text, line, reason):
    with pytest.raises(DataFormatError) as error:
        csmd.read_meaning_pairs(write(tmp_path / "m.tsv", text))
    assert error.value.line == line and reason in error.value.reason


def test_own_pairs_have_two_columns_of_ratings(tmp_path):
    with pytest.raises(InputError, match="'rating' or 'second_rating', not 'note'"):
        csmd.read_meaning_pairs(tmp_path, column="note")


# -------------------------------------------------------------------------------------------------------- layouts

PARTS = {
    "train": "meaning/train.tsv",
    "dev": "meaning/dev.tsv",
    "test": "meaning/test.tsv",
    "augmented_train": "meaning_with_data_augmentation/train_da.tsv",
    "augmented_dev": "meaning_with_data_augmentation/dev_da.tsv",
    "augmented_test": "meaning_with_data_augmentation/test_da.tsv",
    "identical": "holdout/identical.tsv",
    "unrelated": "holdout/unrelated.tsv",
}


def csmd_folder(folder: Path, *, flat: bool = False) -> Path:
    """Eight files with one pair each, which says the file's part."""
    for part, file in PARTS.items():
        pairs_file(folder / (Path(file).name if flat else file), (f"{part}.", "B.", 50))
    return folder


def assert_complete(read: csmd.Csmd):
    assert {part: [pair.source for pair in getattr(read, part)] for part in PARTS} == {p: [f"{p}."] for p in PARTS}
    assert [pair.source for pair in read.pairs] == ["train.", "dev.", "test."]


@pytest.mark.parametrize(("below", "flat"), [("", False), ("dataset", False), ("", True), ("dataset", True)])
def test_the_layouts_of_the_repository_and_of_the_hub(tmp_path, below, flat):
    csmd_folder(tmp_path / below, flat=flat)
    read = csmd.read_csmd(tmp_path)
    assert_complete(read)
    assert read.located.origin == "argument" and "not the registered ones" in read.located.note


def test_a_data_folder_that_holds_csmd(tmp_path, monkeypatch):
    csmd_folder(tmp_path / "csmd")
    monkeypatch.setenv("NBHELPERS_DATA", str(tmp_path))
    read = csmd.read_csmd()
    assert_complete(read)
    assert read.located.origin == "NBHELPERS_DATA"


def test_a_missing_file_is_named(tmp_path):
    (csmd_folder(tmp_path) / "holdout" / "unrelated.tsv").unlink()
    with pytest.raises(ResourceNotFoundError, match="lacks holdout/unrelated.tsv of CSMD"):
        csmd.read_csmd(tmp_path)


def test_parquet_is_refused_with_what_to_take_instead(tmp_path):
    write(tmp_path / "meaning" / "train" / "0000.parquet", "PAR1")
    with pytest.raises(ResourceNotFoundError, match=r"as Parquet \(0000.parquet\).*take the TSV files"):
        csmd.read_csmd(tmp_path)


def test_the_hub_is_read_from_its_cache_when_offline(tmp_path, monkeypatch):
    from huggingface_hub import constants

    commit = "e59da7dc01a127553fecc337f07fa42b328e99fa"
    repository = tmp_path / "datasets--davebulaval--CSMD"
    csmd_folder(repository / "snapshots" / commit, flat=True)
    write(repository / "refs" / "main", commit)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setenv("NBHELPERS_OFFLINE", "1")
    read = csmd.read_csmd("davebulaval/CSMD")
    assert_complete(read)
    assert read.located.origin == "cache"

    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "empty"))
    with pytest.raises(ResourceNotFoundError, match="not in the Hugging Face cache.*NBHELPERS_OFFLINE is set"):
        csmd.read_csmd("davebulaval/CSMD")


def test_own_pairs_stand_in_as_test_part_only(tmp_path, monkeypatch):
    path = write(tmp_path / "m.tsv", OWN + "a\tk\tA.\tB.\t5\t\t\n")
    located = data.Located("csmd", path, "shipped", data.sha256(path))
    monkeypatch.setattr(data, "find", lambda name, path, *, allow_shipped: located)
    read = csmd.read_csmd(allow_shipped=True)
    assert read.located.is_shipped
    assert (read.test, read.pairs) == ((csmd.RatedPair("A.", "B.", 5.0, 1, "k"),), read.test)


# ------------------------------------------------------------------------------------------------------ rating files

SIMPDA = "WorkerId,Input.original,Input.simplified,Answer.adequacy\n"
SIMPLICITY = "orig_sent,simp_sent,meaning\n"


def test_ratings_of_annotators_are_averaged_and_those_of_systems_kept_apart(tmp_path):
    write(tmp_path / "lens_simpDA_2022.csv", SIMPDA + '0,"A, b.",A.,100\n1,"A,  b. ",A.,91\n0,C.,D.,7\n')
    write(tmp_path / "simplicity_DA.csv", SIMPLICITY + "E.,F.,40.5\nE.,F.,20\nG.,H.,0\n")
    ratings = csmd.read_source_ratings(tmp_path)
    assert ratings["SimpDA-2022"].ratings == {("A, b.", "A."): (95.5,), ("C.", "D."): (7.0,)}
    assert ratings["Simplicity-DA"].of(" E.", "F. ") == (40.5, 20.0)
    assert ratings["Simplicity-DA"].of("E.", "G.") == ()


def test_only_the_ratings_of_meaning_are_taken_from_asset(tmp_path):
    path = write(
        tmp_path / "human_ratings.csv",
        "original,simplification,aspect,rating\nA.,B.,meaning,55\nA.,B.,fluency,0\nA.,B.,meaning,59\n",
    )
    assert csmd.read_asset_ratings(path).of("A.", "B.") == (57.0,)


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ("0,A.,B.,x\n", "line 2: the Answer.adequacy is 'x', not a number"),
        ("0,A.,B.,101\n", "line 2: the Answer.adequacy 101 is outside"),
        ("0,A.,,5\n", "line 2: the Input.simplified is empty"),
        ("0,A.,B.\n", "line 2: has 3 cells instead of 4"),
        ("", "holds no ratings"),
    ],
)
def test_rating_files_that_do_not_follow_their_format(tmp_path, rows, reason):
    write(tmp_path / "lens_simpDA_2022.csv", SIMPDA + rows)
    write(tmp_path / "simplicity_DA.csv", SIMPLICITY + "E.,F.,40.5\n")
    with pytest.raises(DataFormatError, match=reason):
        csmd.read_source_ratings(tmp_path)


def test_a_rating_file_that_is_missing_is_named(tmp_path):
    with pytest.raises(ResourceNotFoundError, match="neither lens_simpDA_2022.csv.gz nor lens_simpDA_2022.csv"):
        csmd.read_source_ratings(tmp_path)


def test_texts_are_compared_without_regard_to_white_space_and_composition():
    assert csmd.normalized("  Cafe\u0301\u00a0 au\nlait ") == "Café au lait"
    assert csmd.normalized("A.") != csmd.normalized("a.")


# --------------------------------------------------------------------------------------------------------- real data


@real_data
def test_csmd_itself():
    read = csmd.read_csmd()
    assert [len(getattr(read, part)) for part in PARTS] == [853, 95, 407, 4267, 475, 2033, 359, 359]
    assert all(pair.source == pair.candidate and pair.rating == 100 for pair in read.identical)
    assert {pair.rating for pair in read.unrelated} == {0.0}
    assert not any('""' in pair.source for pair in read.pairs)
    assert "real data" in read.located.note


@real_data
def test_the_registered_files_are_known_in_the_hubs_layout(tmp_path):
    located = data.find("csmd", allow_shipped=False)
    for file in PARTS.values():
        shutil.copy(located.path / file, tmp_path / Path(file).name)
    read = csmd.read_csmd(tmp_path)
    assert read.located.note == "real data, the registered files in another layout"
    assert read.pairs == csmd.read_csmd().pairs


@real_data
def test_the_rating_files_themselves():
    ratings = csmd.read_source_ratings()
    assert {name: len(some.ratings) for name, some in ratings.items()} == {"SimpDA-2022": 360, "Simplicity-DA": 596}
    assert sum(len(some) for some in ratings["Simplicity-DA"].ratings.values()) == 600
    assert len(csmd.read_asset_ratings().ratings) == 100
