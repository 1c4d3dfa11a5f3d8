"""Fixtures shared by the tests of the agent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from a_run import PAGES, write_dump
from an_evaluation import questions_file, write
from click.testing import CliRunner, Result

from react_local.cli import main
from react_local.cli.model_options import ModelOptions
from react_local.environments import WikipediaEnvironment
from react_local.home import VARIABLE
from react_local.models.scripted import ScriptedModel
from wiki_index import WikiIndex, build_index


@pytest.fixture(scope="session")
def wiki() -> Iterator[WikiIndex]:
    with WikiIndex.from_pages(PAGES) as index:
        yield index


@pytest.fixture
def environment(wiki: WikiIndex) -> WikipediaEnvironment:
    return WikipediaEnvironment(wiki)


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the tests out of the user's own home directory."""
    monkeypatch.setenv(VARIABLE, str(tmp_path_factory.mktemp("home")))


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with an index of the small wiki, questions about it, and a file for a model."""
    place = tmp_path_factory.mktemp("wiki")
    build_index(write_dump(place / "alder.xml"), place / "index", dense=False)
    (place / "model.gguf").write_bytes(b"GGUF")
    questions_file(place / "questions.jsonl")
    return place


@pytest.fixture
def run_eval(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Call ``eval`` with a scripted model, into the same directory each time."""

    def call(*arguments: object, script=write, model: ScriptedModel | None = None) -> Result:
        made = model or (ScriptedModel(script) if script else None)
        monkeypatch.setattr(
            ModelOptions, "load", lambda *_: made or pytest.fail("a model was loaded")
        )
        named = ["--data", built / "questions.jsonl", "--index", built / "index"]
        words = [*named, "--model", built / "model.gguf", "--out", tmp_path / "run", *arguments]
        return CliRunner().invoke(main, ["eval", "--guide", "none", *map(str, words)])

    return call
