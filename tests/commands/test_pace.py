"""Portions grow until one takes long, and every item comes once."""

from nbhelpers.commands import pace


def test_portions_grow_until_one_takes_two_seconds(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(pace.time, "monotonic", lambda: now[0])
    seen, sizes = [], []
    for portion in pace.portions(2_000, "rated texts", tell=False):
        seen += portion
        sizes.append(len(portion))
        now[0] += 0.02 * len(portion)
    assert seen == list(range(2_000)) and sizes[:7] == [4, 8, 16, 32, 64, 128, 128]
