"""Records of the Google compression set."""

import gzip
import itertools
import json

import pytest
from refused import damaged

from nbhelpers.base.errors import DataFormatError
from nbhelpers.resources import data
from nbhelpers.studies.ndd.pairs import CompressionPair, read_compressions, read_pairs


def compression_record(tokens, compression):
    words = [{"id": i, "form": form} for i, form in enumerate(tokens)]
    nodes = [{"form": "ROOT", "word": [{"id": -1, "form": "ROOT"}]}]
    # The official files group words into nodes and list nodes in no particular order.
    nodes += [{"form": word["form"], "word": [word]} for word in reversed(words[2:])] + [{"word": words[:2]}]
    return {
        "graph": {"id": "0", "sentence": " ".join(tokens), "node": nodes, "edge": []},
        "compression": {"text": compression, "edge": []},
    }


def write_records(path, records):
    path.write_bytes(gzip.compress("\n\n".join(json.dumps(record, indent=1) for record in records).encode()))
    return path


def test_compression_records(tmp_path):
    fox = ("A", "quick", "fox", "ran")
    records = [compression_record(fox, "A fox ran"), compression_record(["It", "rained"], "It rained")]
    path = write_records(tmp_path / "set.json.gz", records)
    assert next(read_compressions(path)) == CompressionPair("A quick fox ran", "A fox ran", fox)
    assert read_pairs(path) == [(fox, "A fox ran"), (("It", "rained"), "It rained")]


@pytest.mark.parametrize(
    "spoil, reason",
    [
        (lambda r: r["compression"].pop("text"), "KeyError\\('text'\\)"),
        (lambda r: r["compression"].update(text=" "), "a text is empty"),
        (lambda r: r["graph"].update(node=[]), "a text is empty"),
        (lambda r: r["graph"]["node"][-1]["word"][0].update(id="0"), "TypeError"),
        (lambda r: r["graph"]["node"][-1]["word"][0].pop("form"), "KeyError\\('form'\\)"),
    ],
)
def test_a_malformed_record_is_reported_with_its_line(tmp_path, spoil, reason):
    good, bad = (compression_record(["A", "fox", "ran"], "A fox") for _ in range(2))
    spoil(bad)
    path = write_records(tmp_path / "set.json.gz", [good, bad])
    with damaged(path, len(json.dumps(good, indent=1).split("\n")) + 2, reason):
        list(read_compressions(path))


def test_broken_json_is_reported_where_it_breaks(tmp_path):
    path = tmp_path / "set.json"
    good = json.dumps(compression_record(["A", "fox", "ran"], "A fox"), indent=1)
    path.write_text(good + "\n\n" + good[: len(good) // 2])
    with damaged(path, len(path.read_text().split("\n")), "JSONDecodeError"):
        list(read_compressions(path))
    path.write_text("\n\n")
    with pytest.raises(DataFormatError, match="holds no records"):
        list(read_compressions(path))


def test_pairs_from_a_treebank(tmp_path):
    rows = [(1, "Old", 2, "_"), (2, "men", 3, "Keep=Y"), (3, "slept", 0, "Keep=Y"), (4, ".", 3, "Keep=Y")]
    lines = [f"{i}\t{word}\t{word}\tX\t_\t_\t{head}\tdep\t_\t{misc}" for i, word, head, misc in rows]
    head = "# sent_id = a\n# text = Old men slept .\n"
    (tmp_path / "small.conllu").write_text(head + "\n".join(lines) + "\n\n", encoding="utf-8")
    assert read_pairs(tmp_path / "small.conllu") == [(("Old", "men", "slept", "."), "men slept .")]


@pytest.mark.usefixtures("real_data")
def test_the_real_compression_set_is_read():
    pairs = list(itertools.islice(read_compressions(data.find("google-compression", allow_shipped=False).path), 1000))
    ratio = sum(len(p.compression.split()) for p in pairs) / sum(len(p.sentence.split()) for p in pairs)
    assert 0.3 < ratio < 0.6  # references keep about 45 % of the words
