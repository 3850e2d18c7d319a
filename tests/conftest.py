"""Fixtures shared by the tests: tiny random models, built once per test process."""

import functools
import os
import signal
import sys
from pathlib import Path

import pytest
from hypothesis import settings

if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:  # a background job of a shell ignores Ctrl-C
    signal.signal(signal.SIGINT, signal.default_int_handler)
settings.register_profile("project", deadline=None, max_examples=30)  # a busy machine is slow, not wrong
settings.load_profile("project")
sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "tools")]
sys.modules.setdefault("rfc3987_syntax", None)  # jsonschema would compile an address grammar that no test uses: seconds
os.environ.setdefault("NBHELPERS_OFFLINE", "1")
os.environ.setdefault("MPLBACKEND", "Agg")
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory):
    """Builder of tiny models by family name: ``tiny_model("bert")`` gives a folder."""
    import tiny_models

    built = {}

    def build(family: str) -> Path:
        if family not in built:
            folder = tmp_path_factory.mktemp(family)
            if family == "bert-cased":
                tiny_models.tiny_bert(folder, lower=False, seed=1)
            else:
                getattr(tiny_models, f"tiny_{family}")(folder)
            built[family] = folder
        return built[family]

    return build


@pytest.fixture(scope="session")
def tiny_lm(tiny_model):
    """The engine on the tiny uncased BERT."""
    from nbhelpers.language.mlm import MaskedLM

    return MaskedLM(str(tiny_model("bert")))


@pytest.fixture(scope="session")
def plain_bert(tiny_model):
    """The tiny uncased BERT and its tokenizer as `transformers` gives them, in double precision."""
    from transformers import AutoModelForMaskedLM, AutoTokenizer

    folder = tiny_model("bert")
    return AutoModelForMaskedLM.from_pretrained(folder).double().eval(), AutoTokenizer.from_pretrained(folder)


@pytest.fixture
def three_threads():
    """PyTorch with three threads, however many the machine has."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(3)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="session")
def real_data():
    """Skips a test where there are no real data."""
    if not os.environ.get("NBHELPERS_DATA"):
        pytest.skip("needs real data in NBHELPERS_DATA")


@pytest.fixture
def in_data(tmp_path, monkeypatch):
    """Writes a file where the registry looks for it: ``in_data("wordnet/data.noun", "text")``."""
    monkeypatch.setenv("NBHELPERS_DATA", str(tmp_path))

    def write(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


@pytest.fixture(scope="module")
def judged_once():
    """All tests of a module share the verdicts of the claims, which are computed from 10,000 rows."""
    from nbhelpers.results import claims

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(claims, "judged", functools.cache(claims.judged))
        yield


@pytest.fixture
def nothing_at_hand(monkeypatch):
    """No data folder, no download, nothing that the system has installed."""
    from nbhelpers.resources import data

    monkeypatch.delenv("NBHELPERS_DATA", raising=False)
    monkeypatch.setenv("NBHELPERS_OFFLINE", "1")
    for place in ("_in_cache", "_on_system"):
        monkeypatch.setattr(data, place, lambda resource, looked: None)


@pytest.fixture
def small_registry(monkeypatch):
    """Two metrics that share work and count it, and one that lacks something."""
    import numpy as np

    from nbhelpers.base.errors import ResourceNotFoundError, RowTooLongError
    from nbhelpers.metrics.metric import SPECIFICATIONS, register, shared

    calls = []

    @shared
    def counted(texts):
        calls.append(texts)
        return [len(text) for text in texts]

    def make(part):
        @register(f"length{part}", f"Length {part}", (0.0, np.inf), seconds=part / 1000)
        def length(refused="refuse", truncate=False):
            def compute(sources, candidates, references):
                if refused in candidates and not truncate:
                    raise RowTooLongError(candidates.index(refused) + 1, "it is too long.")
                return [part * value for value in counted(candidates)]

            return f"length{part}|v:1{'|cut:yes' if truncate else ''}", compute

    for name in list(SPECIFICATIONS):
        monkeypatch.delitem(SPECIFICATIONS, name)
    make(1)
    make(9)

    @register("lacking", "Lacking", (0.0, 1.0), seconds=1.0)
    def lacking():
        raise ResourceNotFoundError("Weights of this model are missing; fetch them from its page.")

    yield calls
    SPECIFICATIONS.clear()  # the names are put back by monkeypatch
