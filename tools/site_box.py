"""Write what the box on the site's front page needs (`make site`): the metric as an ONNX model, and its runtime.

``python tools/site_box.py FOLDER`` exports `same-meaning`, as the weights in ``data/models`` are now, together with the
share of the encoder's own cosine that its ratings may have, and its head for words. Weights are stored with as many
bits as they move ratings (`sensitivity`) and become float32 again when the model is loaded: plain int8 moves ratings by
up to four points. The adapter stays apart from the encoder, which both the rating and the cosine use. The runtime comes
from npm, in the versions of ``docs/package-lock.json``; without npm the site is built without the box.
"""

import argparse
import json
import re
import shutil
import subprocess
import tempfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from nbhelpers.language import tokens
from nbhelpers.metrics import changes, check_all, load, meaning_model
from nbhelpers.resources.models import load_encoder

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "docs"
RUNTIME = {
    "ort.mjs": "onnxruntime-web/dist/ort.wasm.bundle.min.mjs",
    "tokenizers.mjs": "@huggingface/tokenizers/dist/tokenizers.min.mjs",
}
PYTHON = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
"""Files of the package pyodide, for the exercises."""

PACKED = {"ort.wasm.gz": "onnxruntime-web/dist/ort-wasm-simd-threaded.wasm"}
EXAMPLES = (
    ("Negation", "The bridge is safe for heavy lorries.", "The bridge is not safe for heavy lorries."),
    ("Number", "The last ferry leaves at ten past nine.", "The last ferry leaves at ten past five."),
    ("Other words", "The committee turned down the proposal.", "The committee rejected the plan."),
    ("Roles", "The nurse thanked the doctor for the answer.", "The doctor thanked the nurse for the answer."),
    ("Same words", "The council approved the plan on Monday.", "On Monday the council approved the plan."),
)
INPUTS = {name: {1: "pair"} for name in ("ids", "types", "sentence")}
INPUTS |= {name: {1: name} for name in ("source", "candidate")}
"""Names of the inputs of the model, with the dimensions that change."""

STEP = 2.9e-5
"""Sets all steps between the values that weights may have: a smaller one makes ratings exacter and the file larger."""

LARGEST = 8191
"""Largest whole number that a weight is stored as."""


class Rating(torch.nn.Module):
    """A pair in both orders, and its two texts alone, to the rating before calibration, and its damaged pieces."""

    def __init__(self, folder: Path):
        super().__init__()
        from peft import PeftModel
        from safetensors.torch import load_file

        self.settings = json.loads((folder / meaning_model.SETTINGS_FILE).read_text(encoding="utf-8"))
        if not self.settings["symmetric"]:
            raise SystemExit(f"{folder} rates one order only; the box shows the mean of both.")
        self.loaded = load_encoder(self.settings["encoder"]).loaded
        with meaning_model.without_library_notices():
            self.encoder = PeftModel.from_pretrained(self.loaded.model, str(folder))
        self.head = meaning_model.make_head(self.loaded.model.config.hidden_size)
        self.head.load_state_dict(load_file(folder / meaning_model.HEAD_FILE))
        self.words = meaning_model.make_words_head(self.loaded.model.config.hidden_size)
        self.words.load_state_dict(load_file(folder / meaning_model.WORDS_FILE))
        self.float().eval().requires_grad_(False)

    def encoded(self, source: str, candidate: str) -> tuple[torch.Tensor, ...]:
        """A pair as the inputs."""
        tokenizer, longest = self.loaded.tokenizer, self.settings["longest"]
        pair = meaning_model.encode_pairs(tokenizer, [source, candidate], [candidate, source], longest)
        alone = [torch.tensor([tokenizer(text)["input_ids"]]) for text in (source, candidate)]
        return (*meaning_model.as_tensors(pair, "cpu").values(), *alone)

    def forward(self, ids, types, sentence, source, candidate):
        hidden = self.encoder(input_ids=ids, token_type_ids=types).last_hidden_state
        rating = 100 * self.head(meaning_model.pool(hidden, sentence)).mean()
        with self.encoder.disable_adapter():
            vectors = [self.encoder(input_ids=each).last_hidden_state.mean(1)[0] for each in (source, candidate)]
        cosine = torch.nn.functional.cosine_similarity(*vectors, dim=0)
        return rating + self.settings["cosine"] * 100 * cosine, self.words(hidden[0])[:, 0].sigmoid()


