"""Metrics that live in packages of their own: SAMSA, BLEURT, QuestEval and LENS, and the means of BLEU and SAMSA.

None of these packages is a dependency of this project: they need old versions of others, a parser or gigabytes of
weights. Where a package and its weights are installed, the metric is computed by it; elsewhere making the metric is a
ResourceNotFoundError that says in one sentence what is missing and how to get it. Nothing is downloaded when
``NBHELPERS_OFFLINE`` is set.

The adapters follow the packages' published interfaces: EASSE's ``easse.samsa``, ``bleurt_pytorch``, QuestEval 0.2 and
lens-metric 0.2. The project's tests try them against stand-ins only.
"""

from __future__ import annotations

import functools
import importlib
import math
import shutil
from collections.abc import Callable
from importlib import metadata
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbhelpers.base import paths
from nbhelpers.base.errors import ModelError, NbhelpersError, ResourceNotFoundError
from nbhelpers.metrics import lexical
from nbhelpers.metrics.metric import Compute, register, shared
from nbhelpers.metrics.neural import too_long


def adapter(
    name: str,
    title: str,
    range: tuple[float, float],
    package: str,
    how: str,
    settings: str,
    *,
    weights: tuple[str, ...] = (),
    **facts: Any,
) -> Callable[[Callable[[ModuleType], Compute]], Callable[[], tuple[str, Compute]]]:
    """Decorator that registers a metric of another package.

    The decorated function takes the package's module and gives the compute function.

    Parameters
    ----------
    name, title, range
        As `nbhelpers.metrics.metric.register` takes them.
    package : str
        Which module is imported, and the name on the package index, whose version stands in the signature.
    how : str
        How to get the package.
    settings : str
        Part of the signature.
    weights : tuple of str
        Models on the Hugging Face hub that the package fetches itself.
    **facts
        Further arguments of `register`.
    """

    def decorate(prepare: Callable[[ModuleType], Compute]) -> Callable[[], tuple[str, Compute]]:
        def load() -> tuple[str, Compute]:
            module_name, distribution = package.split()
            module = _imported(module_name, title, how)
            _check_weights(weights, title)
            try:
                compute = shared(prepare(module))
            except NbhelpersError:
                raise
            except Exception as error:  # of any type: it is another package's
                reason = (str(error).strip() or type(error).__name__).splitlines()[0]
                raise ModelError(f"{title} cannot be loaded: {reason}") from error
            return f"{name}|{settings}|{distribution}:{_version(distribution)}", compute

        load.__doc__ = prepare.__doc__
        load = functools.lru_cache(maxsize=1)(load)  # SAMSA is loaded once for itself and both means with BLEU
        register(name, title, range, **facts)(load)
        return load

    return decorate


