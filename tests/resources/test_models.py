"""Loading models: the search order, and checkpoints that are refused."""

import os
import shutil
import socket
import threading
import time

import numpy as np
import pytest
import torch
from refused import refused

from nbhelpers.base.errors import InputError, ModelError, ResourceNotFoundError
from nbhelpers.resources.models import (
    load_classifier,
    load_encoder,
    load_masked_lm,
    lowest_layers,
    map_batches,
    torch_dtype,
)


@pytest.mark.parametrize(
    ("name", "options", "error", "message"),
    [
        ("encoder_without_head", {}, ModelError, "no trained masked-LM head.*newly initialised"),
        ("all-MiniLM-L6-v2", {}, ModelError, "no trained masked-LM head"),
        ("bert", {"device": "gpu"}, InputError, "The device 'gpu' cannot be used here"),
        ("bert", {"dtype": "float16"}, InputError, "dtype is 'float32' or 'bfloat16', not 'float16'"),
        ("", {}, InputError, "non-empty string"),
    ],
)
def test_what_cannot_be_loaded_is_refused(tiny_model, name, options, error, message):
    known = name in ("bert", "encoder_without_head")
    with pytest.raises(error, match=message):
        load_masked_lm(str(tiny_model(name)) if known else name, **options)


@pytest.mark.parametrize("load", [load_masked_lm, load_encoder, load_classifier])
def test_offline_no_request_is_sent(load, tiny_model, monkeypatch):
    from huggingface_hub import constants

    asked = []

    def refuse(*address, **_):
        asked.append(address)
        raise OSError("no network in this test")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)  # as where only NBHELPERS_OFFLINE is set
    monkeypatch.setenv("NBHELPERS_OFFLINE", "1")
    with pytest.raises(ResourceNotFoundError, match="'nobody/no-such-model' was not found.*NBHELPERS_OFFLINE"):
        load("nobody/no-such-model")
    if load is load_masked_lm:
        monkeypatch.delenv("NBHELPERS_OFFLINE")
        load(str(tiny_model("bert")))  # nor for a folder on this machine
    assert asked == [] and not constants.HF_HUB_OFFLINE


def test_models_are_found_under_nbhelpers_data(tiny_model, tmp_path, monkeypatch):
    shutil.copytree(tiny_model("bert"), tmp_path / "models" / "someone" / "tiny")
    (tmp_path / "other").mkdir()
    monkeypatch.setenv("NBHELPERS_DATA", os.pathsep.join([str(tmp_path / "other"), str(tmp_path)]))
    loaded = load_masked_lm("someone/tiny")
    assert loaded.identity == f"someone/tiny@{load_masked_lm(str(tiny_model('bert'))).revision}"
    assert loaded.revision != load_masked_lm(str(tiny_model("bert-cased"))).revision


@pytest.mark.parametrize("fault", ["cut off", "pickle", "another shape"])
def test_weights_that_cannot_be_used(tiny_model, tmp_path, fault):
    folder = tmp_path / "m"
    shutil.copytree(tiny_model("bert"), folder)
    weights = folder / "model.safetensors"
    if fault == "cut off":
        weights.write_bytes(weights.read_bytes()[:2000])
    elif fault == "pickle":  # is never opened
        weights.unlink()
        (folder / "pytorch_model.bin").write_bytes(b"a pickle")
    else:
        config = (folder / "config.json").read_text()
        (folder / "config.json").write_text(config.replace('"intermediate_size": 48', '"intermediate_size": 49'))
    with pytest.raises(ModelError, match=None if fault == "another shape" else "cannot be read"):
        load_masked_lm(str(folder))


@pytest.fixture(scope="module")
def encoder():
    return load_encoder()


def test_the_default_encoder_orders_sentences_by_meaning_in_whatever_batches(encoder):
    sentences = ["A man is eating food.", "A man eats something.", "The stock market fell."]
    vectors = encoder.encode(sentences)
    assert vectors.shape == (3, 384) and np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)
    assert vectors[0] @ vectors[1] > 0.6 > 0.3 > vectors[0] @ vectors[2]
    assert encoder.encode(sentences, batch_tokens=1) == pytest.approx(vectors, abs=1e-5)


