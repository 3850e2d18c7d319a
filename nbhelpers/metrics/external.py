"""Measures that live in packages of their own: SAMSA, BLEURT, QuestEval and LENS, and the means of BLEU and SAMSA.

None of these packages is a dependency of this project: they want old versions of others, a parser or gigabytes of
weights. Where a package and what it needs are there, the measure is computed by it; where not, making the measure is a
ResourceNotFoundError that says in one sentence what is missing and how to get it. Nothing is downloaded when
``NBHELPERS_OFFLINE`` is set.

The adapters follow the packages' published interfaces: EASSE's ``easse.samsa``, ``bleurt.score`` and
``bleurt_pytorch``, QuestEval 0.2 and lens-metric 0.2. The project's tests try them against stand-ins only.
"""

from __future__ import annotations

import functools
import importlib
import math
import shutil
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbhelpers.base import paths
from nbhelpers.base.errors import InputError, ModelError, ResourceNotFoundError
from nbhelpers.metrics.metric import Metric
from nbhelpers.metrics.neural import too_long
from nbhelpers.resources.models import batches_of_equal_length

MEANS = {"arithmetic": "am", "geometric": "gm"}
BLEURT_CHECKPOINT, LENS_CHECKPOINT = "BLEURT-20", "davidheineman/lens"
QUESTEVAL_MODELS = ("ThomasNLG/t5-qa_squad2neg-en", "ThomasNLG/t5-qg_squad1-en")


# ------------------------------------------------------------------------------------------- packages and weights


def _module(name: str, title: str, how: str) -> ModuleType:
    """A module of a package, or a ResourceNotFoundError that says how to get the package."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        missing = getattr(error, "name", None)
        if isinstance(error, ModuleNotFoundError) and missing in (name, name.split(".")[0]):
            raise ResourceNotFoundError(
                f"{title} needs the Python package {missing.split('.')[0]}, which is not installed: {how}."
            ) from error
        raise ResourceNotFoundError(
            f"{title} needs the Python package {name.split('.')[0]}, which cannot be imported here ({error}): {how}."
        ) from error


def _version(distribution: str) -> str:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return "unknown"


def _weights(name: str, path: str | Path | None) -> Path | None:
    """Where weights are: at the given path, or as ``models/<name>`` in a folder of ``NBHELPERS_DATA``."""
    if path is not None:
        if not Path(path).expanduser().exists():
            raise ResourceNotFoundError(f"There are no weights at {path}.")
        return Path(path).expanduser()
    return next((f / "models" / name for f in paths.data_folders() if (f / "models" / name).exists()), None)


def _loaded(title: str, load: Any, *arguments: Any, **options: Any) -> Any:
    """What a package loads; its own errors, of any type, become a ModelError with one sentence."""
    try:
        return load(*arguments, **options)
    except Exception as error:
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise ModelError(f"{title} cannot be loaded: {reason}") from error


def _values(title: str, values: Sequence[float], count: int) -> NDArray[np.float64]:
    found = np.asarray(values, dtype=np.float64)
    if found.shape != (count,):
        raise ModelError(f"{title} gave values of shape {found.shape} for {count} pairs.")
    return found


def _best(values: NDArray[np.float64], references: Sequence[Sequence[str]]) -> NDArray[np.float64]:
    """The largest of the values of each candidate's references, which stand one after another."""
    ends = np.cumsum([len(texts) for texts in references])[:-1]
    return np.array([part.max() for part in np.split(values, ends)])


def _on_gpu() -> bool:
    import torch

    return torch.cuda.is_available()


# ------------------------------------------------------------------------------------------- SAMSA, alone and with BLEU

_EASSE = "pip install git+https://github.com/feralvam/easse.git under the old Python it asks for, with the parser TUPA"


