"""Pyramid files: what is read, what is repaired, what is refused; and the topics that ship."""

import json
import re

import pytest
from tiny_pyramids import write_pyramid

from nbhelpers.base import paths
from nbhelpers.base.errors import DataFormatError, ResourceNotFoundError
from nbhelpers.resources import data
from nbhelpers.resources.pyramids import read_pyramid, read_pyramids

SUMMARIES = {
    "A": ["The harbour bridge fell.", "Rust had weakened the steel.", "The mayor promised a new bridge."],
    "B": ["The old bridge dated from 1950.", "The mayor, who wept, promised a new bridge.", "Use the tunnel."],
}
UNITS = [
    ("4", "The bridge was built in 1950", {"B": ["bridge dated from 1950"]}),
    ("5", "The steel was weakened by rust", {"A": ["Rust had weakened the steel"]}),
    (
        "7",
        "The mayor promised a new bridge",
        {"A": ["The mayor promised a new bridge"], "B": ["promised a new bridge", "The mayor"]},
    ),
    ("11", "Use the tunnel", {"B": ["Use the tunnel"]}),
]


@pytest.fixture
def written(tmp_path):
    """Writes the pyramid above, changed, and returns the path."""

    def write(change=lambda content: content):
        path = write_pyramid(tmp_path / "bridge.pyr", SUMMARIES, UNITS)
        changed = change(path.read_text(encoding="utf-8"))
        path.write_bytes(changed if isinstance(changed, bytes) else changed.encode())
        return path

    return write


def line_of(path, text: str) -> int:
    lines = path.read_bytes().decode("utf-8", "replace").split("\n")
    return next(n for n, line in enumerate(lines, 1) if text in line)


@pytest.mark.parametrize("change", [lambda c: c, lambda c: c.replace("\n", "\r\n"), lambda c: "\ufeff" + c])
def test_a_pyramid_is_read(written, change):
    pyramid = read_pyramid(written(change))
    assert pyramid.name == "bridge"
    assert [(scu.uid, scu.label, scu.weight) for scu in pyramid.scus] == [(u, label, len(c)) for u, label, c in UNITS]
    assert {s.name: s.text.split("\n") for s in pyramid.summaries} == SUMMARIES
    for scu in pyramid.scus:
        for contributor in scu.contributors:
            assert all(pyramid.text[part.start : part.end] == part.label for part in contributor.parts)
    # Parts are joined in the order of the text, whatever the order of the file.
    seventh = pyramid.scus[2].contributors[1]
    assert [part.label for part in seventh.parts] == ["promised a new bridge", "The mayor"]
    assert (seventh.text, seventh.summary) == ("The mayor promised a new bridge", "B")


