"""CSMD with its ratings on their own pairs: made from the official files, and refused from others."""

import corrected_csmd as command
import pytest

from nbhelpers.resources.csmd import read_csmd, read_pairs

pytestmark = pytest.mark.usefixtures("real_data")


def test_the_pairs_stay_and_629_labels_change(tmp_path, capsys):
    assert command.main([str(tmp_path)]) == 0
    assert command.SHA256 in capsys.readouterr().out
    csmd, changed = read_csmd(), 0
    for part in ("train", "dev", "test"):
        new, old = read_pairs(tmp_path / f"{part}.tsv"), getattr(csmd, part)
        assert [(pair.source, pair.candidate) for pair in new] == [(pair.source, pair.candidate) for pair in old]
        changed += sum(abs(a.rating - b.rating) > 1e-3 for a, b in zip(new, old))
    assert changed == 629


def test_other_files_are_refused(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(command, "SHA256", "0" * 64)
    assert command.main([str(tmp_path / "out")]) == 2
    assert "other sources?" in capsys.readouterr().err and not (tmp_path / "out").exists()
