"""The masked LM ``base``: opened from an encoder and differences, as a tiny stand-in in the same format."""

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from nbhelpers.base.errors import ModelError, ResourceNotFoundError
from nbhelpers.language.mlm import MaskedLM
from nbhelpers.resources import base_model, models


@pytest.fixture
def tiny_base(tiny_model, tmp_path, monkeypatch):
    """A tiny encoder without a head under NBHELPERS_DATA, and differences with a head and one changed matrix."""
    from transformers import MPNetForMaskedLM, MPNetModel

    whole = MPNetForMaskedLM.from_pretrained(tiny_model("mpnet"))
    folder = tmp_path / "data" / "models" / base_model.ENCODER
    folder.mkdir(parents=True)
    for file in tiny_model("mpnet").glob("*.json"):
        (folder / file.name).write_bytes(file.read_bytes())
    MPNetModel.from_pretrained(tiny_model("mpnet")).save_pretrained(folder)
    name = "mpnet.encoder.layer.0.attention.attn.q.weight"
    generator = torch.Generator().manual_seed(0)
    left = torch.randint(-127, 128, (whole.state_dict()[name].shape[0], 2), generator=generator, dtype=torch.int8)
    right = torch.randint(-127, 128, (2, whole.state_dict()[name].shape[1]), generator=generator, dtype=torch.int8)
    differences = {f"{n}|full": w.half() for n, w in whole.state_dict().items() if n.startswith("lm_head.")}
    differences = {n: w.contiguous() for n, w in differences.items() if "decoder.weight" not in n}
    scales = {f"{name}|us": torch.full((1, 2), 0.001), f"{name}|vs": torch.full((2, 1), 0.002)}
    file = tmp_path / "differences.safetensors"
    save_file({**differences, f"{name}|u": left, f"{name}|v": right, **scales}, file)
    with torch.no_grad():
        for key, weight in whole.state_dict().items():
            if f"{key}|full" in differences:
                weight.copy_(differences[f"{key}|full"])
        whole.state_dict()[name].add_((left.float() * 0.001) @ (right.float() * 0.002))
    monkeypatch.setenv("NBHELPERS_DATA", str(tmp_path / "data"))
    monkeypatch.setattr(base_model, "differences_file", lambda: file)
    monkeypatch.setattr(base_model, "ENCODER_SHA256", models.sha256(folder / "model.safetensors"))
    return whole.eval(), folder, file


def test_base_is_the_encoder_with_the_differences(tiny_base):
    expected, _, _ = tiny_base
    loaded = models.load_masked_lm("base")
    ids = torch.tensor([loaded.tokenizer("the cat sat on the mat")["input_ids"]])
    with torch.no_grad():
        np.testing.assert_allclose(loaded.model(ids).logits, expected(ids).logits, atol=1e-5)
    assert loaded.name == "base" and len(loaded.revision) == 8
    assert len(MaskedLM("base").loaded.tokenizer) == len(loaded.tokenizer)


def test_the_revision_follows_the_differences(tiny_base):
    _, _, file = tiny_base
    before = models.load_masked_lm("base").revision
    kept = {"lm_head.bias|full": torch.zeros(models.load_masked_lm("base").model.config.vocab_size)}
    save_file(kept, file)
    assert models.load_masked_lm("base").revision != before


def test_another_encoder_or_damaged_differences_are_refused(tiny_base, monkeypatch):
    _, _, file = tiny_base
    monkeypatch.setattr(base_model, "ENCODER_SHA256", "0" * 64)
    with pytest.raises(ModelError, match="is not the all-mpnet-base-v2 .*make base"):
        models.load_masked_lm("base")
    monkeypatch.undo()
    file.write_bytes(file.read_bytes()[:200])
    with pytest.raises(ModelError, match="does not fit"):
        base_model.open_base(tiny_base[1], file, check=False)


def test_a_missing_encoder_is_named_with_the_way_to_get_it(monkeypatch, tmp_path, nothing_at_hand):
    monkeypatch.setattr(models, "cache_dir", lambda: tmp_path)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(ResourceNotFoundError, match="make base"):
        models.load_masked_lm("base")
