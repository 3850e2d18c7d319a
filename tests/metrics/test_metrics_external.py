"""The adapters to packages that are not installed here, tried against stand-ins with the packages' public interface.

What is tested is what the adapters hand over, what they make of the answer, and that everything that is missing is
named with the way to get it.
"""

import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
import torch

from nbhelpers.base.errors import ModelError, ResourceNotFoundError, TextTooLongError
from nbhelpers.metrics import external, lexical, load, score_all

SOURCES, CANDIDATES = ["A cold rain fell .", "The dog slept ."], ["Rain fell .", "A cat was awake ."]
REFERENCES = [["A rain fell .", "Rain fell ."], ["The dog was asleep ."]]


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    monkeypatch.setenv("NBHELPERS_OFFLINE", "1")
    yield
    for adapter in (external.samsa, external.bleurt, external.questeval, external.lens):
        adapter.cache_clear()


@pytest.fixture
def stand_in(monkeypatch):
    """Puts a module into ``sys.modules``, packages above it included; all weights but those of LENS are cached."""

    def put(name: str, **content):
        monkeypatch.setitem(sys.modules, name.split(".")[0], ModuleType(name.split(".")[0]))
        monkeypatch.setitem(sys.modules, name, SimpleNamespace(**content))

    models = ("lucadiliello/BLEURT-20", "ThomasNLG/t5-qa_squad2neg-en", "ThomasNLG/t5-qg_squad1-en")
    cached = SimpleNamespace(repos=[SimpleNamespace(repo_id=model) for model in models])
    monkeypatch.setattr("huggingface_hub.scan_cache_dir", lambda: cached)
    return put


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "samsa",
            "SAMSA needs the Python package easse, which cannot be imported here .*: pip install .*easse.git.*TUPA",
        ),
        ("bleu-samsa-am", "SAMSA needs the Python package easse"),
        ("bleurt", "BLEURT needs the Python package bleurt_pytorch, .*: pip install .*bleurt-pytorch.git"),
        ("questeval", "QuestEval needs the Python package questeval, .*: pip install .*QuestEval.git"),
        ("lens", "LENS needs the Python package lens, .*No module named .*: pip install lens-metric"),
    ],
)
def test_a_package_that_is_not_installed_is_named(name, message):
    with pytest.raises(ResourceNotFoundError, match=f"^{message}"):
        load(name)


def test_a_package_whose_own_imports_fail_says_so(monkeypatch):
    def broken(name):
        raise ImportError("cannot import name 'load_metric' from 'datasets'")

    monkeypatch.setattr("importlib.import_module", broken)
    with pytest.raises(ResourceNotFoundError, match="lens, which cannot be imported here .cannot import name 'load_m"):
        load("lens")


def test_samsa_and_its_means_with_bleu_parse_once(stand_in, monkeypatch):
    calls = []

    def get_samsa_sentence_scores(orig_sents, sys_sents, lowercase=False, tokenizer="13a", verbose=False):
        calls.append((orig_sents, sys_sents))
        return [40.0, 90.0]

    stand_in("easse.samsa", get_samsa_sentence_scores=get_samsa_sentence_scores)
    monkeypatch.setattr("shutil.which", lambda name: None)
    with pytest.raises(ResourceNotFoundError, match="needs Java"):
        load("samsa")
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}")
    names = ["samsa", "bleu-samsa-am", "bleu-samsa-gm"]
    values = score_all(SOURCES, CANDIDATES, metrics=names)["values"]
    assert calls == [(SOURCES, CANDIDATES)]
    bleu = lexical.bleu()(SOURCES, CANDIDATES)
    np.testing.assert_allclose(values["samsa"], [40, 90])
    np.testing.assert_allclose(values["bleu-samsa-am"], (bleu + [40, 90]) / 2)
    np.testing.assert_allclose(values["bleu-samsa-gm"], (bleu * [40, 90]) ** 0.5)
    assert load("samsa").signature == "samsa|parser:tupa-ucca-bilstm-1.3.10|tok:13a|lc:no|easse:unknown"
    assert lexical.bleu().signature in load("bleu-samsa-gm").signature


class Bleurt(torch.nn.Module):
    """A tokenizer that encodes a pair as word lengths, and a model that rates it by their sum."""

    config = SimpleNamespace(max_position_embeddings=40)

    @classmethod
    def from_pretrained(cls, source):
        assert source == "lucadiliello/BLEURT-20"
        return cls()

    def forward(self, references=None, candidates=None, return_tensors=None, input_ids=None):
        if input_ids is not None:
            return SimpleNamespace(logits=input_ids.sum(1, keepdim=True) / 100)
        return {"input_ids": torch.tensor([list(map(len, f"{references[0]} {candidates[0]}".split()))])}


def test_bleurt_takes_the_best_reference_and_refuses_long_texts(stand_in):
    stand_in("bleurt_pytorch", BleurtTokenizer=Bleurt, BleurtForSequenceClassification=Bleurt)
    metric = load("bleurt")
    np.testing.assert_allclose(metric(SOURCES, CANDIDATES, REFERENCES), [0.19, 0.29], atol=1e-6)
    assert metric.signature == "bleurt|checkpoint:BLEURT-20|bleurt-pytorch:unknown" and metric.needs_reference
    with pytest.raises(TextTooLongError, match="Row 2: there are 43 pieces in reference and candidate together"):
        metric(SOURCES, ["a", "a " * 39], [["b"], ["b b b b"]])


def test_questeval_compares_source_and_candidate_and_its_failures_are_model_errors(stand_in):
    seen = []

    class QuestEval:
        def __init__(self, task="text2text", no_cuda=False, use_cache=True):
            seen.append((task, use_cache))

        def corpus_questeval(self, hypothesis, sources=None, list_references=None, batch_size=512):
            seen.append((hypothesis, sources, list_references))
            return {"corpus_score": 0.5, "ex_level_scores": [0.25, 0.75]}

    stand_in("questeval.questeval_metric", QuestEval=QuestEval)
    metric = load("questeval")
    np.testing.assert_allclose(metric(SOURCES, CANDIDATES, REFERENCES), [0.25, 0.75])
    assert seen == [("text2text", False), (CANDIDATES, SOURCES, None)]
    with pytest.raises(ValueError, match="shorter"):  # two values for three pairs
        metric(["a", "b", "c"], ["a", "b", "c"])


def test_lens_takes_references_and_what_it_lacks_is_named(stand_in, monkeypatch):
    calls = []

    class LENS:
        def __init__(self, path, rescale=False):
            calls.append((path, rescale))

        def score(self, complex, simplified, references, batch_size=16, devices=None):
            calls.append((complex, simplified, references))
            return [78.5, 12.0]

    def broken(name):
        raise RuntimeError("weights are damaged\nand more")

    stand_in("lens", LENS=LENS, download_model=broken)
    with pytest.raises(ResourceNotFoundError, match="needs davidheineman/lens, .* fetch it with hf download davidh"):
        load("lens")
    monkeypatch.delenv("NBHELPERS_OFFLINE")
    with pytest.raises(ModelError, match="LENS cannot be loaded: weights are damaged$"):
        load("lens")
    stand_in("lens", LENS=LENS, download_model=lambda name: f"/hub/{name}/model.ckpt")
    np.testing.assert_allclose(load("lens")(SOURCES, CANDIDATES, REFERENCES), [78.5, 12.0])
    assert calls == [("/hub/davidheineman/lens/model.ckpt", True), (SOURCES, CANDIDATES, REFERENCES)]
