"""The floors of the package: a module imports only from floors below its own, and importing is cheap."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "nbhelpers"

FLOORS = {
    0: {"errors", "paths", "files", "stats", "plots", "widgets", "exercises"},
    1: {"data", "models", "published", "ledger", "treebank", "pyramid_files", "csmd"},
    2: {"mlm", "text", "text_training", "pretrain", "pretrain_card", "vector_files", "vector_contexts"},
    3: {"ndd", "metrics", "vectors", "vector_training", "meaning_model"},
    4: {"cases", "compression", "span_search", "pruning", "predicates", "meaningbert", "sanity", "pyramid", "ordering",
        "paraphrase", "leaderboard", "collections"},
    5: {"run", "notebook_parameters", "notebook_process", "run_report", "shards", "record", "__main__"},
}  # fmt: skip
MAY_IMPORT_ITS_OWN_FLOOR = {
    ("files", "errors"), ("plots", "paths"), ("plots", "errors"), ("stats", "errors"), ("widgets", "errors"),
    ("paths", "errors"), ("widgets", "paths"),
    ("data", "ledger"), ("csmd", "data"), ("models", "data"), ("metrics", "ndd"), ("metrics", "vectors"),
    ("meaning_model", "metrics"),
    ("pretrain", "pretrain_card"), ("text_training", "text"),
    ("vector_contexts", "text"), ("vector_training", "vectors"),
    ("pruning", "compression"),
    ("compression", "span_search"), ("pruning", "span_search"), ("record", "run"), ("run", "record"),
    ("run", "notebook_parameters"), ("run", "notebook_process"), ("run", "run_report"),
    ("run_report", "notebook_parameters"),
}  # fmt: skip
HEAVY = ("torch", "transformers", "gensim", "nltk", "matplotlib", "pandas", "sklearn", "seaborn", "IPython")


def floor_of(module: str) -> int:
    found = [floor for floor, modules in FLOORS.items() if module in modules]
    assert found, f"nbhelpers.{module} stands on no floor: add it to FLOORS"
    return found[0]


def modules() -> dict[str, list[Path]]:
    files: dict[str, list[Path]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        if name != "__init__":
            files.setdefault(name, []).append(path)
    return files


def imports(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "nbhelpers":
            parts = node.module.split(".")
            names |= {parts[1]} if len(parts) > 1 else {alias.name for alias in node.names}
        elif isinstance(node, ast.Import):
            names |= {a.name.split(".")[1] for a in node.names if a.name.startswith("nbhelpers.")}
    return {name for name in names if name in modules()}


@pytest.mark.parametrize("module", sorted(modules()))
def test_modules_import_only_from_floors_below(module):
    for path in modules()[module]:
        for other in imports(path) - {module}:
            allowed = floor_of(other) < floor_of(module) or (module, other) in MAY_IMPORT_ITS_OWN_FLOOR
            assert allowed, f"{module} (floor {floor_of(module)}) imports {other} (floor {floor_of(other)})"


def test_importing_the_package_is_cheap():
    names = [f"nbhelpers.{name}" for name in modules() if name != "__main__"]
    code = f"import sys\nimport {', '.join(names)}\nprint([m for m in {HEAVY!r} if m in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=PACKAGE.parent)
    assert result.stdout.strip() == "[]", result.stdout + result.stderr


def test_every_public_function_has_a_docstring():
    lacking = []
    for files in modules().values():
        for path in files:
            tree = ast.parse(path.read_text())
            kinds = ast.FunctionDef | ast.ClassDef
            nodes = [n for n in tree.body if isinstance(n, kinds) and not n.name.startswith("_")]
            nodes += [m for c in nodes if isinstance(c, ast.ClassDef) for m in c.body
                      if isinstance(m, ast.FunctionDef) and not m.name.startswith("_")]  # fmt: skip
            lacking += [f"{path.name}: {node.name}" for node in nodes if not ast.get_docstring(node)]
    assert not lacking, lacking