def samsa() -> Metric:
    """SAMSA: do the sentences of a candidate keep to the scenes of its source (Sulem et al. 2018)?

    From EASSE, which parses the source with the UCCA parser TUPA and the candidate with Stanford CoreNLP. On a scale
    of 0 to 100, as EASSE gives it. No reference is used. It takes seconds for each pair.

    Raises
    ------
    ResourceNotFoundError
        EASSE, Java, TUPA's model or CoreNLP is missing.
    """
    _module("easse.samsa", "SAMSA", _EASSE)
    constants = _module("easse.utils.constants", "SAMSA", _EASSE)
    if shutil.which("java") is None:
        raise ResourceNotFoundError(
            "SAMSA needs Java for Stanford CoreNLP: install a Java runtime of version 8 or later."
        )
    for what, path in (
        ("the UCCA model of the parser TUPA (ucca-bilstm-1.3.10)", Path(constants.UCCA_PARSER_PATH).parent),
        ("Stanford CoreNLP 3.9.2", Path(constants.STANFORD_CORENLP_DIR)),
    ):
        if not path.exists() and paths.is_offline():
            raise ResourceNotFoundError(
                f"SAMSA needs {what}, and the network is switched off (NBHELPERS_OFFLINE): run SAMSA once with the "
                "network on, EASSE then fetches it."
            )

    def compute(sources: list[str], candidates: list[str], _: list[list[str]]) -> NDArray[np.float64]:
        return _samsa_values(tuple(sources), tuple(candidates))

    return Metric(
        name="samsa",
        title="SAMSA",
        range=(0.0, 100.0),
        higher_means_same=True,
        needs_reference=False,
        signature=f"samsa|parser:tupa-ucca-bilstm-1.3.10|tok:13a|lc:no|easse:{_version('easse')}",
        compute=compute,
        scale=1.0,
    )


@functools.lru_cache(maxsize=2)  # the two means with BLEU ask for the same pairs again
def _samsa_values(sources: tuple[str, ...], candidates: tuple[str, ...]) -> NDArray[np.float64]:
    easse = _module("easse.samsa", "SAMSA", _EASSE)
    return _values("SAMSA", easse.get_samsa_sentence_scores(list(sources), list(candidates)), len(sources))


def bleu_samsa(mean: str = "arithmetic") -> Metric:
    """Arithmetic or geometric mean of sentence BLEU and SAMSA, both of 0 to 100 (Alva-Manchego et al. 2021).

    Parameters
    ----------
    mean : {"arithmetic", "geometric"}

    Raises
    ------
    InputError
        For another mean.
    ResourceNotFoundError
        As `samsa`.
    """
    if mean not in MEANS:
        raise InputError(f"mean is 'arithmetic' or 'geometric', not {mean!r}.")
    from nbhelpers.metrics import lexical

    parser, bleu = samsa(), lexical.bleu()

    def compute(sources: list[str], candidates: list[str], references: list[list[str]]) -> NDArray[np.float64]:
        values = (np.asarray(metric.compute(sources, candidates, references), float) for metric in (bleu, parser))
        return mean_of(*values, mean)

    short = MEANS[mean]
    return Metric(
        name=f"bleu-samsa-{short}",
        title=f"{short.upper()} of BLEU and SAMSA",
        range=(0.0, 100.0),
        higher_means_same=True,
        needs_reference=True,
        signature=f"bleu-samsa-{short}|{bleu.signature}|{parser.signature}",
        compute=compute,
        scale=1.0,
    )


def mean_of(bleu: NDArray[np.float64], samsa: NDArray[np.float64], mean: str) -> NDArray[np.float64]:
    """Mean of two scores of the same scale, at least 0; the geometric one is 0 where either is."""
    return (bleu + samsa) / 2 if mean == "arithmetic" else np.sqrt(bleu * samsa)


# ---------------------------------------------------------------------------------------------------------- BLEURT

_BLEURT_PYTORCH = "pip install git+https://github.com/lucadiliello/bleurt-pytorch.git"
_BLEURT_TENSORFLOW = "pip install git+https://github.com/google-research/bleurt.git"