def export(rating: Rating, file: Path) -> None:
    """Write the model, small and packed."""
    import onnx

    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / "model.onnx"
        row = torch.tensor([[0, 0, 0, 1, 1, 1]])
        example = [row.repeat(2 if axes[1] == "pair" else 1, 1) for axes in INPUTS.values()]
        torch.onnx.export(
            rating,
            tuple(example),
            str(whole),
            input_names=list(INPUTS),
            output_names=["rating", "damaged"],
            dynamic_axes=INPUTS | {"damaged": {0: "pair"}},
            opset_version=17,
            dynamo=False,
        )
        model = onnx.load(whole)
    shrink(model, sensitivity(rating))
    onnx.checker.check_model(model)
    file.write_bytes(packed(model.SerializeToString()))


def sensitivity(rating: Rating) -> dict[int, tuple[NDArray, NDArray]]:
    """How strongly ratings move with a weight in each row and in each column of the large matrices.

    That is the mean squared gradient of the rating, on pairs of the training part of the project's rewordings. Words
    that these pairs lack count as often as their place in the vocabulary says, where frequent words come first.

    Returns
    -------
    dict of int to (array, array)
        For the hash of each matrix, and of each one turned over: an export may have either.
    """
    matrices = [one for one in rating.parameters() if one.ndim == 2 and one.numel() >= 10_000]
    squares = [torch.zeros_like(one.requires_grad_()) for one in matrices]
    lines = (ROOT / "data" / "corpus" / "rewordings-en.jsonl").read_text(encoding="utf-8").splitlines()
    items = [one for one in map(json.loads, lines) if one["use"] == "training"][::13]
    for number, one in enumerate(items):
        texts = [*one["same"], one["small"], *one["changed"]]
        value = rating(*rating.encoded(one["source"], texts[number % len(texts)]))[0]
        for square, slope in zip(squares, torch.autograd.grad(value, matrices, allow_unused=True)):
            square += 0 if slope is None else slope**2 / len(items)
    rating.requires_grad_(False)
    vocabulary = rating.loaded.tokenizer.get_vocab()
    words = sorted(vocabulary, key=vocabulary.get)
    often = 1 / (100.0 + np.abs(np.arange(len(words)) - vocabulary["the"]))
    often[[not word.isascii() or word.startswith("[unused") for word in words]] = often.min() / 30
    found = {}
    for matrix, square in zip(matrices, squares):
        if square.any():
            rows, columns = square.mean(1).numpy(), square.mean(0).numpy()
            least = often / often.sum() if len(rows) == len(often) else 0.01 / len(rows)
            rows, columns = np.maximum(rows, rows.sum() * least), columns / columns.mean()
            columns = columns.clip(1 / 30, 30)
            found[hash(matrix.numpy().tobytes())] = rows, columns
            found[hash(matrix.numpy().T.tobytes())] = columns, rows
    return found


def shrink(model: Any, found: dict[int, tuple[NDArray, NDArray]]) -> None:
    """Store each matrix of an ONNX model whose `sensitivity` is known as whole numbers; loading computes it again."""
    from onnx import numpy_helper

    graph, nodes = model.graph, []
    for tensor in list(graph.initializer):
        weights = numpy_helper.to_array(tensor)
        if steps := found.get(hash(weights.tobytes())):
            graph.initializer.remove(tensor)
            nodes += restored(graph, tensor.name, weights, *steps)
    nodes += graph.node
    del graph.node[:]
    graph.node.extend(nodes)


