"""The masked LM ``base``: opened from an encoder and differences, as a tiny stand-in in the same format."""

import shutil

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from nbhelpers.base.errors import ModelError, ResourceNotFoundError
from nbhelpers.language.mlm import MaskedLM
from nbhelpers.metrics import meaning_model
from nbhelpers.resources import base_model, models

LAYER = "mpnet.encoder.layer.0.attention.attn.q.weight"


@pytest.fixture
def tiny_base(tiny_model, tmp_path, monkeypatch):
    """A tiny encoder without a head under NBHELPERS_DATA, and differences with a head and one changed matrix."""
    from transformers import MPNetForMaskedLM, MPNetModel

    whole = MPNetForMaskedLM.from_pretrained(tiny_model("mpnet"))
    weights = whole.state_dict()
    folder, file = tmp_path / "data" / "models" / base_model.ENCODER, tmp_path / "differences.safetensors"
    shutil.copytree(tiny_model("mpnet"), folder)
    MPNetModel.from_pretrained(folder).save_pretrained(folder)
    torch.manual_seed(0)
    left, right = (torch.randint(-127, 128, shape, dtype=torch.int8) for shape in ((32, 2), (2, 32)))
    head = {n: w.half() for n, w in weights.items() if n.startswith("lm_head.") and "decoder.weight" not in n}
    low_rank = {"u": left, "v": right, "us": torch.full((1, 2), 0.001), "vs": torch.full((2, 1), 0.002)}
    differences = {f"{n}|full": w.clone() for n, w in head.items()} | {f"{LAYER}|{n}": w for n, w in low_rank.items()}
    save_file(differences, file)
    with torch.no_grad():
        for name, weight in head.items():
            weights[name].copy_(weight)
        weights[LAYER].add_((left.float() * 0.001) @ (right.float() * 0.002))
    monkeypatch.setenv("NBHELPERS_DATA", str(tmp_path / "data"))
    monkeypatch.setattr(base_model, "differences_file", lambda: file)
    monkeypatch.setattr(base_model, "ENCODER_SHA256", models.sha256(folder / "model.safetensors"))
    return whole.eval(), folder, file


def test_base_is_the_encoder_with_the_differences_and_its_revision_follows_them(tiny_base):
    expected, _, file = tiny_base
    loaded = models.load_masked_lm("base")
    ids = torch.tensor([loaded.tokenizer("the cat sat on the mat")["input_ids"]])
    with torch.no_grad():
        np.testing.assert_allclose(loaded.model(ids).logits, expected(ids).logits, atol=1e-5)
    assert loaded.name == "base" and len(loaded.revision) == 8
    save_file({"lm_head.bias|full": torch.zeros(loaded.model.config.vocab_size)}, file)
    assert MaskedLM("base").loaded.revision != loaded.revision


def test_another_encoder_or_damaged_differences_are_refused(tiny_base, monkeypatch):
    _, _, file = tiny_base
    file.write_bytes(file.read_bytes()[:200])
    with pytest.raises(ModelError, match="does not fit"):
        models.load_masked_lm("base")
    monkeypatch.setattr(base_model, "ENCODER_SHA256", "0" * 64)
    with pytest.raises(ModelError, match="is not the all-mpnet-base-v2 .*make base"):
        models.load_masked_lm("base")


@pytest.mark.parametrize(
    ("load", "name"), [(models.load_masked_lm, "base"), (meaning_model.load_meaning_model, "same-meaning-base")]
)
def test_a_missing_encoder_is_named_with_the_way_to_get_it(monkeypatch, tmp_path, nothing_at_hand, load, name):
    monkeypatch.setattr(models, "cache_dir", lambda: tmp_path)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(ResourceNotFoundError, match=f"'{name}' is missing. `make base`"):
        load(name)
