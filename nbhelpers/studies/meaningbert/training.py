"""Fine-tuning of MeaningBERT: a low-rank adapter and a regression head on an encoder (section 3.4 of the study).

As in the study: mean squared error on the ratings, batches of 16, a learning rate that falls linearly. Otherwise than
there, the encoder's own weights stay as they are and low-rank matrices are learned beside them (LoRA), which keeps a
trained model at a few megabytes; and a number of lower layers stay untouched, so that what they give for a pair is
computed once and not in every epoch.
"""

from __future__ import annotations

import contextlib
import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbhelpers.base.errors import InputError, ModelError
from nbhelpers.metrics import meaning_model
from nbhelpers.metrics.meaning_model import MeaningModel
from nbhelpers.resources.csmd import RatedPair
from nbhelpers.resources.models import DEFAULT_ENCODER, LoadedModel, batches_of_equal_length, load_encoder

PairStates = tuple[Any, Any]
"""Hidden states (length, width) of a pair's tokens, and for each token the number of its sentence (-1: neither)."""


@dataclass(frozen=True)
class TrainingSettings:
    """How MeaningBERT is trained.

    Attributes
    ----------
    encoder : str
        A name for `nbhelpers.resources.models.load_encoder`. The study's is ``bert-base-uncased``.
    epochs : int
        The study has 250 and trains all weights.
    batch_size : int
    learning_rate, head_learning_rate : float
        Of the adapter and of the head; both rise over the first 6 % of the steps and then fall linearly to 0.
    weight_decay : float
    dropout : float
        Of the head, in [0, 1); the encoder keeps its own.
    rank : int
        Of the low-rank matrices, which are put beside every linear layer.
    frozen_layers : int
        So many of the lowest layers get no adapter.
    patience : int
        Training ends when the development loss has not fallen for so many epochs; the best epoch's weights are kept.
    longest : int
        Pieces that a pair may have; longer ones are an error.
    dtype : {"float32", "bfloat16"}
        Precision of the encoder's matrix products in training.
    """

    encoder: str = DEFAULT_ENCODER
    epochs: int = 4
    batch_size: int = 16
    learning_rate: float = 1e-3
    head_learning_rate: float = 1e-3
    weight_decay: float = 0.01
    dropout: float = 0.1
    rank: int = 16
    frozen_layers: int = 3
    patience: int = 2
    longest: int = 256
    dtype: str = "float32"

    @property
    def signature(self) -> str:
        """The settings in one line."""
        return "|".join(f"{name}:{value}" for name, value in asdict(self).items())


@dataclass(frozen=True)
class Epoch:
    """Mean squared error (of ratings divided by 100) after an epoch; epochs count from 1."""

    number: int
    training_loss: float
    development_loss: float


# ------------------------------------------------------------------------------ some layers only


@dataclass
class LowerLayers:
    """The layers of an encoder that a training leaves as they are, with a memory for all trainings of this process.

    Attributes
    ----------
    base : LoadedModel
    settings : TrainingSettings
        How many layers (with 0, only the embeddings are remembered), their precision, and the longest pair.
    """

    base: LoadedModel
    settings: TrainingSettings
    known: dict[tuple[str, str], PairStates] = field(default_factory=dict, repr=False)

    def of(self, pairs: Sequence[RatedPair]) -> list[PairStates]:
        """States of pairs; a pair that is too long is a RowTooLongError."""
        import torch

        texts_of_pairs = [(pair.source, pair.candidate) for pair in pairs]
        new = [texts for texts in dict.fromkeys(texts_of_pairs) if texts not in self.known]
        texts = [source for source, _ in new], [candidate for _, candidate in new]
        encoded = meaning_model.encode_pairs(self.base.tokenizer, *texts, self.settings.longest)
        model, settings = self.base.model.eval(), self.settings
        lowest = some_layers(model, 0, settings.frozen_layers)
        with torch.inference_mode(), lowest, precision(self.base.device, settings.dtype):
            for chosen in batches_of_equal_length([pair.ids for pair in encoded], 4096):
                batch = meaning_model.as_tensors([encoded[place] for place in chosen], self.base.device)
                output = model(**meaning_model.model_inputs(self.base.tokenizer, batch))
                hidden = output.last_hidden_state.to(getattr(torch, settings.dtype))
                for row, place in enumerate(chosen):
                    self.known[new[place]] = hidden[row].clone(), batch["sentence"][row].clone()
        return [self.known[texts] for texts in texts_of_pairs]


