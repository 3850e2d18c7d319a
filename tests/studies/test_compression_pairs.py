"""Records of the Google compression set."""

import gzip
import json
import os

import pytest

from nbhelpers.base.errors import DataFormatError, InputError
from nbhelpers.resources import data
from nbhelpers.studies.ndd.compression import CompressionPair, read_compressions


def compression_record(tokens, compression, number=0):
    words = [{"id": i, "form": form, "tag": "NN"} for i, form in enumerate(tokens)]
    nodes = [{"form": "ROOT", "word": [{"id": -1, "form": "ROOT", "tag": "ROOT"}]}]
    # The official files group words into nodes and list nodes in no particular order.
    nodes += [{"form": word["form"], "word": [word]} for word in reversed(words[2:])] + [{"word": words[:2]}]
    return {
        "graph": {"id": str(number), "sentence": " ".join(tokens), "node": nodes, "edge": []},
        "compression": {"text": compression, "edge": []},
    }


def write_records(path, records):
    path.write_bytes(gzip.compress("\n\n".join(json.dumps(record, indent=1) for record in records).encode()))
    return path


def test_compression_records(tmp_path):
    records = [
        compression_record(["A", "quick", "fox", "ran"], "A fox ran", 7),
        compression_record(["It", "rained"], "It rained", 8),
    ]
    pairs = list(read_compressions(write_records(tmp_path / "set.json.gz", records)))
    assert pairs == [
        CompressionPair("7", "A quick fox ran", "A fox ran", ("A", "quick", "fox", "ran"), ("NN",) * 4),
        CompressionPair("8", "It rained", "It rained", ("It", "rained"), ("NN",) * 2),
    ]
    assert list(read_compressions(tmp_path / "set.json.gz", 1)) == pairs[:1]
    with pytest.raises(DataFormatError, match="ends after 2 records; 3 were asked for"):
        list(read_compressions(tmp_path / "set.json.gz", 3))


@pytest.mark.parametrize(
    "spoil, reason",
    [
        (lambda r: r["compression"].pop("text"), "lacks the field 'text'"),
        (lambda r: r.pop("graph"), "lacks the field 'graph'"),
        (lambda r: r["compression"].update(text=" "), "empty compression.text"),
        (lambda r: r["graph"].update(sentence=3), "empty graph.sentence"),
        (lambda r: r["graph"].update(node=[]), "no tokens"),
        (lambda r: r["graph"].update(node=None), "layout"),
        (lambda r: r["graph"]["node"][-1]["word"][0].update(id="0"), "layout"),
        (lambda r: r["graph"]["node"][-1]["word"][0].update(id=1), "same id"),
        (lambda r: r["graph"]["node"][-1]["word"][0].pop("tag"), "lacks the field 'tag'"),
    ],
)
def test_a_malformed_record_is_reported_with_its_line(tmp_path, spoil, reason):
    good, bad = (
        compression_record(["A", "fox", "ran"], "A fox"),
        compression_record(["A", "fox", "ran"], "A fox"),
    )
    spoil(bad)
    path = write_records(tmp_path / "set.json.gz", [good, bad])
    with pytest.raises(DataFormatError, match=reason) as caught:
        list(read_compressions(path))
    assert caught.value.line == len(json.dumps(good, indent=1).split("\n")) + 2


def test_broken_json_is_reported_where_it_breaks(tmp_path):
    path = tmp_path / "set.json"
    good = json.dumps(compression_record(["A", "fox", "ran"], "A fox"), indent=1)
    path.write_text(good + "\n\n" + good[: len(good) // 2])
    with pytest.raises(DataFormatError, match="not JSON") as caught:
        list(read_compressions(path))
    assert caught.value.line == len(path.read_text().split("\n"))
    path.write_text("\n\n")
    with pytest.raises(DataFormatError, match="holds no records"):
        list(read_compressions(path))
    with pytest.raises(InputError, match="negative"):
        list(read_compressions(path, -1))


@pytest.mark.skipif(not os.environ.get("NBHELPERS_DATA"), reason="needs real data in NBHELPERS_DATA")
def test_the_real_compression_set_is_read():
    pairs = list(read_compressions(data.find("google-compression", allow_shipped=False).path, 1000))
    ratio = sum(len(p.compression.split()) for p in pairs) / sum(len(p.sentence.split()) for p in pairs)
    assert len(pairs) == 1000
    assert all(len(p.source_tokens) == len(p.source_tags) > 1 for p in pairs)
    assert 0.3 < ratio < 0.6  # references keep about 45 % of the words
