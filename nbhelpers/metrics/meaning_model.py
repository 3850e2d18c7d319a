"""MeaningBERT's model: an encoder reads two sentences at once, and a small head rates how much meaning is kept.

Four adapters ship. ``embedded`` (``data/models/meaning-en``) is the study's recipe: simplifications and their ratings
alone. ``same-meaning`` has also seen changes of meaning, such as negations, exchanged roles and other numbers.
``same-meaning-unrestricted`` has learned from data alone that may be used for anything. All three sit on the encoder
that comes with the project. ``same-meaning-base`` has the recipe of ``same-meaning`` on a larger encoder, which
``make base`` fetches. A model is named by one of these, by the path of a folder that `MeaningModel.save` wrote, or by a
Hugging Face id or path of a sequence classifier with one output, such as the study's own ``davebulaval/MeaningBERT``.
"""

from __future__ import annotations

import contextlib
import functools
import json
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

import nbhelpers
from nbhelpers.base.errors import ModelError, ResourceNotFoundError, RowError, RowTooLongError
from nbhelpers.base.paths import data_dir
from nbhelpers.metrics.changes import Damaged
from nbhelpers.metrics.metric import Compute, Metric, check_pairs, register
from nbhelpers.resources import base_model
from nbhelpers.resources.models import (
    DEFAULT_ENCODER,
    EMBEDDED,
    LoadedModel,
    batches_of_equal_length,
    cached_encoder,
    file_revision,
    load_classifier,
    load_encoder,
    longest_input,
    map_batches,
    torch_dtype,
)

SETTINGS_FILE, HEAD_FILE, WORDS_FILE = "meaning.json", "head.safetensors", "words.safetensors"

_PAIRS_AT_ONCE = 2_048
"""Pairs whose pieces and vectors are in memory together: enough to fill batches of one length."""

SAME_MEANING, SAME_MEANING_BASE, UNRESTRICTED = "same-meaning", "same-meaning-base", "same-meaning-unrestricted"
_SHIPPED = {EMBEDDED: "meaning-en", SAME_MEANING: "same-meaning-en", SAME_MEANING_BASE: "same-meaning-base-en"}
_SHIPPED |= {UNRESTRICTED: "same-meaning-unrestricted-en"}


@dataclass(frozen=True)
class Calibration:
    """An affine correction, rating = slope * raw + intercept, fitted on a development set.

    What then lies outside 0 to 100 is cut, or with `soft` pressed together: above 95 and below 5 the ratings approach
    the ends of the scale without reaching them, so that no two different ratings become equal.
    """

    slope: float = 1.0
    intercept: float = 0.0
    soft: bool = False

    def __call__(self, raw: ArrayLike) -> NDArray[np.float64]:
        """Corrected ratings from 0 to 100."""
        rating = self.slope * np.asarray(raw, dtype=np.float64) + self.intercept
        if self.soft:
            above, below = 100 - 5 * np.exp(-np.maximum(rating - 95, 0) / 5), 5 * np.exp(np.minimum(rating - 5, 0) / 5)
            return np.where(rating > 95, above, np.where(rating < 5, below, rating))
        return np.clip(rating, 0.0, 100.0)


@dataclass(frozen=True)
class PairInput:
    """Two sentences as the model sees them: token ids, their types, and 0 or 1 for the sentence (-1: neither)."""

    ids: tuple[int, ...]
    types: tuple[int, ...]
    sentence: tuple[int, ...]