@pytest.mark.parametrize(
    ("change", "place", "reason"),
    [
        (lambda c: c[: len(c) // 2], None, "not XML, or cut off"),
        (lambda c: "", None, "not XML, or cut off"),
        (lambda c: c.replace("[\n]", '[<!ENTITY a "aa"><!ENTITY b "&a;&a;">]'), "ENTITY", "name='a'"),
        (lambda c: c.replace("[\n]", '[<!ENTITY % p "x">]'), "ENTITY", "name='p'"),
        (lambda c: c.replace("[\n]", '[<!ENTITY x SYSTEM "file:///etc/hostname">]'), "ENTITY", "name='x'"),
        (lambda c: c.replace("[\n]", 'SYSTEM "http://localhost/p.dtd"'), "DOCTYPE", "localhost/p.dtd"),
        (lambda c: c.replace("Rust had", "&rust; had", 1), "&rust;", "undefined entity"),
        (lambda c: c.replace("pyramid>", "peer>"), "<peer>", "<peer> with 1 texts is no pyramid"),
        (lambda c: re.sub(r"<text>.*</text>", "", c, flags=re.S), "<pyramid>", "with 0 texts"),
        (lambda c: re.sub(r"<scu.*</scu>", "", c, flags=re.S), "<pyramid>", "has no SCU"),
        (lambda c: c.replace('uid="5"', 'uid="4"'), "weakened by rust", "'4' comes twice"),
        (lambda c: c.replace(' uid="4"', ""), "The bridge was built", "<scu> has no uid"),
        (lambda c: c.replace('"The bridge was built in 1950"', '" "'), 'label=" "', "<scu> has no label, or an empty"),
        (lambda c: re.sub("<contrib.*</contributor>", "", c, flags=re.S), 'uid="4"', "SCU '4' has no contributors"),
        (lambda c: re.sub(r'<part label="Use[^>]*/>', "", c), '<contributor label="Use', "contributor has no parts"),
        (lambda c: re.sub(r' start="\d+"', "", c, count=1), "<part", "<part> has no start"),
        (lambda c: re.sub(r'start="\d+"', 'start="1e9"', c, count=1), "1e9", "offset is no number"),
        (lambda c: re.sub(r'end="\d+"', 'end="99999"', c, count=1), 'end="99999"', "outside the text"),
        (lambda c: re.sub(r'start="(\d+)" end="\d+"', r'start="\1" end="\1"', c, count=1), "<part", "outside"),
        (lambda c: c.encode("utf-16"), None, "not XML, or cut off"),
    ],
)
def test_bad_files_are_refused_with_file_and_line(written, change, place, reason):
    path = written(change)
    with pytest.raises(DataFormatError, match=re.escape(reason)) as caught:
        read_pyramids(path.parent)
    assert caught.value.path == str(path)
    assert caught.value.line == line_of(path, place) if place else caught.value.line >= 1


def test_missing_files(tmp_path):
    with pytest.raises(ResourceNotFoundError):
        read_pyramid(tmp_path / "none.pyr")
    with pytest.raises(ResourceNotFoundError, match="no pyramid file"):
        read_pyramids(tmp_path)


# "promised a new bridge" stands in both summaries; the nearest place is taken.
@pytest.mark.parametrize(("label", "by"), [("bridge dated from 1950", 9), ("promised a new bridge", -2)])
def test_wrong_offsets_are_corrected_by_the_label(written, label, by):
    right = read_pyramid(written())
    (part,) = [p for scu in right.scus for c in scu.contributors for p in c.parts if p.label == label]
    old, new = (f'start="{part.start + shift}" end="{part.end + shift}"' for shift in (0, by))
    assert old in written().read_text()
    assert read_pyramid(written(lambda content: content.replace(old, new))) == right


@pytest.mark.parametrize(
    ("old", "new", "scu", "text"),
    [
        ('"Rust had weakened the steel"', '"Rust ate the steel"', 1, "Rust ate the steel"),
        ('r label="The mayor...promised a new bridge"', 'r label="He...promised it"', 2, "He promised it"),
        ('"Use the tunnel"', '"Usethe tunnel"', 3, "Use the tunnel"),  # a lost blank or line break
    ],
)
def test_labels_that_differ_from_the_text(written, old, new, scu, text):
    pyramid = read_pyramid(written(lambda c: c.replace(old, new)))
    assert pyramid.scus[scu].contributors[-1].text == text


def test_a_file_that_is_not_utf8_is_read_as_windows_1252(written):
    pyramid = read_pyramid(written(lambda c: c.replace("Rust had", "Rust – hélas – had").encode("cp1252")))
    assert "Rust – hélas – had" in pyramid.text


# ------------------------------------------------------------------------------------------------ shipped topics


def test_shipped_topics_are_complete_pyramids():
    folder = paths.data_dir() / "corpus" / "topics"
    pyramids = read_pyramids(folder)
    assert len(pyramids) == len(list(folder.glob("*.json"))) == 6
    for pyramid in pyramids:
        topic = json.loads((folder / f"{pyramid.name}.json").read_text(encoding="utf-8"))
        assert topic["name"] == pyramid.name and len(pyramid.scus) >= 12
        assert {s.name: s.text.split("\n") for s in pyramid.summaries} == topic["summaries"]
        weights = {scu.uid: scu.weight for scu in pyramid.scus}
        for candidate in topic["candidates"]:
            # The pyramid score: the weights of the SCUs over the largest sum that as many SCUs can have.
            best = sum(sorted(weights.values(), reverse=True)[: len(candidate["scus"])])
            assert candidate["score"] == pytest.approx(sum(weights[uid] for uid in candidate["scus"]) / best, abs=1e-6)
            if candidate["kind"] == "extract":
                assert candidate["sentences"] == [topic["article"][n - 1] for n in candidate["article_sentences"]]


@pytest.mark.usefixtures("real_data")
def test_duc_files_are_read():
    pyramids = read_pyramids(data.find("duc2006-pyramids", allow_shipped=False).path)
    assert len(pyramids) == 20 and all(len(p.summaries) == 4 for p in pyramids)
    # Four parts lost a line break in their label.
    differ = [
        pyramid.name
        for pyramid in pyramids
        for scu in pyramid.scus
        for contributor in scu.contributors
        for part in contributor.parts
        if pyramid.text[part.start : part.end] != part.label
    ]
    assert differ == ["D0616"] + ["D0647"] * 3
