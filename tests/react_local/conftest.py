"""Fixtures shared by the tests of the agent."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from a_run import PAGES

from react_local.environments import WikipediaEnvironment
from react_local.home import VARIABLE
from wiki_index import WikiIndex


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