@dataclass(frozen=True)
class MeaningModel:
    """A trained rater of sentence pairs.

    Attributes
    ----------
    loaded : LoadedModel
        Encoder, or sequence classifier where `head` is None.
    head : torch.nn.Module or None
        Maps the vector of a pair (see `pool`) to a rating divided by 100.
    longest : int
        Pieces, special ones included, that a pair may have.
    calibration : Calibration or None
    symmetric : bool
        Whether a rating is the mean over both orders of the two texts, which takes twice the time.
    cosine : float
        Share of the cosine of the two texts' own vectors, by the untouched small encoder, that is added to a rating.
    words : torch.nn.Module or None
        Maps the state of a token to the logarithm of the odds that it is damaged.
    """

    loaded: LoadedModel
    head: Any = field(repr=False)
    longest: int
    calibration: Calibration | None = None
    symmetric: bool = False
    cosine: float = 0.0
    words: Any = field(default=None, repr=False)

    @property
    def signature(self) -> str:
        """One line that says which model it is and whether its ratings are calibrated."""
        calibrated = "no" if self.calibration is None else "yes"
        orders = "|orders:both" if self.symmetric else ""
        added = f"|cosine:{self.cosine}" if self.cosine else ""
        return f"model:{self.loaded.identity}|calibrated:{calibrated}{orders}{added}{self.loaded.dtype_mark}"

    def raw(self, sources: Sequence[str], candidates: Sequence[str], *, truncate: bool = False) -> NDArray[np.float64]:
        """Ratings as the head gives them: mostly from 0 to 100, but neither cut nor calibrated.

        Parameters
        ----------
        sources, candidates : sequence of str
            n texts each.
        truncate : bool
            Cut the longer text of a pair that the model cannot take whole; by default that is an error.

        Returns
        -------
        numpy.ndarray, float64, shape (n,)

        Raises
        ------
        InputError
            For lists of different lengths, or an empty text.
        RowTooLongError
            For a pair longer than the model takes, unless `truncate`.
        ModelError
            If a rating is not finite.
        """
        sources, candidates, _ = check_pairs(sources, candidates)
        parts = [slice(start, start + _PAIRS_AT_ONCE) for start in range(0, len(sources), _PAIRS_AT_ONCE)]
        result = np.zeros(len(sources))

        def each(work: Any) -> Iterator[tuple[slice, Any]]:
            for part in parts:
                try:
                    yield part, work(sources[part], candidates[part], truncate)
                except RowError as error:
                    raise type(error)(part.start + error.row, error.reason) from error

        if len(parts) > 1:  # a row that is refused is found before anything is rated
            for _ in each(self._encoded):
                pass
        for part, found in each(self._raw):
            result[part] = found
        if not np.isfinite(result).all():
            raise ModelError(f"{self.loaded.name} gives a rating that is not finite; its weights have diverged.")
        return result

    def _encoded(self, sources: list[str], candidates: list[str], truncate: bool) -> list[PairInput]:
        return encode_pairs(self.loaded.tokenizer, sources, candidates, self.longest, truncate=truncate)

    def _raw(self, sources: list[str], candidates: list[str], truncate: bool) -> NDArray[np.float64]:
        """Ratings of some pairs, both orders of them in the same batches, and what is the same once."""
        pairs = self._encoded(sources, candidates, truncate)
        if self.symmetric:
            pairs += self._encoded(candidates, sources, truncate)
        places = {pair: place for place, pair in enumerate(dict.fromkeys(pairs))}
        distinct, values = list(places), np.zeros(len(places))
        # the caches of a CPU hold such a batch
        batches = list(batches_of_equal_length([pair.ids for pair in distinct], self.loaded.token_budget(on_cpu=1_024)))

        def ratings(chosen: list[int]) -> NDArray[np.float32]:
            batch = as_tensors([distinct[place] for place in chosen], self.loaded.device)
            return 100 * self._forward(batch).float().cpu().numpy()

        for chosen, given in zip(batches, map_batches(ratings, batches, self.loaded.device), strict=True):
            values[chosen] = given
        result = values[[places[pair] for pair in pairs]].reshape(-1, len(sources)).mean(0)
        if self.cosine:
            texts = list(dict.fromkeys([*sources, *candidates]))
            vectors = dict(zip(texts, cached_encoder(DEFAULT_ENCODER).encode(texts, truncate=True)))
            result += self.cosine * 100 * np.array([vectors[a] @ vectors[b] for a, b in zip(sources, candidates)])
        return result

    def rate(self, sources: Sequence[str], candidates: Sequence[str], **options: Any) -> NDArray[np.float64]:
        """`raw` ratings from 0 to 100, calibrated where the model has a calibration."""
        return (self.calibration or Calibration())(self.raw(sources, candidates, **options))

    def states(self, source: str, candidate: str):
        """States of the candidate's tokens, read beside the source, and first and last character of each.

        Raises
        ------
        RowTooLongError
            The pair is longer than the model takes.
        """
        import torch

        one = encode_pairs(self.loaded.tokenizer, [source], [candidate], self.longest)[0]
        with torch.inference_mode():
            inputs = model_inputs(self.loaded.tokenizer, as_tensors([one], self.loaded.device))
            hidden = self.loaded.model(**inputs).last_hidden_state[0].float()
        places = self.loaded.tokenizer(source, candidate, return_offsets_mapping=True, verbose=False)["offset_mapping"]
        own = [place for place, number in enumerate(one.sentence) if number == 1]
        return hidden[own], [places[place] for place in own]

    def damaged(self, source: str, candidate: str) -> list[tuple[int, int, float]]:
        """How likely each piece of the candidate is damaged (0 to 1), with its first and last character.

        Nothing for a pair that is longer than the model takes.
        """
        try:
            hidden, places = self.states(source, candidate)
        except RowTooLongError:
            return []
        likely = self.words(hidden).sigmoid()[:, 0].tolist()
        return [(first, last, value) for (first, last), value in zip(places, likely)]

    def unread(self, text: str) -> bool:
        """Whether the tokenizer does not know a sign or word of a text."""
        tokenizer = self.loaded.tokenizer
        return tokenizer.unk_token_id in tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]

    def _forward(self, batch: dict[str, Any]):
        output = self.loaded.model(**model_inputs(self.loaded.tokenizer, batch))
        if self.head is None:
            return output.logits[:, 0] / 100  # the study's labels, and so its logits, run from 0 to 100
        return self.head(pool(output.last_hidden_state.float(), batch["sentence"]))[:, 0]

    def save(self, folder: str | Path, *, settings: dict[str, Any] | None = None) -> Path:
        """Write adapter, head and calibration; `load_meaning_model` reads them back. No pickle, no local path."""
        from safetensors.torch import save_file

        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        model = self.loaded.model
        if self.head is None or not hasattr(model, "peft_config"):
            raise ModelError("Only a model with an adapter and a head is saved.")
        for config in model.peft_config.values():
            config.base_model_name_or_path = self.loaded.name
        model.save_pretrained(str(folder), safe_serialization=True, save_embedding_layers=False)
        (folder / "README.md").unlink(missing_ok=True)  # the adapter library's empty form of a model card
        save_file({k: v.detach().cpu().contiguous() for k, v in self.head.state_dict().items()}, folder / HEAD_FILE)
        content = {
            "encoder": self.loaded.name,
            "encoder_revision": self.loaded.revision,
            "longest": self.longest,
            "calibration": self.calibration and list(astuple(self.calibration)),
            "symmetric": self.symmetric,
            "cosine": self.cosine,
            "settings": settings or {},
        }
        (folder / SETTINGS_FILE).write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
        return folder


