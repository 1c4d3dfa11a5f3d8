"""Servers of ``--rpc``: one that is not there, or does not answer, is one line."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from threading import Event
from types import SimpleNamespace

import pytest

from react_local.errors import ModelError
from react_local.models import rpc


@pytest.fixture
def endpoint() -> Iterator[str]:
    """The address of a server that listens and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"127.0.0.1:{server.getsockname()[1]}"


@pytest.fixture
def build(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[int]]:
    """A build of llama.cpp whose RPC backend answers so; the list is what it registers."""

    def made(add_server: Callable[[bytes], int | None], *, supported: bool = True) -> list[int]:
        registered: list[int] = []
        register = lambda server: registered.append(server.value)  # noqa: E731
        monkeypatch.setattr(rpc, "ggml", lambda: SimpleNamespace(ggml_backend_register=register))
        library = SimpleNamespace(llama_supports_rpc=lambda: supported)
        monkeypatch.setattr(rpc, "llama", lambda: library)
        monkeypatch.setattr(rpc, "_add_server", lambda: add_server)
        monkeypatch.setattr(rpc, "_PATIENCE", 0.2)
        rpc._add.cache_clear()
        return registered

    return made


def test_a_server_is_registered_once(build, endpoint: str) -> None:
    asked: list[bytes] = []
    registered = build(lambda address: asked.append(address) or 7)
    rpc.add_servers([endpoint, endpoint])
    rpc.add_servers([endpoint])
    assert asked == [endpoint.encode()]
    assert registered == [7]


def test_a_build_without_rpc_says_how_to_make_one(build, endpoint: str) -> None:
    build(lambda _: 7, supported=False)
    with pytest.raises(ModelError, match="no RPC backend: CMAKE_ARGS=-DGGML_RPC=on pip install"):
        rpc.add_servers([endpoint])


def test_where_nothing_listens_llama_cpp_is_not_asked(build) -> None:
    registered = build(lambda _: pytest.fail("asked"))
    with socket.socket() as unused:  # bound, and not listening
        unused.bind(("127.0.0.1", 0))
        nowhere = f"127.0.0.1:{unused.getsockname()[1]}"
        with pytest.raises(ModelError, match=f"no rpc-server answers at {nowhere} "):
            rpc.add_servers([nowhere])
    assert registered == []


@pytest.mark.parametrize("blocks", [True, False])
def test_a_server_that_does_not_answer_is_not_waited_for(build, endpoint, blocks: bool) -> None:
    over = Event()
    registered = build((lambda _: over.wait(30)) if blocks else (lambda _: None))
    try:
        with pytest.raises(ModelError, match=f"the server at {endpoint} does not answer"):
            rpc.add_servers([endpoint])
    finally:
        over.set()
    assert registered == []