def _layers_of(model):
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

    layers, embeddings = _layers_of(model), model.embeddings
    model.encoder.layer = layers[first:last]
    if given:
        model.embeddings = Given()
    try:
        yield
    finally:
        model.encoder.layer, model.embeddings = layers, embeddings


def _upper_states(model, states: Sequence[PairStates]):
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


def lower_layers(settings: TrainingSettings) -> LowerLayers:
    """The untouched layers of the settings' encoder, to be shared by several trainings.

    Examples
    --------
    >>> lower_layers(TrainingSettings(frozen_layers=3)).known  # doctest: +SKIP
    {}
    """
    base = load_encoder(settings.encoder).loaded
    count = len(_layers_of(base.model))
    if settings.frozen_layers >= count:
        raise InputError(f"{settings.encoder} has {count} layers; at least one of them must learn.")
    return LowerLayers(base, settings)


# --------------------------------------------------------------------------------------- training


def train(
    training: Sequence[RatedPair],
    development: Sequence[RatedPair],
    settings: TrainingSettings = TrainingSettings(),
    *,
    seed: int = 42,
    lower: LowerLayers | None = None,
    report: Callable[[Epoch], None] | None = None,
) -> tuple[MeaningModel, tuple[Epoch, ...]]:
    """Train on one part and stop by another.

    Parameters
    ----------
    training, development : sequence of RatedPair
        Ratings from 0 to 100.
    settings : TrainingSettings
    seed : int
        Of the first weights, the dropout and the order of the pairs.
    lower : LowerLayers, optional
        From `lower_layers`; its encoder carries the adapter until `release`.
    report : callable, optional
        Told of every epoch.

    Returns
    -------
    MeaningModel, tuple of Epoch
        The model of the epoch with the lowest development loss, not calibrated, and the course of the training.

    Raises
    ------
    InputError
        For an empty part, or no epochs.
    ModelError
        If a loss is no finite number: the training has diverged.

    Examples
    --------
    >>> from nbhelpers.resources.csmd import read_meaning_pairs
    >>> pairs = read_meaning_pairs()
    >>> model, epochs = train(pairs[:200], pairs[200:], TrainingSettings(epochs=1))  # doctest: +SKIP
    """
    import torch

    if not training or not development or settings.epochs < 1:
        raise InputError("A training needs a pair in each part and one epoch, or more.")
    lower = lower or lower_layers(settings)
    base, device = lower.base, lower.base.device
    inputs = lower.of(training)
    lower.of(development)  # remembered before the encoder has an adapter
    ratings = torch.tensor([pair.rating / 100 for pair in training], dtype=torch.float32, device=device)
    wanted = np.array([pair.rating for pair in development])
    torch.manual_seed(seed)
    order = random.Random(seed)
    adapted = with_adapter(base.model, settings)
    head = meaning_model.make_head(base.model.config.hidden_size, settings.dropout).to(device)
    torch.nn.init.zeros_(head[-1].weight)
    torch.nn.init.constant_(head[-1].bias, float(ratings.mean()))  # starts as the mean rating
    learned = [weight for weight in adapted.parameters() if weight.requires_grad]
    optimizer = torch.optim.AdamW(
        [
            {"params": learned, "lr": settings.learning_rate},
            {"params": list(head.parameters()), "lr": settings.head_learning_rate},
        ],
        weight_decay=settings.weight_decay,
    )
    steps = settings.epochs * math.ceil(len(training) / settings.batch_size)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / max(1, 0.06 * steps), 1.0) * max(0.0, (steps - step) / steps)
    )
    weights = [*learned, *head.parameters()]
    history: list[Epoch] = []
    best: list[Any] = []
    model = MeaningModel(
        LoadedModel(base.name, adapted, base.tokenizer, base.revision, device, base.dtype), head, settings.longest
    )
    try:
        while len(history) < settings.epochs and not _worn_out(history, settings.patience):
            adapted.train()
            head.train()
            total = 0.0
            with some_layers(base.model, settings.frozen_layers, None, given=True):
                for batch in _batches([len(own) for own, _ in inputs], settings.batch_size, order):
                    with precision(device, settings.dtype):
                        hidden, sentence = _upper_states(base.model, [inputs[place] for place in batch])
                    given = head(meaning_model.pool(hidden.float(), sentence))[:, 0]
                    loss = torch.nn.functional.mse_loss(given, ratings[batch])
                    optimizer.zero_grad()
                    loss.backward()
                    torch.nn.utils.clip_grad_norm_(weights, 1.0)
                    optimizer.step()
                    schedule.step()
                    total += float(loss.detach()) * len(batch)
            error = float(np.mean((predict(model, lower, development) / 100 - wanted / 100) ** 2))
            epoch = Epoch(len(history) + 1, total / len(training), error)
            if not math.isfinite(epoch.training_loss + epoch.development_loss):
                raise ModelError(f"The training diverged in epoch {epoch.number}: its loss is not finite.")
            if error < min((known.development_loss for known in history), default=math.inf):
                best = [weight.detach().clone() for weight in weights]
            history.append(epoch)
            if report is not None:
                report(epoch)
        with torch.no_grad():
            for weight, kept in zip(weights, best, strict=True):
                weight.copy_(kept)
    except BaseException:
        release(model)
        raise
    adapted.eval()
    head.eval()
    return model, tuple(history)