def restored(graph: Any, name: str, weights: NDArray, rows: NDArray, columns: NDArray) -> list[Any]:
    """Put a matrix into a graph as whole numbers, high bits apart from low ones; the nodes that restore it.

    A weight's step is the smaller, the more strongly ratings move with its row and its column: with one size of file
    the expected error of the rating is smallest where every weight adds the same to it.
    """
    from onnx import helper, numpy_helper

    rows, columns = STEP / np.sqrt(rows)[:, None], 1 / np.sqrt(columns)[None]
    rows, columns = (one / one.mean() * np.sqrt(rows.mean() * columns.mean()) for one in (rows, columns))
    columns = columns.astype(np.float16).astype(np.float32)
    rows = np.maximum(rows, np.abs(weights / columns).max(1, keepdims=True) / LARGEST)
    scales = {"rows": rows.astype(np.float16), "columns": columns.astype(np.float16)}
    whole = np.round(weights / columns / scales["rows"].astype(np.float32)).astype(np.int16)
    bits = max(int(np.abs(whole).max()).bit_length() - 7, 0)
    parts = {"high": (whole >> bits).astype(np.int8), "low": (whole & (2**bits - 1)).astype(np.int8)} | scales
    constants = parts | {"step": np.float32(2**bits)}
    graph.initializer.extend(
        numpy_helper.from_array(np.asarray(one), f"{name}.{part}") for part, one in constants.items()
    )
    return [
        *(helper.make_node("Cast", [f"{name}.{part}"], [f"{name}.{part}32"], to=1) for part in parts),
        helper.make_node("Mul", [f"{name}.high32", f"{name}.step"], [f"{name}.stepped"]),
        helper.make_node("Add", [f"{name}.stepped", f"{name}.low32"], [f"{name}.whole"]),
        helper.make_node("Mul", [f"{name}.whole", f"{name}.rows32"], [f"{name}.in_rows"]),
        helper.make_node("Mul", [f"{name}.in_rows", f"{name}.columns32"], [name]),
    ]


def packed(content: bytes) -> bytes:
    """Content as gzip; weights have no repetitions to look for, only frequent and rare values."""
    packer = zlib.compressobj(9, wbits=31, strategy=zlib.Z_HUFFMAN_ONLY)
    return packer.compress(content) + packer.flush()


def token_pattern() -> str:
    """The regular expression of `nbhelpers.language.tokens` as JavaScript (flags ``gisu``) reads it.

    One alternative is left out: a single capital letter before a period, as in initials.
    """
    pattern = re.sub(r"\s+#.*", "", tokens.TOKEN.pattern)
    pattern = re.sub(r"\s+", "", pattern).replace(r"|(?-i:[A-Z])\.(?=$|[,;:)])", "")
    pattern = re.sub(r"([*+}])\+", r"\1", pattern)  # no possessive quantifiers
    for python, script in ((r"[^\W\d_]", r"\p{L}"), (r"[^\W_]", r"[\p{L}\p{N}]"), (r"\d", r"\p{Nd}"), (r"\#", "#")):
        pattern = pattern.replace(python, script)
    return re.sub(r"\\w", r"\\p{L}\\p{N}_", re.sub(r"(?<!\[)\\w(?=[\[(])", r"[\\p{L}\\p{N}_]", pattern))


def shown(source: str, candidate: str) -> dict[str, Any]:
    """What the box shows for a pair, as `docs/site/worker.js` computes it."""
    found = check_all([source], [candidate])[0]
    others = {name: float(load(name).ratings(load(name)([source], [candidate]))[0]) for name in ("chrf", "token-f1")}
    changed = [[*one.source, *one.candidate, one.cost] for one in found.changes]
    return {"rating": found.rating, **others, "changes": changed}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    shutil.rmtree(folder, ignore_errors=True)
    if not shutil.which("npm"):
        print("npm is missing: the site is built without the box to try a pair in.")
        return
    folder.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as install:
        for name in ("package.json", "package-lock.json"):
            shutil.copy(SOURCES / name, install)
        subprocess.run(
            ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"], cwd=install, check=True
        )
        modules = Path(install) / "node_modules"
        for name, file in RUNTIME.items():
            shutil.copy(modules / file, folder / name)
        for name, file in PACKED.items():
            (folder / name).write_bytes(zlib.compress((modules / file).read_bytes(), 9, wbits=31))
        python = folder.parent / "python"
        python.mkdir(exist_ok=True)
        for name in PYTHON:
            shutil.copy(modules / "pyodide" / name, python / name)
        shutil.copytree(modules / "axe-core", folder.parent.parent / "axe-core", dirs_exist_ok=True)  # for the tests
    rating = Rating(meaning_model.shipped_folder(meaning_model.SAME_MEANING))
    export(rating, folder / "model.onnx.gz")
    rating.loaded.tokenizer.save_pretrained(folder / "tokenizer")
    settings = {
        "longest": rating.settings["longest"],
        "calibration": rating.settings["calibration"],
        "verdict": rating.settings["verdict"],
        "token": token_pattern(),
        "small": sorted(changes.SMALL_WORDS),
        "examples": [{"name": n, "source": s, "candidate": c, **shown(s, c)} for n, s, c in EXAMPLES],
        "bytes": sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()),
    }
    (folder / "settings.json").write_text(json.dumps(settings, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
