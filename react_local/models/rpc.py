"""Other machines as devices, by llama.cpp's RPC backend, where the build has it."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import lru_cache

from react_local.errors import ModelError
from react_local.models.library import ggml, llama


def add_servers(endpoints: Sequence[str]) -> None:
    """Make the devices of running rpc-servers (host:port) known to llama.cpp.

    Raises:
        ModelError: the build has no RPC backend, or a server does not answer.
    """
    for endpoint in endpoints:
        _add(endpoint)


@lru_cache
def _add(endpoint: str) -> None:
    if not llama().llama_supports_rpc():
        raise ModelError(
            "this build of llama.cpp has no RPC backend: build llama-cpp-python with "
            "CMAKE_ARGS=-DGGML_RPC=on"
        )
    find, address = ggml().ggml_backend_reg_by_name, ggml().ggml_backend_reg_get_proc_address
    find.restype = address.restype = ctypes.c_void_p
    address.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
    add_server = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_char_p)(
        address(find(b"RPC"), b"ggml_backend_rpc_add_server")
    )
    if not (server := add_server(endpoint.encode())):
        raise ModelError(f"no rpc-server answers at {endpoint}: start one there, or leave --rpc")
    ggml().ggml_backend_register(ctypes.c_void_p(server))
