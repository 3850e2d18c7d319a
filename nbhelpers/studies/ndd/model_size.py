"""Is it the model or the measure? How well a masked LM reads, and what NDD makes of it, model by model.

A model is judged by how well it predicts words of sentences that it has not seen, and by BLiMP (Warstadt et al. 2020,
"BLiMP: the benchmark of linguistic minimal pairs for English", TACL): whether the grammatical one of two sentences has
the higher pseudo-log-likelihood (Salazar et al. 2020, "Masked language model scoring", ACL). What NDD makes of the same
models stands in `nbhelpers.studies.ndd.edits`.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas

from nbhelpers.base import stats
from nbhelpers.base.errors import DataFormatError
from nbhelpers.base.files import open_text
from nbhelpers.language.mlm import MaskedLM
from nbhelpers.metrics.ndd import split_words
from nbhelpers.resources import challenge, data
from nbhelpers.resources.base_model import ENCODER
from nbhelpers.resources.models import load_encoder, torch_dtype
from nbhelpers.results import estimates, evidence
from nbhelpers.studies.ndd.together import surprisal_question

if TYPE_CHECKING:
    from IPython.display import Markdown


def with_random_weights(lm: MaskedLM, seed: int = 0) -> MaskedLM:
    """An engine of the same kind whose model has never been trained: the baseline of every model."""
    import torch

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = type(lm.loaded.model)(lm.loaded.model.config).to(lm.loaded.device).eval()
    loaded = dataclasses.replace(lm.loaded, name="random weights", model=model, revision=f"seed{seed}")
    return MaskedLM(loaded, mask=lm.mask)


ENCODERS = {"MiniLM encoder": "all-MiniLM-L6-v2", "MPNet encoder": ENCODER}
"""Sentence encoders by a short name: what ``embedded`` and ``base`` were made from."""


def encoder_as_masked_lm(name: str, dtype: str = "float32") -> MaskedLM:
    """A sentence encoder read as a masked LM that was never trained to predict words.

    The head multiplies with the identity (its activation stays), normalises to half the usual scale and compares with
    the word vectors: a position "expects" the words whose vectors are nearest to its own. So it has what the encoder
    knows of the sentence, and no language model.

    Parameters
    ----------
    name : str
        A key of `ENCODERS`, or an encoder for `nbhelpers.resources.models.load_encoder`, of the kinds BERT or MPNet.
    dtype : {"float32", "bfloat16"}

    Raises
    ------
    ResourceNotFoundError
        The encoder is not installed; ``make base`` fetches MPNet's.
    """
    import torch
    from transformers import AutoModelForMaskedLM

    loaded = load_encoder(ENCODERS.get(name, name), dtype=dtype).loaded
    model = AutoModelForMaskedLM.from_config(loaded.model.config).to(loaded.device, torch_dtype(dtype)).eval()
    model.base_model.load_state_dict(loaded.model.state_dict(), strict=False)  # all but its pooler
    model.tie_weights()
    head = model.lm_head if hasattr(model, "lm_head") else model.cls.predictions.transform
    with torch.no_grad():
        torch.nn.init.eye_(head.dense.weight)
        torch.nn.init.zeros_(head.dense.bias)
        (head.layer_norm if hasattr(head, "layer_norm") else head.LayerNorm).weight.fill_(0.5)
    return MaskedLM(dataclasses.replace(loaded, name=name, model=model))


@functools.lru_cache(maxsize=8)
def engine(name: str = "embedded", dtype: str = "float32", seed: int = 0) -> MaskedLM:
    """A masked LM by name, an encoder read as one (`ENCODERS`), or ``random weights`` (of the small model's shape)."""
    if name == "random weights":
        return with_random_weights(MaskedLM(dtype=dtype), seed)
    return encoder_as_masked_lm(name, dtype) if name in ENCODERS else MaskedLM(name, dtype=dtype)


def word_probabilities(lm: MaskedLM, texts: Sequence[Sequence[str]]) -> list[list[tuple[float, bool]]]:
    """For each word of each text its log-probability in nats, and whether the model expected it before all others.

    All pieces of the word are masked together, one mask for each; the log-probabilities of pieces are added.
    """
    encoded = [lm.encode(words) for words in texts]
    questions = [surprisal_question(lm, one, place) for one in encoded for place in range(len(one.words))]
    if len(questions) <= lm.cache_words:
        lm.log_probabilities([one.request for one in questions])  # remembered, for an NDD of the same texts
    answers = ((math.fsum(one.log_probabilities), all(one.likeliest)) for one in lm.answer(questions))
    return [list(itertools.islice(answers, len(words))) for words in texts]


def run(lm: MaskedLM, texts: Sequence[Sequence[str]], blimp: Sequence[tuple[str, str, str]] = ()) -> pandas.DataFrame:
    """Items: for each text its words, what they cost in nats, and how many the model expected before all others.

    For each pair of BLiMP `hit` is 1 where the grammatical sentence has the higher pseudo-log-likelihood.
    """
    read = [np.array(words, dtype=float) for words in word_probabilities(lm, texts)]
    rows = [
        {"set": "sentences", "item": place, "words": len(one), "nats": -one[:, 0].sum(), "hit": one[:, 1].sum()}
        for place, one in enumerate(read)
    ]
    hits = acceptability(lm, blimp) if blimp else []
    rows += [{"set": "blimp", "item": place, "words": 1, "nats": 0.0, "hit": hit} for place, hit in enumerate(hits)]
    return pandas.DataFrame(rows).assign(model=lm.loaded.name)


def record(
    model: str = "embedded", blimp: int = 12, dtype: str = "bfloat16", seed: int = 0
) -> tuple[pandas.DataFrame, evidence.Run]:
    """One model on the unedited sentences of the minimal pairs and on so many pairs of each phenomenon of BLiMP."""
    own, lm = challenge.read("minimal-pairs"), engine(model, dtype)
    items = run(lm, [split_words(pair.source) for pair in own.pairs], read_blimp(each=blimp, seed=seed))
    located = own.located.identity, data.find("blimp", allow_shipped=False).identity
    return items.drop(columns="model"), evidence.Run(
        model=model, identity=lm.loaded.identity, data="; ".join(located), signature=lm.signature
    )


@estimates.tabled
def summary(items: pandas.DataFrame, *, resamples: int = 2000) -> estimates.Rows:
    """Cross-entropy in nats per word, the share of words expected before all others, and BLiMP, by model (row)."""
    for model, own in items.groupby("model", sort=False):
        for name, part in own.groupby("set", sort=False):
            for column, of, factor in READING[name]:
                totals = np.column_stack([factor * part[of], part["words"]])[:, None]
                value = stats.shares(totals, resamples=resamples).estimate()
                yield {"row": model, "column": column, "value": value}


READING = {
    "sentences": (("nats per word", "nats", 1), ("words expected first, %", "hit", 100)),
    "blimp": (("BLiMP, %", "hit", 100),),
}
"""What is made of each set: the name of the number, its column, and a factor."""

TABLES = {"reading": summary}
"""What is made of the evidence ``ndd-reading``."""

BERT_BLIMP = 83.1
"""BLiMP of BERT-base (cased), in per cent of all 67,000 pairs, with all pieces of a word masked together, as here.

From Kauf and Ivanova 2023, "A better way to do masked language model scoring", ACL: *PLL-whole-word* in the results
that they released. With one piece masked at a time, as by Salazar et al. 2020, it is 84.2.
"""


def beside_bert(items: pandas.DataFrame, models: Sequence[str] = ("base", "embedded")) -> Markdown:
    """How well models read, by BLiMP, beside the published number of BERT-base: one line for a notebook.

    Examples
    --------
    >>> beside_bert(evidence.load("ndd-reading"), ["base"]).data[-48:]
    'n = 804; BERT-base, published, 83.1, n = 67,000.'
    """
    from IPython.display import Markdown

    found = summary(items[items["set"] == "blimp"])
    each = [f"{model} {estimates.text(estimates.estimate(found, model, 'BLiMP, %'))}" for model in models]
    how = "**How well it reads.** Of two sentences it prefers the grammatical one (BLiMP; guessing gets 50 %): "
    return Markdown(f"{how}{'; '.join(each)}; BERT-base, published, {BERT_BLIMP}, n = 67,000.")


def read_blimp(path: str | Path | None = None, each: int = 0, seed: int = 0) -> list[tuple[str, str, str]]:
    """Pairs of BLiMP: the phenomenon, the grammatical and the ungrammatical sentence.

    Parameters
    ----------
    path : path, optional
        A file with one JSON object a line; by default where `nbhelpers.resources.data.find` has it.
    each : int
        So many of each phenomenon, drawn at random; 0: all.
    seed : int

    Raises
    ------
    ResourceNotFoundError
        It is not on this machine; the message says how to get it.
    DataFormatError
        With file and line, for a line that is no such pair.
    """
    located = data.find("blimp", path, allow_shipped=False)
    found: dict[str, list[tuple[str, str, str]]] = {}
    with open_text(located.path) as lines:
        for line in lines:
            try:
                one = json.loads(line)
                good, bad, name = one["sentence_good"], one["sentence_bad"], one["UID"]
            except (ValueError, TypeError, KeyError) as error:
                raise DataFormatError(located.path, lines.line, f"is no pair of BLiMP ({error!r})") from None
            found.setdefault(name, []).append((name, good, bad))
    generator = np.random.default_rng(seed)
    drawn = ((pairs, generator.permutation(len(pairs))[: each or None]) for pairs in found.values())
    return [pairs[place] for pairs, places in drawn for place in sorted(places)]


def acceptability(lm: MaskedLM, pairs: Sequence[tuple[str, str, str]]) -> list[float]:
    """1 for each pair whose grammatical sentence has the higher pseudo-log-likelihood, 0 where not, 0.5 for a tie."""
    texts = list(dict.fromkeys(text for _, *both in pairs for text in both))
    sums = [math.fsum(value for value, _ in words) for words in word_probabilities(lm, list(map(split_words, texts)))]
    likelihood = dict(zip(texts, sums))
    return [(1 + np.sign(likelihood[good] - likelihood[bad])) / 2 for _, good, bad in pairs]
