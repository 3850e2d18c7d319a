"""The adapters to packages that are not installed here, tried against stand-ins with the packages' public interface.

What is tested is what the adapters hand over, what they make of the answer, and that everything that is missing is
named with the way to get it.
"""

import csv
import gzip
import os
import sys
import types
from pathlib import Path

import numpy as np
import pytest
import torch

from nbhelpers.base.errors import ModelError, ResourceNotFoundError, TextTooLongError
from nbhelpers.metrics import external, lexical, load, score_all

SOURCES, CANDIDATES = ["A cold rain fell .", "The dog slept ."], ["Rain fell .", "A cat was awake ."]
REFERENCES = [["A rain fell .", "Rain fell ."], ["The dog was asleep ."]]


ADAPTERS = (external.samsa, external.bleurt, external.questeval, external.lens)


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    monkeypatch.setenv("NBHELPERS_OFFLINE", "1")
    yield
    for adapter in ADAPTERS:
        adapter.cache_clear()


@pytest.fixture
def stand_in(monkeypatch):
    """Puts modules into ``sys.modules``, packages above them included; their weights are in the cache."""

    def put(name: str, **content):
        parts = name.split(".")
        for end in range(1, len(parts) + 1):
            key = ".".join(parts[:end])
            monkeypatch.setitem(sys.modules, key, sys.modules.get(key, types.ModuleType(key)))
        for key, value in content.items():
            monkeypatch.setattr(sys.modules[name], key, value, raising=False)

    models = ("lucadiliello/BLEURT-20", "ThomasNLG/t5-qa_squad2neg-en", "ThomasNLG/t5-qg_squad1-en")
    cached = types.SimpleNamespace(repos=[types.SimpleNamespace(repo_id=model) for model in models])
    monkeypatch.setattr("huggingface_hub.scan_cache_dir", lambda: cached)
    return put


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("samsa", "SAMSA needs the Python package easse, which is not installed: pip install .*easse.git.*TUPA"),
        ("bleu-samsa-am", "SAMSA needs the Python package easse"),
        ("bleurt", "BLEURT needs the Python package bleurt_pytorch, .*: pip install .*bleurt-pytorch.git"),
        ("questeval", "QuestEval needs the Python package questeval, .*: pip install .*QuestEval.git"),
        ("lens", "LENS needs the Python package lens, which is not installed: pip install lens-metric"),
    ],
)
def test_a_package_that_is_not_installed_is_named(name, message):
    with pytest.raises(ResourceNotFoundError, match=message) as caught:
        load(name)
    assert "\n" not in str(caught.value)


def test_a_package_whose_own_imports_fail_says_so(monkeypatch):
    class Finder:
        def find_spec(self, name, path=None, target=None):
            if name == "lens":
                raise ImportError("cannot import name 'load_metric' from 'datasets'")

    monkeypatch.setattr(sys, "meta_path", [Finder(), *sys.meta_path])
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
    values = score_all(SOURCES, CANDIDATES, metrics=names, progress=False)["values"]
    assert calls == [(SOURCES, CANDIDATES)]
    bleu = lexical.bleu()(SOURCES, CANDIDATES)
    np.testing.assert_allclose(values["samsa"], [40, 90])
    np.testing.assert_allclose(values["bleu-samsa-am"], (bleu + [40, 90]) / 2)
    np.testing.assert_allclose(values["bleu-samsa-gm"], (bleu * [40, 90]) ** 0.5)
    assert load("samsa").signature == "samsa|parser:tupa-ucca-bilstm-1.3.10|tok:13a|lc:no|easse:unknown"
    assert lexical.bleu().signature in load("bleu-samsa-gm").signature


