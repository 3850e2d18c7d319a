"""Run only some layers of a BERT-like encoder, and remember what the lowest ones give for a pair."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from nbhelpers.base.errors import ModelError
from nbhelpers.metrics.meaning_model import as_tensors, encode_pairs, model_inputs
from nbhelpers.resources.models import LoadedModel, batches_of_equal_length

PairStates = tuple[Any, Any]
"""Hidden states (length, width) of a pair's tokens, and for each token the number of its sentence (-1: neither)."""


@dataclass
class LowerLayers:
    """The layers of an encoder that a training leaves as they are, with a memory for all trainings of this process.

    Attributes
    ----------
    base : LoadedModel
    count : int
        How many of the lowest layers; with 0, only the embeddings are remembered.
    dtype : {"float32", "bfloat16"}
        Precision of the matrix products, and of what is remembered.
    longest : int
        Pieces that a pair may have.
    """

    base: LoadedModel
    count: int
    dtype: str
    longest: int
    known: dict[tuple[str, str], PairStates] = field(default_factory=dict, repr=False)

    def of(self, pairs: Sequence[tuple[str, str]]) -> list[PairStates]:
        """States of pairs (source, candidate); a pair that is too long is a TextTooLongError."""
        import torch

        new = [pair for pair in dict.fromkeys(pairs) if pair not in self.known]
        encoded = encode_pairs(self.base.tokenizer, [p[0] for p in new], [p[1] for p in new], self.longest)
        model = self.base.model.eval()
        with torch.inference_mode(), some_layers(model, 0, self.count), precision(self.base.device, self.dtype):
            for chosen in batches_of_equal_length([pair.ids for pair in encoded], 4096):
                batch = as_tensors([encoded[place] for place in chosen], self.base.device)
                output = model(**model_inputs(self.base.tokenizer, batch))
                hidden = output.last_hidden_state.to(getattr(torch, self.dtype))
                for row, place in enumerate(chosen):
                    self.known[new[place]] = hidden[row].clone(), batch["sentence"][row].clone()
        return [self.known[pair] for pair in pairs]


def layers_of(model):
    """The list of layers of a model that is built as BERT is; another one is a ModelError."""
    layers = getattr(getattr(model, "encoder", None), "layer", None)
    if layers is None or not hasattr(model, "embeddings"):
        raise ModelError(f"{type(model).__name__} is not built as BERT is (embeddings, then encoder.layer).")
    return layers


@contextlib.contextmanager
def some_layers(model, first: int, last: int | None, *, given: bool = False) -> Iterator[None]:
    """Let `model` run the layers `first` to `last` - 1 only; with `given`, on ``inputs_embeds`` as they are."""
    import torch

    class Given(torch.nn.Module):
        def forward(self, inputs_embeds=None, **_):
            return inputs_embeds

    layers, embeddings = layers_of(model), model.embeddings
    model.encoder.layer = layers[first:last]
    if given:
        model.embeddings = Given()
    try:
        yield
    finally:
        model.encoder.layer, model.embeddings = layers, embeddings


def upper_states(model, states: Sequence[PairStates]):
    """Hidden states (n, length, width) that `model`, under `some_layers` with `given`, makes of a batch of states.

    Returns
    -------
    torch.Tensor, torch.Tensor
        The states, and for each token the number of its sentence.
    """
    import torch

    hidden = torch.nn.utils.rnn.pad_sequence([own for own, _ in states], batch_first=True)
    sentence = torch.nn.utils.rnn.pad_sequence([of for _, of in states], batch_first=True, padding_value=-1)
    lengths = torch.tensor([len(own) for own, _ in states], device=hidden.device)
    mask = (torch.arange(hidden.shape[1], device=hidden.device)[None] < lengths[:, None]).long()
    return model(inputs_embeds=hidden, attention_mask=mask).last_hidden_state, sentence


def precision(device: str, dtype: str):
    """A context in which matrix products run in `dtype`."""
    import torch

    if dtype == "float32":
        return contextlib.nullcontext()
    return torch.autocast(device.split(":")[0], dtype=getattr(torch, dtype))
