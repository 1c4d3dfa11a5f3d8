"""The home directory: where it is, which index is meant, what was used last."""

from __future__ import annotations

from pathlib import Path

import pytest

from react_local.errors import NotFound
from react_local.home import VARIABLE, Home


@pytest.fixture
def here(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


def add_index(home: Home, name: str) -> Path:
    path = home.indexes / name
    path.mkdir(parents=True)
    (path / "manifest.json").write_text("{}")
    return path


def test_the_variable_names_the_home(monkeypatch, tmp_path):
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    assert Home.find().models == tmp_path / "models"
    monkeypatch.delenv(VARIABLE)
    assert Home.find().path.name == "react-local"


def test_an_index_is_a_path_or_a_name(here, tmp_path, monkeypatch):
    inside = add_index(here, "wiki")
    assert here.index("wiki") == inside
    outside = tmp_path / "wiki"
    outside.mkdir()
    assert here.index(str(outside)) == outside
    monkeypatch.chdir(tmp_path)
    assert here.index("wiki") == inside  # the directory here is no index
    (outside / "manifest.json").write_text("{}")
    assert here.index("wiki") == Path("wiki")  # what lies here comes first


def test_an_index_that_is_being_built_is_left_to_what_opens_it(here, tmp_path):
    (tmp_path / "wiki.building").mkdir()
    assert here.index(str(tmp_path / "wiki")) == tmp_path / "wiki"


def test_a_missing_index_is_told_with_what_there_is(here):
    with pytest.raises(NotFound, match=r"no index 'x'.*build-index"):
        here.index("x")
    add_index(here, "wiki")
    with pytest.raises(NotFound, match=r"no index 'x'.*one of these names \(wiki\)"):
        here.index("x")


def test_the_default_is_the_last_used_or_the_only_one(here, tmp_path):
    with pytest.raises(NotFound, match="no index has been used yet"):
        here.index()
    wiki = add_index(here, "wiki")
    assert here.index() == wiki
    add_index(here, "other")
    with pytest.raises(NotFound, match="other, wiki"):
        here.index()
    here.remember(index=wiki)
    assert here.index() == wiki
    here.remember(index=tmp_path / "gone")
    with pytest.raises(NotFound):
        here.index()


def test_what_a_build_leaves_behind_is_no_index(here):
    add_index(here, "wiki.building")
    add_index(here, "wiki.replaced")
    (here.indexes / "empty").mkdir()
    assert here.index_names() == []


def test_one_thing_remembered_does_not_forget_the_other(here, tmp_path):
    here.remember(model=tmp_path / "m.gguf")
    here.remember(index=tmp_path / "i")
    assert here.last("model") == str(tmp_path / "m.gguf")
    assert here.last("index") == str(tmp_path / "i")
    assert [path.name for path in here.path.iterdir()] == ["state.json"]


@pytest.mark.parametrize("state", [b"", b"{", b"[]", b"\xff", b"[" * 200_000, b'{"index": 3}'])
def test_a_damaged_state_is_as_none(here, state):
    here.path.mkdir()
    (here.path / "state.json").write_bytes(state)
    assert here.last("index") is None
    here.remember(index=here.path)
    assert here.last("index") == str(here.path)


def test_a_home_that_cannot_be_made_is_no_failure(tmp_path):
    (tmp_path / "file").write_text("")
    Home(tmp_path / "file" / "home").remember(index=tmp_path)
