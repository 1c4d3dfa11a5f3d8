"""Other machines as devices, by llama.cpp's RPC backend, if the build has it."""

from __future__ import annotations

import ctypes
import socket
from collections.abc import Callable, Sequence
from functools import lru_cache
from threading import Thread

from react_local.errors import ModelError
from react_local.models.library import ggml, llama
from react_local.models.options import parse_endpoint

_PATIENCE = 10.0  # seconds to wait for the answer of a server


def add_servers(endpoints: Sequence[str]) -> None:
    """Register the devices of running rpc-servers (HOST:PORT) with llama.cpp.

    Raises:
        ModelError: the build has no RPC backend, or a server does not answer.
    """
    for endpoint in endpoints:
        _add(endpoint)


@lru_cache
def _add(endpoint: str) -> None:
    if not llama().llama_supports_rpc():
        raise ModelError(
            "this build of llama.cpp has no RPC backend: CMAKE_ARGS=-DGGML_RPC=on pip install "
            "--force-reinstall --no-deps --no-cache-dir --no-binary llama-cpp-python "
            "llama-cpp-python builds one that has"
        )
    _check_listens(endpoint)
    server = _within_patience(lambda: _add_server()(endpoint.encode()))
    if not server:
        raise ModelError(
            f"the server at {endpoint} does not answer: check that it is an rpc-server of the "
            "same llama.cpp and not in use, since it serves one program at a time"
        )
    ggml().ggml_backend_register(ctypes.c_void_p(server))


def _check_listens(endpoint: str) -> None:
    """Raise ModelError if no server listens, in which case llama.cpp would end the process."""
    with socket.socket(socket.AF_INET) as trial:  # llama.cpp does not support IPv6
        trial.settimeout(_PATIENCE)
        try:
            trial.connect(parse_endpoint(endpoint))
        except (OSError, UnicodeError) as error:
            why = getattr(error, "strerror", None) or error
            raise ModelError(
                f"no rpc-server answers at {endpoint} ({why}): start one there, or leave out --rpc"
            ) from None


def _add_server() -> Callable[[bytes], int | None]:
    find, address = ggml().ggml_backend_reg_by_name, ggml().ggml_backend_reg_get_proc_address
    find.restype = address.restype = ctypes.c_void_p
    address.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
    kind = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_char_p)
    return kind(address(find(b"RPC"), b"ggml_backend_rpc_add_server"))


def _within_patience(call: Callable[[], int | None]) -> int | None:
    """The result of `call`, which may block forever; None after a timeout."""
    returned: list[int | None] = []
    thread = Thread(target=lambda: returned.append(call()), daemon=True)
    thread.start()
    thread.join(_PATIENCE)
    return returned[0] if returned else None
