"""What a run needs around it, checked before any kernel starts: data folders, models, a cluster."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from nbhelpers.base import paths
from nbhelpers.base.errors import ParameterError, ResourceNotFoundError, did_you_mean
from nbhelpers.base.shards import connect
from nbhelpers.resources import base_model, data, models

MODEL_PARAMETERS = ("model", "spanish_model", "foreign_model", "meaningbert", "encoder")
"""Parameters of notebooks that name a model; an empty text names none."""
_HUB_TIMEOUT = 5.0
"""Seconds that the hub has to say whether it knows a model."""
_SHIPPED = (models.EMBEDDED, models.DEFAULT_ENCODER)


def check_models(values: Mapping[str, Any]) -> None:
    """Check that the models that a notebook's parameters name are on this machine, or else on the hub.

    Parameters
    ----------
    values : mapping of str to object
        Values of a notebook's parameters.

    Raises
    ------
    ParameterError
        A model is neither; the message names the near match.
    InputError
        ``NBHELPERS_DATA`` names a folder that does not exist.
    """
    paths.data_folders()
    for name in [values[each] for each in MODEL_PARAMETERS if values.get(each)]:
        wanted = base_model.ENCODER if name == base_model.BASE else name
        if wanted in _SHIPPED or any(folder.is_dir() for folder in models.folders_of(wanted)):
            continue
        if not (why := _not_on_the_hub(wanted)):
            continue
        known = [*_SHIPPED, base_model.BASE, *(resource.hub for resource in data.registry().values() if resource.hub)]
        hint = f"put its folder at models/{name} under NBHELPERS_DATA" if name in known else did_you_mean(name, known)
        raise ParameterError(f"no model {name!r} is {why}; {hint if wanted == name else base_model.HOW_TO_GET}")


def _not_on_the_hub(name: str) -> str:
    """Why the hub, or offline its cache, cannot give a model; empty if it can."""
    import huggingface_hub
    from huggingface_hub import errors

    try:
        if isinstance(huggingface_hub.try_to_load_from_cache(name, "config.json"), str):
            return ""
        if paths.is_offline():
            return "on this machine (NBHELPERS_OFFLINE is set)"
        huggingface_hub.get_hf_file_metadata(huggingface_hub.hf_hub_url(name, "config.json"), timeout=_HUB_TIMEOUT)
    except errors.GatedRepoError:  # it is there, and may be loaded after a login
        return ""
    except (errors.HFValidationError, errors.RepositoryNotFoundError, errors.EntryNotFoundError):
        return "known"
    except Exception as error:
        return f"on this machine, and the hub gives no answer ({type(error).__name__})"
    return ""


def is_here(name: str) -> bool:
    """Whether a registered data set is on this machine; nothing is fetched.

    Examples
    --------
    >>> is_here("wordsim353")  # inside gensim
    True
    """
    try:
        data.find(name, allow_shipped=False, download=False)
    except ResourceNotFoundError:
        return False
    return True


def missing_data(needs: Iterable[str]) -> list[str]:
    """Data sets that a notebook needs and that are not on this machine; what can be fetched is fetched.

    Parameters
    ----------
    needs : iterable of str
        Names of data sets and models. Of models, those that the parameters name count: see `check_models`.

    Returns
    -------
    list of str
        A sentence for each missing one: where it was looked for and how to get it.
    """
    models_of, missing = {name for name, resource in data.registry().items() if resource.kind == "model"}, []
    for name in needs:
        try:
            if name not in models_of:
                data.find(name, allow_shipped=False)
        except ResourceNotFoundError as error:
            missing.append(str(error))
    return missing


def check_cluster(address: str) -> None:
    """Check that a Dask scheduler answers and has workers.

    Parameters
    ----------
    address : str
        Such as ``tcp://10.0.0.1:8786``.

    Raises
    ------
    WorkerError
        No scheduler answers.
    ParameterError
        It has no workers.
    """
    with connect(address) as client:
        if not client.nthreads():
            raise ParameterError(f"the Dask scheduler at {address} has no workers")
