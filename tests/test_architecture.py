"""The rooms of the package: a room imports only from rooms above it, and importing is cheap."""

import ast
import functools
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "nbhelpers"
MAY_IMPORT = {
    "base": set(),
    "resources": {"base"},
    "language": {"base", "resources"},
    "metrics": {"base", "resources", "language"},
    "results": {"base", "resources"},
    "studies": {"base", "resources", "language", "metrics", "results"},
    "leaderboard": {"base", "resources", "language", "metrics", "results", "studies"},
    "commands": {"base", "resources", "language", "metrics", "results", "studies", "leaderboard"},
    "runner": {"base", "resources", "results"},
}
FRONT = {"__init__", "__main__"}  # the package's face; its command line imports the module of a command when asked
HEAVY = "torch transformers gensim nltk matplotlib pandas sklearn seaborn IPython papermill".split()


def dotted(path: Path) -> str:
    return ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")


MODULES = {dotted(path): path for path in sorted(PACKAGE.rglob("*.py"))}


@functools.cache
def imports(path: Path) -> set[str]:
    """Modules of the package that a file imports, at its top or inside a function."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
            assert not node.level, f"{path} has a relative import"
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    found = {name for name in names if name in MODULES and name != "nbhelpers"}
    return {n for n in found if not any(other.startswith(n + ".") for other in found)} - {dotted(path)}


def room(module: str) -> str:
    return module.split(".")[1]


def test_the_package_is_its_rooms():
    found = {path.name.removesuffix(".py") for path in PACKAGE.iterdir() if path.name != "__pycache__"}
    assert found == set(MAY_IMPORT) | FRONT
    assert all((PACKAGE / name / "__init__.py").is_file() for name in MAY_IMPORT)


def test_a_room_imports_only_from_rooms_above_it():
    wrong = [
        f"{module} imports {other}"
        for module, path in MODULES.items()
        for other in imports(path)
        if module not in ("nbhelpers", "nbhelpers.__main__")  # the front may use every room
        and room(module) != room(other)
        and room(other) not in MAY_IMPORT[room(module)]
    ]
    assert not wrong, wrong


def test_no_study_imports_another():
    study = {m: m.split(".")[2] for m in MODULES if m.startswith("nbhelpers.studies.")}
    wrong = [f"{m} imports {o}" for m in study for o in imports(MODULES[m]) if o in study and study[o] != study[m]]
    assert not wrong, wrong


def test_no_circle_of_imports():
    TopologicalSorter({module: imports(path) for module, path in MODULES.items()}).prepare()


def test_tests_have_a_folder_for_each_room():
    folders = {path.name for path in Path(__file__).parent.iterdir() if any(path.glob("test_*.py"))}
    assert folders >= set(MAY_IMPORT)


def loaded(names: list[str]) -> set[str]:
    """Which heavy packages are there once some modules are imported."""
    code = f"import sys\nimport {', '.join(names)}\nprint(*[m for m in {HEAVY!r} if m in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=PACKAGE.parent)
    assert not result.returncode, result.stderr
    return set(result.stdout.split())


def test_importing_the_package_is_cheap():
    names = [name for name in MODULES if not name.endswith("__main__")]
    studies = [name for name in names if name.startswith("nbhelpers.studies.")]
    assert not loaded([name for name in names if name not in studies])
    assert loaded(studies) <= {"pandas"}  # whoever asks for a study gets its items and estimates, which are tables


def test_every_public_function_has_a_docstring():
    def public(body):
        kinds = ast.FunctionDef | ast.ClassDef
        return [node for node in body if isinstance(node, kinds) and not node.name.startswith("_")]

    lacking = []
    for path in MODULES.values():
        nodes = public(ast.parse(path.read_text()).body)
        nodes += [method for node in nodes if isinstance(node, ast.ClassDef) for method in public(node.body)]
        lacking += [f"{path.name}: {node.name}" for node in nodes if not ast.get_docstring(node)]
    assert not lacking, lacking
