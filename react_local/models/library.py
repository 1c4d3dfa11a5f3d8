"""llama.cpp as a native library: loading it, silencing its log, reporting its errors.

Only its low-level functions are used. The `Llama` class of `llama_cpp` would hide crashes along
with the log that it silences, and keep a copy of all logits.
"""

from __future__ import annotations

import ctypes
import os
import re
import signal
import sys
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import Any

from react_local.errors import ModelError

_SPIN = "1000"
_ABORT_PLACE = re.compile(r"^.*?:\d+: ")
_ABORT_ADVICE = (
    ("RPC", "; see to the machines of --rpc"),
    ("CUDA", "; ask for fewer --gpu-layers, or a smaller --ctx"),
)
_COLON = re.compile(r": (?![^(]*\))")  # not inside brackets

_complaints: deque[str] = deque(maxlen=8)


@lru_cache(maxsize=1)
def llama() -> ModuleType:
    """The initialised library, with its log kept away from the terminal."""
    # OpenMP's threads wait for each other by spinning. If anything else runs on the machine, the
    # default spin count made two threads ten or more times slower than one.
    if "OMP_WAIT_POLICY" not in os.environ:
        os.environ.setdefault("GOMP_SPINCOUNT", _SPIN)

    try:
        import llama_cpp
        from llama_cpp._ggml import libggml
    except (RuntimeError, OSError) as error:
        _, _, why = str(error).rpartition("': ")  # after the library's own path
        raise ModelError(
            f"llama.cpp cannot be loaded: {why}; install what is missing (libcuda belongs to "
            "NVIDIA's driver, libcublas to the CUDA toolkit), or rebuild llama-cpp-python"
        ) from None

    libggml.ggml_set_abort_callback(_abort_callback())
    llama_cpp.llama_log_set(_log_callback(llama_cpp), ctypes.c_void_p())
    llama_cpp.llama_backend_init()
    return llama_cpp


def ggml() -> ctypes.CDLL:
    """The library of devices and backends that llama.cpp uses."""
    llama()
    from llama_cpp._ggml import libggml

    return libggml


@lru_cache(maxsize=1)
def _abort_callback() -> ctypes._FuncPointer:
    """A callback that ends the process with one line where llama.cpp would call ``abort()``.

    It does so if it cannot continue: a GPU is out of memory, or a server of ``--rpc`` is gone.
    """

    @ctypes.CFUNCTYPE(None, ctypes.c_char_p)
    def end(message: bytes) -> None:
        what = _ABORT_PLACE.sub("", message.decode(errors="replace")).strip()
        told = f": {said}" if (said := reason(default="")) else ""
        advice = next((advice for of, advice in _ABORT_ADVICE if of in what), "")
        line = f"react-local: llama.cpp gave up ({what}){told}{advice}"
        with suppress(OSError, ValueError):
            sys.stdout.flush()
            print(line, file=sys.stderr, flush=True)
        os._exit(1)

    return end


@lru_cache(maxsize=1)
def build() -> tuple[str, int, int, str]:
    """An identifier of this build of llama.cpp: version, file size and time, features."""
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


@contextmanager
def interrupt_kept() -> Iterator[list[int]]:
    """Delay Ctrl-C until C code that calls back into Python has returned, then raise it.

    Raised inside a callback, it would be printed and lost. The list yielded is empty until it is
    pressed.
    """
    pressed: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield pressed  # only the main thread gets interrupts
        return
    before = signal.signal(signal.SIGINT, lambda number, _: pressed.append(number))
    try:
        yield pressed
    finally:
        signal.signal(signal.SIGINT, before or signal.SIG_DFL)
    if pressed:
        raise KeyboardInterrupt


def load_model(path: Path, *, vocabulary_only: bool = False, **settings: Any) -> ctypes.c_void_p:
    """llama.cpp's handle of the model at `path`; `settings` are its `llama_model_params`.

    Raises:
        ModelError: llama.cpp refuses the file; the message gives the reason.
    """
    library = llama()
    options = library.llama_model_default_params()
    options.vocab_only = vocabulary_only
    for name, value in settings.items():
        setattr(options, name, value)
    _complaints.clear()
    with interrupt_kept() as pressed:
        go_on = library.llama_progress_callback(lambda _share, _data: not pressed)
        options.progress_callback = go_on
        model = library.llama_model_load_from_file(os.fsencode(path), options)
    if not model:
        raise ModelError(f"{path} cannot be loaded: {reason()}")
    return model


def load_adapter(path: Path, model: ctypes.c_void_p) -> ctypes.c_void_p:
    """llama.cpp's handle of a LoRA adapter for `model`, which is freed with the model.

    Raises:
        ModelError: it does not fit the model.
    """
    _complaints.clear()
    adapter = llama().llama_adapter_lora_init(model, os.fsencode(path))
    if not adapter:
        raise ModelError(f"{path} does not fit the model: {reason()}")
    return adapter


def complained(of: str) -> bool:
    """Whether llama.cpp has said something like `of` since it began to load the last model."""
    return any(of in line for line in _complaints)


def reason(default: str = "no reason given") -> str:
    """llama.cpp's error message of its last failure."""
    told = (line for line in _complaints if "error" in line or "fail" in line)
    return _COLON.split(next(told, default))[-1]