def make_head(width: int, dropout: float = 0.0):
    """A regression head: a vector of 4 * `width` numbers (see `pool`) to one."""
    from torch import nn

    return nn.Sequential(nn.Linear(4 * width, width), nn.Tanh(), nn.Dropout(dropout), nn.Linear(width, 1))


def make_words_head(width: int, hidden: int = 64):
    """A head for `MeaningModel.words`: the state of a token to one number."""
    from torch import nn

    return nn.Sequential(nn.Linear(width, hidden), nn.ReLU(), nn.Linear(hidden, 1))


def pool(hidden, sentence):
    """The vector of a pair: means ``u`` and ``v`` of its sentences' tokens, ``|u - v|`` and ``u * v``, in a row.

    Parameters
    ----------
    hidden : torch.Tensor, shape (n, length, width)
    sentence : torch.Tensor, shape (n, length)
        0 or 1 for the tokens of the first or second sentence, -1 for all others.

    Returns
    -------
    torch.Tensor, shape (n, 4 * width)
    """
    import torch

    means = []
    for which in (0, 1):
        weight = (sentence == which).to(hidden.dtype)
        weight = weight / weight.sum(1, keepdim=True)
        means.append((hidden * weight[..., None]).sum(1))
    first, second = means
    return torch.cat([first, second, (first - second).abs(), first * second], dim=-1)


def encode_pairs(
    tokenizer, sources: Sequence[str], candidates: Sequence[str], longest: int, *, truncate: bool = False
) -> list[PairInput]:
    """Pairs as token ids, with the errors of `MeaningModel.raw` about rows."""
    if not sources:
        return []
    cut = {"truncation": truncate, "max_length": longest if truncate else None}
    encoded = tokenizer(list(sources), list(candidates), **cut, verbose=False)  # too long is said below
    result = []
    for row in range(len(sources)):
        ids = encoded["input_ids"][row]
        if len(ids) > longest:
            raise RowTooLongError(row + 1, f"the pair has {len(ids)} pieces, and the model takes {longest}.")
        sentence = [-1 if number is None else number for number in encoded.sequence_ids(row)]
        if not {0, 1} <= set(sentence):
            raise RowError(row + 1, "a text of the pair has no pieces that the model knows.")
        types = encoded["token_type_ids"][row] if "token_type_ids" in encoded else [0] * len(ids)
        result.append(PairInput(tuple(ids), tuple(types), tuple(sentence)))
    return result