test_sentences_are_checked = refused(
    (lambda encoder: encoder.encode("one sentence"), "list of sentences"),
    (lambda encoder: encoder.encode(["fine", " "]), "Sentence 1 is empty"),
    (lambda encoder: encoder.encode(["word " * 600]), "pieces"),
    given="encoder",
)


def test_long_sentences_are_cut_when_asked_for_and_no_sentence_has_no_vector(encoder):
    assert encoder.encode(["word " * 600], truncate=True).shape == (1, 384)
    assert encoder.encode([]).shape == (0, 384)


def test_batches_run_at_a_time_in_their_order_and_each_with_its_share_of_the_threads(three_threads):
    together = threading.Barrier(3, timeout=30)  # breaks unless three batches are under way at once

    def work(batch):
        if len(batch) == 2:
            together.wait()
        return sum(batch), torch.get_num_threads(), torch.is_inference_mode_enabled()

    assert map_batches(work, [[1, 2], [3, 4], [5, 6]], "cpu") == [(3, 1, True), (7, 1, True), (11, 1, True)]
    assert map_batches(work, [[1], [2], [3], [4]], "cpu") == [(total, 1, True) for total in (1, 2, 3, 4)]
    assert map_batches(work, [[7]], "cpu") == [(7, 3, True)]  # nobody to share with
    assert map_batches(work, [[1], [2]], "cuda") == [(1, 3, True), (2, 3, True)]  # a GPU takes one at a time
    assert map_batches(work, [], "cpu") == []
    assert torch.get_num_threads() == 3 and not torch.is_inference_mode_enabled()


def test_an_error_in_a_batch_is_raised_and_the_threads_are_as_before(three_threads):
    started = []

    def work(batch):
        started.append(batch)
        if batch == [0]:
            raise ModelError(f"no result for {batch}")
        time.sleep(0.02)

    with pytest.raises(ModelError, match=r"no result for \[0\]"):
        map_batches(work, [[i] for i in range(200)], "cpu")
    assert torch.get_num_threads() == 3 and len(started) < 200  # the rest is not begun
    assert map_batches(len, [[1], [2, 3]], "cpu") == [1, 2]  # and the next call shares out again


def test_a_second_caller_does_not_share_out_the_threads_again(three_threads):
    torch.set_num_threads(4)

    def outer(batch):
        return map_batches(lambda inner: torch.get_num_threads(), [[1], [2]], "cpu")

    assert map_batches(outer, [[1], [2]], "cpu") == [[2, 2], [2, 2]]  # two workers of two threads each, and no more


def test_the_lowest_layers_give_what_the_whole_model_has_there(encoder, tiny_model):
    ids = torch.tensor([[1, 2, 3, 4]])
    for model in (encoder.loaded.model, load_encoder(str(tiny_model("roberta"))).loaded.model):
        with torch.inference_mode():
            states = model(input_ids=ids, output_hidden_states=True).hidden_states
            for count, state in list(enumerate(states))[1:]:
                torch.testing.assert_close(lowest_layers(model, count)(input_ids=ids).last_hidden_state, state)
            again = model(input_ids=ids, output_hidden_states=True)  # which is still whole
        assert len(again.hidden_states) == len(states)
        torch.testing.assert_close(again.last_hidden_state, states[-1])
        assert lowest_layers(model, 0) is None
    assert lowest_layers(load_encoder(str(tiny_model("albert"))).loaded.model, 1) is None


@pytest.mark.parametrize(("capability", "warned"), [("AVX2", True), ("AVX512", False), ("DEFAULT", False)])
def test_bfloat16_on_a_processor_without_it_is_said_to_be_slow(monkeypatch, caplog, capability, warned):
    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: capability)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert torch_dtype("bfloat16") is torch.bfloat16 and torch_dtype("float32") is torch.float32
    assert [record.levelname for record in caplog.records] == ["WARNING"] * warned