def test_the_means_are_those_of_the_published_scores():
    roots = os.environ.get("NBHELPERS_DATA", "").split(":")
    paths = [Path(root) / "simplicity-da" / "metrics_simplicity_DA.csv.gz" for root in roots if root]
    path = next(filter(Path.is_file, paths), None)
    if path is None:
        pytest.skip("NBHELPERS_DATA has no simplicity-da/metrics_simplicity_DA.csv.gz")
    with gzip.open(path, "rt", encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    bleu, samsa, arithmetic, geometric = (
        np.array([float(row[name]) for row in rows])
        for name in ("bleu", "samsa", "amean_bleu_samsa", "gmean_bleu_samsa")
    )
    np.testing.assert_allclose(external.arithmetic_mean(bleu, samsa), arithmetic, atol=1e-8)
    np.testing.assert_allclose(external.geometric_mean(bleu, samsa), geometric, atol=1e-8)


class Pretrained:
    """Encodes a pair as word lengths, and rates it by their sum."""

    config = types.SimpleNamespace(max_position_embeddings=40)

    @classmethod
    def from_pretrained(cls, source):
        assert source == "lucadiliello/BLEURT-20"
        return cls()

    def eval(self):
        return self

    def __call__(self, references=None, candidates=None, return_tensors=None, input_ids=None):
        if input_ids is not None:
            return types.SimpleNamespace(logits=input_ids.sum(1, keepdim=True).float() / 100)
        ((reference,), (candidate,)) = references, candidates
        return {"input_ids": torch.tensor([[1, *map(len, reference.split()), 2, *map(len, candidate.split()), 2]])}


def test_bleurt_takes_the_best_reference_and_refuses_long_texts(stand_in):
    stand_in("bleurt_pytorch", BleurtTokenizer=Pretrained, BleurtForSequenceClassification=Pretrained)
    metric = load("bleurt")
    lengths = [[sum(map(len, f"{r} {c}".split())) + 5 for r in of] for of, c in zip(REFERENCES, CANDIDATES)]
    np.testing.assert_allclose(
        metric(SOURCES, CANDIDATES, REFERENCES), np.array(list(map(max, lengths))) / 100, atol=1e-6
    )
    assert metric.signature == "bleurt|checkpoint:BLEURT-20|bleurt-pytorch:unknown" and metric.needs_reference
    with pytest.raises(TextTooLongError, match="Row 2: there are 46 pieces in reference and candidate together"):
        metric(SOURCES, ["a", "a " * 39], [["b"], ["b b b b"]])


def test_questeval_compares_source_and_candidate_and_its_failures_are_model_errors(stand_in):
    seen = {}

    class QuestEval:
        def __init__(self, task="text2text", no_cuda=False, use_cache=True):
            seen.update(task=task, use_cache=use_cache)

        def corpus_questeval(self, hypothesis, sources=None, list_references=None, batch_size=512):
            seen.update(hypothesis=hypothesis, sources=sources, list_references=list_references)
            return {"corpus_score": 0.5, "ex_level_scores": [0.25, 0.75]}

    stand_in("questeval.questeval_metric", QuestEval=QuestEval)
    metric = load("questeval")
    np.testing.assert_allclose(metric(SOURCES, CANDIDATES, REFERENCES), [0.25, 0.75])
    given = {"hypothesis": CANDIDATES, "sources": SOURCES, "list_references": None}
    assert seen == {"task": "text2text", "use_cache": False, **given}
    with pytest.raises(ModelError, match=r"QuestEval gave values of shape \(2,\) for 3 pairs"):
        metric(["a", "b", "c"], ["a", "b", "c"])

    def broken(**_):
        raise RuntimeError("weights are damaged\nand more")

    external.questeval.cache_clear()
    stand_in("questeval.questeval_metric", QuestEval=broken)
    with pytest.raises(ModelError, match="QuestEval cannot be loaded: weights are damaged$"):
        load("questeval")


def test_lens_takes_references_and_its_weights_are_asked_for(stand_in, monkeypatch):
    calls = []

    class LENS:
        def __init__(self, path, rescale=False):
            calls.append((path, rescale))

        def score(self, complex, simplified, references, batch_size=16, devices=None):
            calls.append((complex, simplified, references))
            return [78.5, 12.0]

    stand_in("lens", LENS=LENS, download_model=lambda name: f"/hub/{name}/model.ckpt")
    with pytest.raises(ResourceNotFoundError, match="needs davidheineman/lens, .* fetch it with hf download davidh"):
        load("lens")
    monkeypatch.delenv("NBHELPERS_OFFLINE")
    np.testing.assert_allclose(load("lens")(SOURCES, CANDIDATES, REFERENCES), [78.5, 12.0])
    assert calls == [("/hub/davidheineman/lens/model.ckpt", True), (SOURCES, CANDIDATES, REFERENCES)]