def _imported(name: str, title: str, how: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        package = f"the Python package {name.split('.')[0]}, which cannot be imported here ({error})"
        raise ResourceNotFoundError(f"{title} needs {package}: {how}.") from error


def _check_weights(weights: tuple[str, ...], title: str) -> None:
    if weights and paths.is_offline():
        from huggingface_hub import scan_cache_dir

        cached = {repo.repo_id for repo in scan_cache_dir().repos}
        for model in weights:
            if model not in cached:
                raise ResourceNotFoundError(
                    f"{title} needs {model}, which is not in the Hugging Face cache, and the network is switched off "
                    f"(NBHELPERS_OFFLINE): fetch it with hf download {model}."
                )


def _version(distribution: str) -> str:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return "unknown"


def _on_gpu() -> bool:
    import torch

    return torch.cuda.is_available()


# ------------------------------------------------------------------------------------------------------ the adapters


@adapter(
    "samsa",
    "SAMSA",
    (0.0, 100.0),
    "easse.samsa easse",
    "pip install git+https://github.com/feralvam/easse.git under the old Python it asks for, with the parser TUPA",
    "parser:tupa-ucca-bilstm-1.3.10|tok:13a|lc:no",
    scale=1.0,
    seconds=5.0,
)
def samsa(module: ModuleType) -> Compute:
    """SAMSA: do the sentences of a candidate keep to the scenes of its source (Sulem et al. 2018)?

    From EASSE, which parses the source with the UCCA parser TUPA and the candidate with Stanford CoreNLP (a Java
    program); EASSE fetches both at its first use. On a scale of 0 to 100, as EASSE gives it. No reference is used.
    """
    if shutil.which("java") is None:
        raise ResourceNotFoundError("SAMSA needs Java 8 or later, for Stanford CoreNLP.")

    def compute(sources: list[str], candidates: list[str], references: list[list[str]]) -> Any:
        return module.get_samsa_sentence_scores(sources, candidates)

    return compute


@adapter(
    "bleurt",
    "BLEURT",
    (-math.inf, math.inf),
    "bleurt_pytorch bleurt-pytorch",
    "pip install git+https://github.com/lucadiliello/bleurt-pytorch.git",
    "checkpoint:BLEURT-20",
    weights=("lucadiliello/BLEURT-20",),
    needs_reference=True,
    scale=100.0,
    seconds=0.2,
)
def bleurt(module: ModuleType) -> Compute:
    """BLEURT-20, a regression trained on ratings of translations (Sellam et al. 2020).

    Of several references the best counts. The values are not bounded, but lie mostly between 0 and 1.
    """
    import torch

    tokenizer = module.BleurtTokenizer.from_pretrained("lucadiliello/BLEURT-20")
    model = module.BleurtForSequenceClassification.from_pretrained("lucadiliello/BLEURT-20").eval()
    longest = int(model.config.max_position_embeddings)

    def compute(sources: list[str], candidates: list[str], references: list[list[str]]) -> Any:
        best = np.full(len(candidates), -np.inf)
        for i, candidate in enumerate(candidates):
            for reference in references[i]:
                encoded = tokenizer([reference], [candidate], return_tensors="pt")
                if (count := encoded["input_ids"].shape[1]) > longest:
                    raise too_long(i, "reference and candidate together", count, "BLEURT", longest, candidate)
                with torch.inference_mode():
                    best[i] = max(best[i], float(model(**encoded).logits))
        return best

    return compute


@adapter(
    "questeval",
    "QuestEval",
    (0.0, 1.0),
    "questeval.questeval_metric questeval",
    "pip install git+https://github.com/ThomasScialom/QuestEval.git into an environment with datasets below 3",
    "task:text2text|ref:no",
    weights=("ThomasNLG/t5-qa_squad2neg-en", "ThomasNLG/t5-qg_squad1-en"),
    scale=100.0,
    seconds=2.0,
)
def questeval(module: ModuleType) -> Compute:
    """QuestEval: can questions about one text be answered from the other (Scialom et al. 2021)?

    Questions about the source are put to the candidate, and the other way round; no reference is used. The task is
    ``text2text``, as its authors recommend for simplification. It also needs spaCy's model ``en_core_web_sm``.
    """
    scorer = module.QuestEval(task="text2text", no_cuda=not _on_gpu(), use_cache=False)

    def compute(sources: list[str], candidates: list[str], references: list[list[str]]) -> Any:
        return scorer.corpus_questeval(hypothesis=candidates, sources=sources)["ex_level_scores"]

    return compute


@adapter(
    "lens",
    "LENS",
    (0.0, 100.0),
    "lens lens-metric",
    "pip install lens-metric",
    "checkpoint:davidheineman/lens|rescaled:yes",
    weights=("davidheineman/lens",),
    needs_reference=True,
    scale=1.0,
    seconds=0.2,
)
def lens(module: ModuleType) -> Compute:
    """LENS, a regression trained on ratings of simplifications (Maddela et al. 2023), rescaled to 0 to 100.

    Of several references the best counts. The package lower-cases the texts, and cuts them to the length of its
    encoder (512 pieces) without a message. Its checkpoint is a pickle, which can run any code when it is loaded.
    """
    scorer = module.LENS(module.download_model("davidheineman/lens"), rescale=True)

    def compute(sources: list[str], candidates: list[str], references: list[list[str]]) -> Any:
        return scorer.score(sources, candidates, references, batch_size=16, devices=[0] if _on_gpu() else None)

    return compute


# ------------------------------------------------------------------------------------------- means of BLEU and SAMSA


def arithmetic_mean(bleu: NDArray[np.float64], samsa: NDArray[np.float64]) -> NDArray[np.float64]:
    """Arithmetic mean of two scores."""
    return (bleu + samsa) / 2


def geometric_mean(bleu: NDArray[np.float64], samsa: NDArray[np.float64]) -> NDArray[np.float64]:
    """Geometric mean of two scores of at least 0."""
    return np.sqrt(bleu * samsa)


def _register_mean(short: str, mean: Callable[[NDArray, NDArray], NDArray]) -> None:
    name, title = f"bleu-samsa-{short}", f"{short.upper()} of BLEU and SAMSA"

    @register(name, title, (0.0, 100.0), needs_reference=True, scale=1.0, seconds=5.0)
    def bleu_samsa() -> tuple[str, Compute]:
        """Mean of sentence BLEU and SAMSA, both from 0 to 100 (Alva-Manchego et al. 2021)."""
        (signature, parse), bleu = samsa(), lexical.bleu()

        def compute(sources: list[str], candidates: list[str], references: list[list[str]]) -> NDArray[np.float64]:
            unused = [[source] for source in sources]  # the arguments of SAMSA alone: the pairs are parsed once
            both = bleu.compute(sources, candidates, references), parse(sources, candidates, unused)
            return mean(*np.asarray(both))

        return f"{name}|{bleu.signature}|{signature}", compute


_register_mean("am", arithmetic_mean)
_register_mean("gm", geometric_mean)
