"""The adapters to packages that are not installed here, tried against stand-ins with the packages' public interface.

No measure itself is tested: that is these packages' own business. What is tested is what the adapters hand over, what
they make of the answer, and that everything that is missing is named with the way to get it.
"""

import csv
import gzip
import os
import sys
import types
from pathlib import Path

import numpy as np
import pytest

from nbhelpers.base.errors import InputError, ModelError, ResourceNotFoundError, TextTooLongError
from nbhelpers.metrics import external, lexical

DATA = os.environ.get("NBHELPERS_DATA", "")
SOURCES, CANDIDATES = ["A cold rain fell .", "The dog slept ."], ["Rain fell .", "A cat was awake ."]
REFERENCES = [["A rain fell .", "Rain fell ."], ["The dog was asleep ."]]


@pytest.fixture(autouse=True)
def offline(monkeypatch):
    monkeypatch.setenv("NBHELPERS_OFFLINE", "1")
    monkeypatch.delenv("NBHELPERS_DATA", raising=False)
    external._samsa_values.cache_clear()


@pytest.fixture
def stand_in(monkeypatch):
    """Puts modules into ``sys.modules``: ``stand_in("easse.samsa", name=value)``, packages above it included."""

    def put(name: str, **content):
        parts = name.split(".")
        for end in range(1, len(parts) + 1):
            key = ".".join(parts[:end])
            if key not in sys.modules:
                monkeypatch.setitem(sys.modules, key, types.ModuleType(key))
        for key, value in content.items():
            monkeypatch.setattr(sys.modules[name], key, value, raising=False)
        return sys.modules[name]

    return put


# ------------------------------------------------------------------------------------------------ what is missing


@pytest.mark.parametrize(
    ("factory", "message"),
    [
        (external.samsa, "SAMSA needs the Python package easse, which is not installed: pip install .*easse.git.*TUPA"),
        (external.bleu_samsa, "SAMSA needs the Python package easse"),
        (external.bleurt, "BLEURT needs the Python package bleurt_pytorch, .*: pip install .*bleurt-pytorch.git"),
        (external.questeval, "QuestEval needs the Python package questeval, .*: pip install .*QuestEval.git"),
        (external.lens, "LENS needs the Python package lens, which is not installed: pip install lens-metric"),
    ],
)
def test_a_package_that_is_not_there_is_named(factory, message):
    with pytest.raises(ResourceNotFoundError, match=message) as caught:
        factory()
    assert "\n" not in str(caught.value)


def test_a_package_whose_own_imports_fail_says_so(monkeypatch):
    class Finder:
        def find_spec(self, name, path=None, target=None):
            if name == "lens":
                raise ImportError("cannot import name 'load_metric' from 'datasets'")

    monkeypatch.setattr(sys, "meta_path", [Finder(), *sys.meta_path])
    with pytest.raises(ResourceNotFoundError, match="lens, which cannot be imported here .cannot import name 'load_m"):
        external.lens()


# ------------------------------------------------------------------------------------------------ SAMSA, with BLEU


@pytest.fixture
def easse(stand_in, tmp_path, monkeypatch):
    """EASSE with a parser whose scores are 40 and 90; the calls are kept."""
    calls = []

    def get_samsa_sentence_scores(orig_sents, sys_sents, lowercase=False, tokenizer="13a", verbose=False):
        calls.append((orig_sents, sys_sents))
        return [40.0, 90.0][: len(orig_sents)]

    (tmp_path / "ucca").mkdir()
    (tmp_path / "corenlp").mkdir()
    stand_in("easse.samsa", get_samsa_sentence_scores=get_samsa_sentence_scores)
    stand_in(
        "easse.utils.constants", UCCA_PARSER_PATH=tmp_path / "ucca" / "model", STANFORD_CORENLP_DIR=tmp_path / "corenlp"
    )
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}")
    return calls


def test_samsa_is_easses(easse):
    metric = external.samsa()
    np.testing.assert_allclose(metric(SOURCES, CANDIDATES), [40, 90])
    assert easse == [(SOURCES, CANDIDATES)]
    assert metric.range == (0, 100) and metric.scale == 1 and not metric.needs_reference
    assert metric.signature == "samsa|parser:tupa-ucca-bilstm-1.3.10|tok:13a|lc:no|easse:unknown"


@pytest.mark.parametrize(
    ("mean", "name", "title"),
    [("arithmetic", "bleu-samsa-am", "AM of BLEU and SAMSA"), ("geometric", "bleu-samsa-gm", "GM of BLEU and SAMSA")],
)
def test_the_means_of_bleu_and_samsa(easse, mean, name, title):
    metric, bleu = external.bleu_samsa(mean), lexical.bleu()(SOURCES, CANDIDATES, REFERENCES)
    samsa = np.array([40.0, 90.0])
    expected = (bleu + samsa) / 2 if mean == "arithmetic" else (bleu * samsa) ** 0.5
    np.testing.assert_allclose(metric(SOURCES, CANDIDATES, REFERENCES), expected)
    assert (metric.name, metric.title, metric.range) == (name, title, (0, 100)) and metric.needs_reference
    assert lexical.bleu().signature in metric.signature and "|samsa|" in metric.signature