def bleurt(checkpoint: str | Path | None = None, batch_tokens: int = 4096) -> Metric:
    """BLEURT, a regression trained on ratings of translations (Sellam et al. 2020); of several references the best.

    Its values are not bounded; those of BLEURT-20 lie mostly between 0 and 1. Checkpoints are different measures: the
    signature names the one.

    Parameters
    ----------
    checkpoint : path, optional
        A folder: one with a ``bleurt_config.json`` is read by the authors' package ``bleurt`` (TensorFlow), any other
        by ``bleurt_pytorch``. By default ``models/BLEURT-20`` in a folder of ``NBHELPERS_DATA``, else
        ``lucadiliello/BLEURT-20`` from the hub.
    batch_tokens : int
        Token budget of a forward pass of ``bleurt_pytorch``.

    Raises
    ------
    ResourceNotFoundError
        The package or the weights are missing.
    """
    folder = _weights(BLEURT_CHECKPOINT, checkpoint)
    if folder is not None and (folder / "bleurt_config.json").is_file():
        module = _module("bleurt.score", "BLEURT", _BLEURT_TENSORFLOW)
        scorer = _loaded("BLEURT", module.BleurtScorer, str(folder))
        score, package = functools.partial(_bleurt_tensorflow, scorer), f"bleurt:{_version('bleurt')}"
    else:
        module = _module("bleurt_pytorch", "BLEURT", _BLEURT_PYTORCH)
        if folder is None and paths.is_offline():
            raise ResourceNotFoundError(
                "BLEURT needs the weights lucadiliello/BLEURT-20, and the network is switched off (NBHELPERS_OFFLINE): "
                "put them into models/BLEURT-20 of a folder of NBHELPERS_DATA, or give their path as `checkpoint`."
            )
        source = str(folder or f"lucadiliello/{BLEURT_CHECKPOINT}")
        tokenizer = _loaded("BLEURT", module.BleurtTokenizer.from_pretrained, source)
        model = _loaded("BLEURT", module.BleurtForSequenceClassification.from_pretrained, source).eval()
        score = functools.partial(_bleurt_pytorch, model, tokenizer, batch_tokens)
        package = f"bleurt-pytorch:{_version('bleurt-pytorch')}"

    def compute(_: list[str], candidates: list[str], references: list[list[str]]) -> NDArray[np.float64]:
        pairs = [(i, text, candidate) for i, candidate in enumerate(candidates) for text in references[i]]
        return _best(_values("BLEURT", score(pairs), len(pairs)), references)

    return Metric(
        name="bleurt",
        title="BLEURT",
        range=(-math.inf, math.inf),
        higher_means_same=True,
        needs_reference=True,
        signature=f"bleurt|checkpoint:{folder.name if folder else BLEURT_CHECKPOINT}|{package}",
        compute=compute,
        scale=100.0,
    )


def _bleurt_tensorflow(scorer: Any, pairs: Sequence[tuple[int, str, str]]) -> list[float]:
    for i, reference, candidate in pairs:  # the package would cut them without a word
        count = len(scorer.tokenizer.tokenize(reference)) + len(scorer.tokenizer.tokenize(candidate)) + 3
        if count > scorer.max_seq_length:
            raise too_long(i, "reference and candidate together", count, "BLEURT", scorer.max_seq_length, candidate)
    return scorer.score(references=[pair[1] for pair in pairs], candidates=[pair[2] for pair in pairs])


def _bleurt_pytorch(model: Any, tokenizer: Any, budget: int, pairs: Sequence[tuple[int, str, str]]) -> list[float]:
    import torch

    encoded = tokenizer([pair[1] for pair in pairs], [pair[2] for pair in pairs])
    rows, longest = encoded["input_ids"], int(model.config.max_position_embeddings)
    for (i, _, candidate), row in zip(pairs, rows):
        if len(row) > longest:
            raise too_long(i, "reference and candidate together", len(row), "BLEURT", longest, candidate)
    values = [0.0] * len(pairs)
    with torch.inference_mode():
        for chosen in batches_of_equal_length(rows, budget):
            batch = {key: torch.tensor([value[k] for k in chosen]) for key, value in encoded.items()}
            for k, value in zip(chosen, model(**batch).logits.flatten().tolist()):
                values[k] = value
    return values


# ------------------------------------------------------------------------------------------------ QuestEval and LENS


