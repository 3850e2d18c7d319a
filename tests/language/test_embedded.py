"""The masked LM that ships with the project: golden values, size, and that it opens as any other model does."""

import json
from pathlib import Path

import pytest

from nbhelpers.base.paths import data_dir
from nbhelpers.language.mlm import MaskedLM
from nbhelpers.metrics.ndd import ndd_batch

FOLDER = data_dir() / "models" / "embedded"


def test_golden_values_of_the_shipped_model():
    """Values that tools/golden.py computed with the plain definition above, for the weights that are shipped."""
    golden = json.loads((Path(__file__).parents[1] / "golden" / "embedded.json").read_text())
    lm = MaskedLM()
    assert lm.loaded.revision == golden["revision"], "new weights: run `make record`"
    original = golden["original"].split()
    results = ndd_batch(lm, [(original, case["edited"].split()) for case in golden["cases"]])
    assert [r.value for r in results] == pytest.approx([case["ndd"] for case in golden["cases"]], abs=1e-4)


def test_opens_as_an_ordinary_model_directory():
    from transformers import AutoModelForMaskedLM

    _, report = AutoModelForMaskedLM.from_pretrained(FOLDER, output_loading_info=True, local_files_only=True)
    assert not report["missing_keys"] and not report["mismatched_keys"]


def test_is_small_safe_and_documented():
    files = [file for file in FOLDER.iterdir() if file.is_file()]
    assert sum(file.stat().st_size for file in files) <= 48_000_000
    assert {file.suffix for file in files} <= {".json", ".jsonl", ".md", ".safetensors", ".txt"}
    card = (FOLDER / "README.md").read_text()
    for said in ("tokens", "cross-entropy", "licence", "not good for"):
        assert said in card.lower(), f"the model card does not say: {said}"
