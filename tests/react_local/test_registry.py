"""The models on this machine: found, named, and put together from their packages."""

from __future__ import annotations

from pathlib import Path

import pytest
from gguf_files import changed, gguf, write

from react_local.errors import NotFound
from react_local.models import registry
from react_local.models.registry import RECOMMENDED, default_model, installed, resolve


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A models directory on a machine without model packages."""
    monkeypatch.setattr(registry, "find_spec", lambda name: None)
    directory = tmp_path / "models"
    directory.mkdir()
    return directory


def test_an_empty_machine_says_what_to_do(models: Path) -> None:
    assert installed(models) == []
    assert installed(models / "missing") == []
    for ask in (lambda: resolve("gemma", models), lambda: default_model(models)):
        with pytest.raises(NotFound, match=r"react-local\[starter\]"):
            ask()


def test_files_are_listed_with_what_is_wrong_with_them(models: Path) -> None:
    write(models / "Tiny-Chat.Q4.gguf", gguf())
    write(models / "bert.gguf", gguf(changed(general__architecture="bert")))
    write(models / "cut.gguf", gguf()[:200])
    write(models / "big-00002-of-00002.gguf", gguf(changed(split__no=1)))
    found = {file.name: file for file in installed(models)}
    assert list(found) == ["bert", "cut", "Tiny-Chat.Q4"]
    assert found["Tiny-Chat.Q4"].problem is None
    assert "embeddings" in str(found["bert"].problem)
    assert found["cut"].header is None
    assert default_model(models) == models / "Tiny-Chat.Q4.gguf"


def test_a_name_is_a_file_a_stem_a_beginning_or_a_path(models: Path) -> None:
    tiny = write(models / "Tiny-Chat.Q4.gguf", gguf())
    write(models / "Other.gguf", gguf())
    for name in ("Tiny-Chat.Q4.gguf", "tiny-chat.q4", "tiny", str(tiny), tiny):
        assert resolve(name, models) == tiny
    assert resolve("nowhere/x.gguf", models) == Path("nowhere/x.gguf")
    with pytest.raises(NotFound, match=r"there is no model 'x': .*Other, Tiny-Chat\.Q4"):
        resolve("x", models)


def test_a_name_of_several_must_be_longer(models: Path) -> None:
    write(models / "Tiny-A.gguf", gguf())
    write(models / "Tiny-B.gguf", gguf())
    with pytest.raises(NotFound, match="may mean Tiny-A, Tiny-B"):
        resolve("tiny", models)
    with pytest.raises(NotFound, match="name one with --model"):
        default_model(models)
    assert default_model(models, str(models / "Tiny-B.gguf")) == models / "Tiny-B.gguf"
    assert resolve("tiny-a", models) == models / "Tiny-A.gguf"


@pytest.mark.model
def test_the_starter_is_put_together_once(tmp_path: Path) -> None:
    if registry.find_spec(registry.STARTER) is None:
        pytest.skip("the starter model's package is not installed")
    path = registry.assemble_starter(tmp_path / "models")
    assert path is not None
    made = path.stat()
    assert default_model(tmp_path / "models") == path
    assert path.stat().st_mtime_ns == made.st_mtime_ns
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    path.write_bytes(path.read_bytes()[:1000])
    assert registry.assemble_starter(tmp_path / "models") == path
    assert path.stat().st_size == made.st_size


def test_what_is_worth_bringing_has_plausible_sizes() -> None:
    for model in RECOMMENDED:
        assert 4 < 8 * model.file_bytes / model.parameters < 5.5
        assert model.file_bytes < model.memory_bytes(2048) < model.memory_bytes(8192)
    assert [m.file_bytes for m in RECOMMENDED] == sorted(m.file_bytes for m in RECOMMENDED)
