"""The rule of who may import whom, the exports, and that help costs no heavy import."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import click
import pytest

from react_local.cli import main

ROOT = Path(__file__).parents[1]
OURS = {"grammars", "react_local", "wiki_index"}

HEAVY = {
    "faiss": {"wiki_index/dense.py"},
    "llama_cpp": {"react_local/models/hardware.py", "react_local/models/library.py"},
    "llguidance": None,
    "mwparserfromhell": {"wiki_index/expansion.py"},
    "outlines": None,
    "ray": {"wiki_index/cluster.py"},
    "onnxruntime": {"wiki_index/encoder.py"},
    "sentence_transformers": {"wiki_index/encoder.py"},
    "torch": {"wiki_index/encoder.py"},
}
"""Who may import what is heavy; None: anyone inside a function."""


def modules() -> Iterator[Path]:
    for package in sorted(OURS):
        yield from sorted((ROOT / package).rglob("*.py"))


def imported(path: Path) -> set[str]:
    """The full names of what a module imports, anywhere in it but for type checking."""
    names: set[str] = set()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    ignored = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if node in ignored:
            continue
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def ours(path: Path) -> set[str]:
    return {name for name in imported(path) if name.partition(".")[0] in OURS}


@pytest.mark.parametrize("package", ["grammars", "wiki_index"])
def test_the_libraries_below_import_nothing_else_of_ours(package):
    for path in (ROOT / package).rglob("*.py"):
        assert {name.partition(".")[0] for name in ours(path)} <= {package}, path


@pytest.mark.parametrize("module", ["types", "errors"])
def test_types_and_errors_import_nothing_of_ours(module):
    assert ours(ROOT / "react_local" / f"{module}.py") == set()


def test_only_the_command_line_imports_the_command_line():
    for path in modules():
        inside = path.is_relative_to(ROOT / "react_local" / "cli")
        if not inside and path.name != "__main__.py":
            assert not any(name.startswith("react_local.cli") for name in ours(path)), path


def test_only_the_command_line_wires_models_and_indexes_together():
    for path in (ROOT / "react_local").rglob("*.py"):
        if not path.is_relative_to(ROOT / "react_local" / "cli"):
            loads = {"wiki_index.WikiIndex", "wiki_index.build_index"} & imported(path)
            assert not loads, path


@pytest.mark.parametrize("library", HEAVY)
def test_heavy_libraries_have_their_one_place(library):
    allowed = HEAVY[library]
    if allowed is None:
        return
    users = {
        str(path.relative_to(ROOT))
        for path in modules()
        if any(name.partition(".")[0] == library for name in imported(path))
    }
    assert users <= allowed


SCRIPTS = sorted((ROOT / "scripts").glob("*.py"))


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_scripts_import_what_there_is(path):
    for name in ours(path):
        module, _, member = name.rpartition(".")
        if not (module and hasattr(importlib.import_module(module), member)):
            importlib.import_module(name)  # a module, or an error


@pytest.mark.parametrize(
    "path",
    [path for path in modules() if path.name == "__init__.py" and "__all__" in path.read_text()],
    ids=lambda path: str(path.parent.relative_to(ROOT)),
)
def test_exports_are_sorted_and_complete(path):
    package = importlib.import_module(".".join(path.parent.relative_to(ROOT).parts))
    exported = package.__all__
    assert len(set(exported)) == len(exported)
    # As ruff sorts them: constants, classes, functions; each by name.
    assert exported == sorted(exported, key=lambda name: (_kind(name), name))
    for name in exported:
        assert getattr(package, name) is not None
    assert public(path, package) <= set(exported)


def public(path: Path, package: ModuleType) -> set[str]:
    """What a package's own file defines, or gathers where it defines nothing."""
    body = ast.parse(path.read_text(encoding="utf-8")).body
    named = {node.name for node in body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    gathered = {
        alias.asname or alias.name
        for node in body
        if isinstance(node, ast.ImportFrom) and node.module.partition(".")[0] in OURS
        for alias in node.names
    }
    modules = {name for name in gathered if isinstance(getattr(package, name), ModuleType)}
    return {name for name in named or gathered - modules if not name.startswith("_")}


def _kind(name: str) -> int:
    return 0 if name.isupper() else 1 if name[0].isupper() else 2


def commands() -> Iterator[tuple[str, ...]]:
    yield ()
    for name, command in main.commands.items():
        assert not isinstance(command, click.Group)
        yield (name,)


@pytest.mark.parametrize("command", list(commands()), ids=" ".join)
def test_every_command_has_help_with_an_example(command):
    help_text = main.make_context("react-local", [], resilient_parsing=True).get_help()
    if command:
        context = click.Context(main.commands[command[0]], info_name=command[0])
        help_text = context.get_help()
        for parameter in main.commands[command[0]].params:
            assert not isinstance(parameter, click.Option) or parameter.help, parameter.name
    assert "Example" in help_text
    assert "react-local " in help_text


def test_help_and_the_package_itself_import_nothing_heavy():
    program = (
        "import sys, react_local\n"
        "from click.testing import CliRunner\n"
        "from react_local.cli import main\n"
        "for name in (None, *main.commands):\n"
        "    words = ['--help'] if name is None else [name, '--help']\n"
        "    assert CliRunner().invoke(main, words).exit_code == 0, name\n"
        f"heavy = {set(HEAVY) | {'numpy', 'tantivy', 'lxml', 'rich', 'jinja2'}!r}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