def as_tensors(pairs: Sequence[PairInput], device: str) -> dict[str, Any]:
    """A batch of pairs of one length: ``ids``, ``types`` and ``sentence``, each of shape (n, length)."""
    import torch

    names = ("ids", "types", "sentence")
    return {name: torch.tensor([getattr(pair, name) for pair in pairs], device=device) for name in names}


def model_inputs(tokenizer, batch: dict[str, Any]) -> dict[str, Any]:
    """A batch of `as_tensors` by the names that a model takes it by; token types only where its tokenizer has them."""
    inputs = {"input_ids": batch["ids"], "attention_mask": batch["ids"].new_ones(batch["ids"].shape)}
    if "token_type_ids" in tokenizer.model_input_names:
        inputs["token_type_ids"] = batch["types"]
    return inputs


def load_meaning_model(name: str = EMBEDDED, *, dtype: str = "float32", calibrated: bool = True) -> MeaningModel:
    """Load a trained rater of pairs.

    Parameters
    ----------
    name : str
        ``embedded``, ``same-meaning``, ``same-meaning-base``, ``same-meaning-unrestricted``, a folder written by
        `MeaningModel.save`, or a Hugging Face id or path of a sequence classifier.
    dtype : {"float32", "bfloat16"}
        Precision of the encoder. bfloat16 is faster where the processor has it; ratings move by some tenths of 100.
    calibrated : bool
        False leaves out the calibration that a saved model carries.

    Raises
    ------
    ResourceNotFoundError
        The model is not installed and cannot be fetched.
    InputError
        Another `dtype`.
    ModelError
        Weights that do not fit, an encoder other than the one the adapter was trained on, or a classifier with more
        than one output.

    Examples
    --------
    >>> rater = load_meaning_model()
    >>> rater.rate(["The cat sat on the mat."], ["A cat was on the mat."]).shape
    (1,)
    """
    folder = shipped_folder(name) if name in _SHIPPED else Path(name).expanduser()
    if (folder / SETTINGS_FILE).is_file():
        return _load_adapter(folder, name, dtype, calibrated)
    loaded = load_classifier(name, dtype=dtype)
    if loaded.model.config.num_labels != 1:
        raise ModelError(f"{name} has {loaded.model.config.num_labels} outputs; a rating is one number.")
    return MeaningModel(loaded, None, longest_input(loaded))


def shipped_folder(name: str) -> Path:
    """Where the adapter of a model that ships stands.

    Examples
    --------
    >>> shipped_folder("same-meaning").name
    'same-meaning-en'
    """
    return data_dir() / "models" / _SHIPPED[name]


def _load_adapter(folder: Path, name: str, dtype: str, calibrated: bool) -> MeaningModel:
    import torch
    from peft import PeftModel
    from safetensors.torch import load_file

    precision = torch_dtype(dtype)
    try:
        settings = json.loads((folder / SETTINGS_FILE).read_text(encoding="utf-8"))
        encoder, longest, given = settings["encoder"], int(settings["longest"]), settings["calibration"]
        symmetric, cosine = bool(settings.get("symmetric", False)), float(settings.get("cosine", 0))
        head_weights = load_file(folder / HEAD_FILE)
        marking = load_file(folder / WORDS_FILE) if (folder / WORDS_FILE).is_file() else {}
    except Exception as error:  # a corrupt weight file raises the reader's own types
        raise ModelError(f"The model in {folder} cannot be read: {str(error).splitlines()[0]}") from error
    try:
        base = load_encoder(encoder).loaded
    except ResourceNotFoundError as error:
        if encoder != base_model.ENCODER:
            raise
        raise ResourceNotFoundError(f"The encoder of {name!r} is missing. {base_model.HOW_TO_GET}") from error
    if base.revision != settings.get("encoder_revision", base.revision):
        raise ModelError(
            f"{folder} was trained on {encoder}@{settings['encoder_revision']}; the installed one is {base.identity}."
        )
    head = make_head(base.model.config.hidden_size)
    try:
        with without_library_notices():
            model = PeftModel.from_pretrained(base.model, str(folder)).merge_and_unload()
        head.load_state_dict(head_weights)
        words = None
        if marking:
            words = make_words_head(base.model.config.hidden_size)
            words.load_state_dict(marking)
            words = words.eval().requires_grad_(False).to(base.device, torch.float32)
    except Exception as error:
        reason = str(error).splitlines()[0]
        raise ModelError(f"The adapter in {folder} does not fit {base.identity}: {reason}") from error
    model = model.requires_grad_(False).to(precision).eval()  # only now: the adapter was merged in full precision
    name = name if name in _SHIPPED else folder.name
    loaded = replace(base, name=name, model=model, revision=file_revision(folder), dtype=dtype)
    calibration = Calibration(*given) if given and calibrated else None
    head = head.to(base.device, torch.float32).eval()
    return MeaningModel(loaded, head, longest, calibration, symmetric, cosine, words)