def predict(model: MeaningModel, lower: LowerLayers, pairs: Sequence[RatedPair]) -> NDArray[np.float64]:
    """`MeaningModel.raw` of a model fresh from `train`, by way of the remembered lower layers; shape (n,).

    Examples
    --------
    >>> from nbhelpers.resources.csmd import read_meaning_pairs
    >>> settings, pairs = TrainingSettings(epochs=1), read_meaning_pairs()
    >>> lower = lower_layers(settings)  # doctest: +SKIP
    >>> model, _ = train(pairs[:200], pairs[200:], settings, lower=lower)  # doctest: +SKIP
    >>> predict(model, lower, pairs[200:]).shape  # doctest: +SKIP
    (50,)
    """
    import torch

    base, states, settings = model.loaded.model.get_base_model(), lower.of(pairs), lower.settings
    model.loaded.model.eval()
    model.head.eval()
    result = np.zeros(len(states))
    with torch.inference_mode(), some_layers(base, settings.frozen_layers, None, given=True):
        for batch in _batches([len(own) for own, _ in states], 32, None):
            with precision(model.loaded.device, settings.dtype):
                hidden, sentence = _upper_states(base, [states[place] for place in batch])
            result[batch] = 100 * model.head(meaning_model.pool(hidden.float(), sentence))[:, 0].cpu().numpy()
    return result


def release(model: MeaningModel) -> None:
    """Take the adapter off the encoder, so that another training can use the encoder.

    Examples
    --------
    >>> release(model)  # doctest: +SKIP
    """
    model.loaded.model.unload()


def _batches(lengths: Sequence[int], size: int, order: random.Random | None) -> Iterator[list[int]]:
    """Positions in batches of similar length: in random order, or, without `order`, all by length."""
    places = list(range(len(lengths)))
    if order is None:
        places.sort(key=lambda place: lengths[place])
        yield from (places[start : start + size] for start in range(0, len(places), size))
        return
    order.shuffle(places)
    batches = []
    for start in range(0, len(places), 16 * size):
        group = sorted(places[start : start + 16 * size], key=lambda place: lengths[place])
        batches += [group[first : first + size] for first in range(0, len(group), size)]
    order.shuffle(batches)
    yield from batches


def with_adapter(model, settings: TrainingSettings):
    """An encoder with low-rank matrices beside every linear layer but those of the frozen layers."""
    from peft import LoraConfig, get_peft_model
    from torch import nn

    linear = {
        name.rpartition(".")[2]
        for name, module in model.named_modules()
        if ".layer." in name and isinstance(module, nn.Linear)
    }
    config = LoraConfig(
        r=settings.rank,
        lora_alpha=2 * settings.rank,
        target_modules=sorted(linear),
        layers_to_transform=list(range(settings.frozen_layers, len(_layers_of(model)))),
        layers_pattern="layer",
    )
    with meaning_model.without_library_notices():
        return get_peft_model(model, config)


def _worn_out(history: Sequence[Epoch], patience: int) -> bool:
    losses = [epoch.development_loss for epoch in history]
    return bool(losses) and len(losses) - 1 - losses.index(min(losses)) >= patience