def test_samsa_is_parsed_once_for_itself_and_both_means(easse):
    for metric in (external.samsa(), external.bleu_samsa("arithmetic"), external.bleu_samsa("geometric")):
        metric(SOURCES, CANDIDATES)
    assert len(easse) == 1


def test_what_samsa_lacks_is_named(easse, tmp_path, monkeypatch):
    (tmp_path / "corenlp").rmdir()
    with pytest.raises(ResourceNotFoundError, match="needs Stanford CoreNLP 3.9.2, and the network is switched off"):
        external.samsa()
    monkeypatch.delenv("NBHELPERS_OFFLINE")
    assert external.samsa().name == "samsa"  # EASSE fetches it
    monkeypatch.setattr("shutil.which", lambda name: None)
    with pytest.raises(ResourceNotFoundError, match="needs Java"):
        external.samsa()
    with pytest.raises(InputError, match="mean is 'arithmetic' or 'geometric'"):
        external.bleu_samsa("harmonic")


def test_the_means_are_those_of_the_published_scores():
    paths = [Path(root) / "simplicity-da" / "metrics_simplicity_DA.csv.gz" for root in DATA.split(":") if root]
    path = next(filter(Path.is_file, paths), None)
    if path is None:
        pytest.skip("NBHELPERS_DATA has no simplicity-da/metrics_simplicity_DA.csv.gz")
    with gzip.open(path, "rt", encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    column = {
        name: np.array([float(row[name]) for row in rows]) for name in rows[0] if "bleu" in name or name == "samsa"
    }
    for mean in ("arithmetic", "geometric"):
        values = external.mean_of(column["bleu"], column["samsa"], mean)
        np.testing.assert_allclose(values, column[f"{mean[0]}mean_bleu_samsa"], atol=1e-8)


# ---------------------------------------------------------------------------------------------------------- BLEURT


class Tokenizer:
    """Word numbers of reference and candidate in one row, as a pair of texts is encoded."""

    @classmethod
    def from_pretrained(cls, source):
        cls.source = source
        return cls()

    def __call__(self, references, candidates):
        rows = [
            [1, *(len(w) for w in r.split()), 2, *(len(w) for w in c.split()), 2]
            for r, c in zip(references, candidates)
        ]
        return {"input_ids": rows, "attention_mask": [[1] * len(row) for row in rows]}


class Model:
    """Rates a pair by the sum of its numbers."""

    config = types.SimpleNamespace(max_position_embeddings=40)

    @classmethod
    def from_pretrained(cls, source):
        cls.batches = []
        return cls()

    def eval(self):
        return self

    def __call__(self, input_ids, attention_mask):
        self.batches.append(tuple(input_ids.shape))
        return types.SimpleNamespace(logits=input_ids.sum(1, keepdim=True).float() / 100)


def plain_bleurt(reference: str, candidate: str) -> float:
    return (sum(map(len, reference.split())) + sum(map(len, candidate.split())) + 5) / 100


def test_bleurt_in_pytorch(stand_in, tmp_path, monkeypatch):
    stand_in("bleurt_pytorch", BleurtTokenizer=Tokenizer, BleurtForSequenceClassification=Model)
    with pytest.raises(
        ResourceNotFoundError, match="needs the weights lucadiliello/BLEURT-20, and the network is swit"
    ):
        external.bleurt()
    (tmp_path / "models" / "BLEURT-20").mkdir(parents=True)
    monkeypatch.setenv("NBHELPERS_DATA", str(tmp_path))
    metric = external.bleurt()
    assert Tokenizer.source == str(tmp_path / "models" / "BLEURT-20")
    expected = [max(plain_bleurt(r, c) for r in texts) for texts, c in zip(REFERENCES, CANDIDATES)]
    np.testing.assert_allclose(metric(SOURCES, CANDIDATES, REFERENCES), expected, atol=1e-6)
    assert all(len(shape) == 2 for shape in Model.batches) and metric.needs_reference
    assert metric.signature == "bleurt|checkpoint:BLEURT-20|bleurt-pytorch:unknown"
    with pytest.raises(TextTooLongError, match="Row 2: there are 46 pieces in reference and candidate together"):
        metric(SOURCES, ["a", "a " * 39], [["b"], ["b b b b"]])
    with pytest.raises(ResourceNotFoundError, match="no weights at"):
        external.bleurt(tmp_path / "elsewhere")


def test_bleurt_in_pytorch_online_takes_the_hubs_weights(stand_in, monkeypatch):
    stand_in("bleurt_pytorch", BleurtTokenizer=Tokenizer, BleurtForSequenceClassification=Model)
    monkeypatch.delenv("NBHELPERS_OFFLINE")
    assert external.bleurt().name == "bleurt" and Tokenizer.source == "lucadiliello/BLEURT-20"


def test_bleurt_in_tensorflow(stand_in, tmp_path):
    class BleurtScorer:
        max_seq_length = 20
        tokenizer = types.SimpleNamespace(tokenize=str.split)

        def __init__(self, checkpoint=None):
            assert checkpoint == str(tmp_path)

        def score(self, *, references, candidates, batch_size=None):
            return [plain_bleurt(r, c) for r, c in zip(references, candidates)]

    (tmp_path / "bleurt_config.json").write_text("{}")
    stand_in("bleurt.score", BleurtScorer=BleurtScorer)
    metric = external.bleurt(tmp_path)
    expected = [plain_bleurt(s, c) for s, c in zip(SOURCES, CANDIDATES)]
    np.testing.assert_allclose(metric(SOURCES, CANDIDATES), expected)  # the source stands for the reference
    with pytest.raises(TextTooLongError, match="Row 1: there are 24 pieces .* BLEURT takes 20"):
        metric(["a"], ["a " * 20])


# ------------------------------------------------------------------------------------------------ QuestEval and LENS


@pytest.fixture
def questeval(stand_in, monkeypatch):
    """QuestEval with its spaCy model and its cached question models; the arguments are kept."""
    seen = {}

    class QuestEval:
        def __init__(self, task="text2text", no_cuda=False, use_cache=True):
            seen.update(task=task, use_cache=use_cache)

        def corpus_questeval(self, hypothesis, sources=None, list_references=None, batch_size=512):
            seen.update(hypothesis=hypothesis, sources=sources, list_references=list_references)
            return {"corpus_score": 0.5, "ex_level_scores": [0.25, 0.75][: len(hypothesis)]}

    stand_in("questeval.questeval_metric", QuestEval=QuestEval)
    stand_in("spacy", util=types.SimpleNamespace(is_package=lambda name: name == "en_core_web_sm"))
    monkeypatch.setattr("huggingface_hub.try_to_load_from_cache", lambda name, file: f"/cache/{name}/{file}")
    return seen


def test_questeval_compares_source_and_candidate(questeval):
    metric = external.questeval()
    np.testing.assert_allclose(metric(SOURCES, CANDIDATES, REFERENCES), [0.25, 0.75])
    assert questeval == {
        "task": "text2text",
        "use_cache": False,
        "hypothesis": CANDIDATES,
        "sources": SOURCES,
        "list_references": None,
    }
    assert metric.range == (0, 1) and metric.scale == 100 and not metric.needs_reference


def test_what_questeval_lacks_is_named(questeval, stand_in, monkeypatch):
    monkeypatch.setattr("huggingface_hub.try_to_load_from_cache", lambda name, file: None)
    with pytest.raises(ResourceNotFoundError, match="needs the model ThomasNLG/t5-qa_squad2neg-en, .* hf download"):
        external.questeval()
    stand_in("spacy", util=types.SimpleNamespace(is_package=lambda name: False))
    with pytest.raises(ResourceNotFoundError, match="python -m spacy download en_core_web_sm"):
        external.questeval()


def test_a_package_that_fails_or_answers_amiss_is_a_model_error(questeval, stand_in):
    metric = external.questeval()
    with pytest.raises(ModelError, match=r"QuestEval gave values of shape \(2,\) for 3 pairs"):
        metric(["a", "b", "c"], ["a", "b", "c"])

    def broken(**_):
        raise RuntimeError("weights are damaged\nand more")

    stand_in("questeval.questeval_metric", QuestEval=broken)
    with pytest.raises(ModelError, match="QuestEval cannot be loaded: weights are damaged$"):
        external.questeval()


def test_lens(stand_in, tmp_path, monkeypatch):
    calls = []

    class LENS:
        def __init__(self, path, rescale=False):
            calls.append((path, rescale))

        def score(self, complex, simplified, references, batch_size=16, devices=None):
            calls.append((complex, simplified, references, batch_size))
            return [78.5, 12.0]

    stand_in("lens", LENS=LENS, download_model=lambda name: f"/hub/{name}/model.ckpt")
    with pytest.raises(
        ResourceNotFoundError, match="needs the checkpoint davidheineman/lens, and the network is switc"
    ):
        external.lens()
    folder = tmp_path / "models" / "davidheineman" / "lens" / "checkpoints"
    folder.mkdir(parents=True)
    (folder / "epoch=5.ckpt").write_bytes(b"")
    monkeypatch.setenv("NBHELPERS_DATA", str(tmp_path))
    metric = external.lens(batch_size=8)
    np.testing.assert_allclose(metric(SOURCES, CANDIDATES, REFERENCES), [78.5, 12.0])
    assert calls == [(str(folder / "epoch=5.ckpt"), True), (SOURCES, CANDIDATES, REFERENCES, 8)]
    assert metric.range == (0, 100) and metric.scale == 1 and metric.needs_reference
    assert metric.signature == "lens|checkpoint:epoch=5.ckpt|rescaled:yes|lens-metric:unknown"
    monkeypatch.delenv("NBHELPERS_DATA")
    monkeypatch.delenv("NBHELPERS_OFFLINE")
    external.lens()
    assert calls[-1] == ("/hub/davidheineman/lens/model.ckpt", True)


def test_another_package_called_lens_is_not_taken_for_it(stand_in):
    stand_in("lens", Lens=object)
    with pytest.raises(ResourceNotFoundError, match="another is installed"):
        external.lens()