def stored_thresholds(name: str) -> dict[str, Any] | None:
    """The thresholds of kept and changed (see `nbhelpers.metrics.verdicts`) that are stored with a shipped model."""
    if name not in _SHIPPED:
        return None
    settings = json.loads((shipped_folder(name) / SETTINGS_FILE).read_text(encoding="utf-8"))
    return settings.get("verdict")


@contextlib.contextmanager
def without_library_notices() -> Iterator[None]:
    """Keep what two libraries have to say to each other's authors out of notebooks."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*is_gradient_checkpointing", category=FutureWarning)
        warnings.filterwarnings("ignore", message="Unexpected keyword arguments")  # an older peft than the adapter's
        yield


_cached = functools.lru_cache(maxsize=2)(load_meaning_model)


_UNSEEN = {  # of models, where it was measured
    EMBEDDED: "negations, opposites (safe, unsafe), who did what to whom; rates most of these 80 or more",
    SAME_MEANING: "the same in very different words, which it rates too low; an exchanged verb or role; "
    "double negation",
    SAME_MEANING_BASE: "the same in very different words, which it still rates too low; "
    "dropped words (one case in six)",
    UNRESTRICTED: "the same in very different words, which it rates far too low; exchanged roles (near chance in "
    "rewordings); exchanged verbs, dropped words",
}


def _rater(name: str, title: str, default: str, seconds: float) -> Callable[..., Metric]:
    """Register a rating by a model of this module."""

    @register(name, title, (0.0, 100.0), scale=1.0, seconds=seconds, unseen=_UNSEEN[default])
    def rating(
        model: str | MeaningModel = default, *, dtype: str = "float32", calibrated: bool = True, truncate: bool = False
    ) -> tuple[str, Compute, Damaged | None, Callable[[str], bool]]:
        """A rating from 0 to 100 by a model that reads both texts at once.

        Parameters
        ----------
        model : str or MeaningModel
            A name for `load_meaning_model`, or a loaded model, which has its own precision and calibration.
        dtype, calibrated, truncate
            As in `load_meaning_model` and `MeaningModel.raw`.

        Raises
        ------
        ResourceNotFoundError
            The encoder of the model is not there; the message says how to get it.

        Examples
        --------
        >>> rating = same_meaning()  # doctest: +SKIP
        >>> rating(["The road is safe."], ["The road is unsafe."]).shape  # doctest: +SKIP
        (1,)
        """
        rater = _cached(model, dtype=dtype, calibrated=calibrated) if isinstance(model, str) else model

        def compute(sources: list[str], candidates: list[str], references: list[list[str]]) -> NDArray[np.float64]:
            return rater.rate(sources, candidates, truncate=truncate)

        signature = f"{name}|{rater.signature}{'|cut:yes' if truncate else ''}|v:{nbhelpers.__version__}"
        return signature, compute, rater.damaged if rater.words is not None else None, rater.unread

    return rating


metric = _rater("meaningbert", "MeaningBERT", EMBEDDED, 0.013)
same_meaning = _rater(SAME_MEANING, "Same meaning", SAME_MEANING, 0.013)
same_meaning_base = _rater(SAME_MEANING_BASE, "Same meaning, base", SAME_MEANING_BASE, 0.12)
unrestricted = _rater(UNRESTRICTED, "Same meaning, unrestricted", UNRESTRICTED, 0.013)
