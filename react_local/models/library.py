"""llama.cpp as a library: started once, quiet, and its refusals in words.

Only its low-level calls are used. The `Llama` class of `llama_cpp` would hide crashes with the
chatter it silences, and keep a copy of all logits.
"""

from __future__ import annotations

import ctypes
import os
from collections import deque
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from types import ModuleType

from react_local.errors import ModelError

_SPIN = "1000"

_complaints: deque[str] = deque(maxlen=8)


@lru_cache(maxsize=1)
def llama() -> ModuleType:
    """The library, started, its log kept from the terminal."""
    # OpenMP's threads wait for each other by spinning. Where anything else runs on the machine,
    # its default length of that made two threads slower than one by ten and more.
    if "OMP_WAIT_POLICY" not in os.environ:
        os.environ.setdefault("GOMP_SPINCOUNT", _SPIN)

    import llama_cpp

    llama_cpp.llama_log_set(_log_callback(llama_cpp), ctypes.c_void_p())
    llama_cpp.llama_backend_init()
    return llama_cpp


@lru_cache(maxsize=1)
def build() -> tuple[str, int, int, str]:
    """What tells this build of llama.cpp from another: version, its file, what it was made for."""
    library = llama()
    stat = os.stat(library.llama_cpp._lib._name)
    features = library.llama_print_system_info().decode(errors="replace")
    return metadata.version("llama-cpp-python"), stat.st_size, stat.st_mtime_ns, features


@lru_cache(maxsize=1)
def _log_callback(library: ModuleType) -> ctypes._FuncPointer:
    warning, error = 3, 4

    @library.llama_log_callback
    def keep(level: int, text: bytes, _: ctypes.c_void_p) -> None:
        if level in (warning, error):
            _complaints.append(text.decode(errors="replace").strip())

    return keep


def load_model(
    path: Path, *, gpu_layers: int = 0, vocabulary_only: bool = False
) -> ctypes.c_void_p:
    """llama.cpp's handle of the model at `path`.

    Raises:
        ModelError: llama.cpp refuses the file; the message has its reason.
    """
    library = llama()
    options = library.llama_model_default_params()
    options.n_gpu_layers = gpu_layers
    options.vocab_only = vocabulary_only
    _complaints.clear()
    model = library.llama_model_load_from_file(os.fsencode(path), options)
    if not model:
        reasons = [line.rpartition(": ")[2] for line in _complaints if "error" in line]
        raise ModelError(f"{path} cannot be loaded: {reasons[0] if reasons else 'no reason given'}")
    return model