def questeval(task: str = "text2text") -> Metric:
    """QuestEval: can questions about one text be answered from the other (Scialom et al. 2021)? From 0 to 1.

    Without references: questions about the source are put to the candidate, and the other way round.

    Parameters
    ----------
    task : str
        A task of the package; its authors recommend ``text2text`` for simplification.

    Raises
    ------
    ResourceNotFoundError
        The package, spaCy's model ``en_core_web_sm`` or the question models are missing.
    """
    how = "pip install git+https://github.com/ThomasScialom/QuestEval.git into an environment with datasets below 3"
    module = _module("questeval.questeval_metric", "QuestEval", how)
    if not _module("spacy", "QuestEval", "pip install spacy").util.is_package("en_core_web_sm"):
        raise ResourceNotFoundError(  # the package would install it without asking
            "QuestEval needs spaCy's model en_core_web_sm: python -m spacy download en_core_web_sm."
        )
    if paths.is_offline():
        from huggingface_hub import try_to_load_from_cache

        for name in QUESTEVAL_MODELS:
            if not isinstance(try_to_load_from_cache(name, "config.json"), str):
                raise ResourceNotFoundError(
                    f"QuestEval needs the model {name}, which is not in the Hugging Face cache, and the network is "
                    f"switched off (NBHELPERS_OFFLINE): fetch it with hf download {name}."
                )
    scorer = _loaded("QuestEval", module.QuestEval, task=task, no_cuda=not _on_gpu(), use_cache=False)

    def compute(sources: list[str], candidates: list[str], _: list[list[str]]) -> NDArray[np.float64]:
        result = scorer.corpus_questeval(hypothesis=candidates, sources=sources)
        return _values("QuestEval", result["ex_level_scores"], len(sources))

    return Metric(
        name="questeval",
        title="QuestEval",
        range=(0.0, 1.0),
        higher_means_same=True,
        needs_reference=False,
        signature=f"questeval|task:{task}|ref:no|questeval:{_version('questeval')}",
        compute=compute,
        scale=100.0,
    )


def lens(checkpoint: str | Path | None = None, batch_size: int = 16) -> Metric:
    """LENS, a regression trained on ratings of simplifications (Maddela et al. 2023), rescaled to 0 to 100.

    It compares with references, of which the best counts. The package lower-cases the texts, and cuts them to the
    length of its encoder (512 pieces) without saying so. Its checkpoint is a pickle, which can run any code when it is
    loaded: use one that you trust.

    Parameters
    ----------
    checkpoint : path, optional
        The ``.ckpt`` file. By default the one under ``models/davidheineman/lens`` in a folder of ``NBHELPERS_DATA``,
        else the package fetches ``davidheineman/lens`` from the hub.
    batch_size : int

    Raises
    ------
    ResourceNotFoundError
        The package or the checkpoint is missing.
    """
    module = _module("lens", "LENS", "pip install lens-metric")
    if not hasattr(module, "LENS"):
        raise ResourceNotFoundError(
            "LENS needs the Python package lens of pip install lens-metric; another is installed."
        )
    place = _weights(LENS_CHECKPOINT, checkpoint)
    if place is not None and place.is_dir():
        place = next(iter(sorted(place.rglob("*.ckpt"))), None)
    if place is None and paths.is_offline():
        raise ResourceNotFoundError(
            f"LENS needs the checkpoint {LENS_CHECKPOINT}, and the network is switched off (NBHELPERS_OFFLINE): put it "
            f"into models/{LENS_CHECKPOINT} of a folder of NBHELPERS_DATA, or give its path as `checkpoint`."
        )
    path = str(place) if place is not None else _loaded("LENS", module.download_model, LENS_CHECKPOINT)
    scorer = _loaded("LENS", module.LENS, path, rescale=True)

    def compute(sources: list[str], candidates: list[str], references: list[list[str]]) -> NDArray[np.float64]:
        devices = [0] if _on_gpu() else None
        given = scorer.score(sources, candidates, references, batch_size=batch_size, devices=devices)
        return _values("LENS", given, len(sources))

    return Metric(
        name="lens",
        title="LENS",
        range=(0.0, 100.0),
        higher_means_same=True,
        needs_reference=True,
        signature=f"lens|checkpoint:{Path(path).name}|rescaled:yes|lens-metric:{_version('lens-metric')}",
        compute=compute,
        scale=1.0,
    )
