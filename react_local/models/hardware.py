"""What the machine has for a model: cores that stand idle, and GPUs with free memory."""

from __future__ import annotations

import ctypes
import os
from dataclasses import dataclass
from pathlib import Path

from react_local.models.gguf import GGUFHeader
from react_local.models.library import ggml, llama
from react_local.models.options import RuntimeOptions

_SHARE = 0.9  # of the free memory, that weights and cache may take
_SCRATCH = 512 << 20  # bytes for the compute buffers
_STEP = 256  # tokens, of which llama.cpp makes contexts
_LONGEST = 131_072  # tokens, where a model does not say for how many it was trained
_SHORTEST_SAMPLE = 10  # clock ticks, below which the load is not worth asking


@dataclass(frozen=True)
class Gpu:
    """A device that this build of llama.cpp can put layers on; memory in bytes."""

    name: str
    free: int
    total: int


def gpus() -> list[Gpu]:
    """The GPUs that llama.cpp sees; none where it was built without GPU support."""
    if not llama().llama_supports_gpu_offload():
        return []
    libggml = ggml()
    libggml.ggml_backend_dev_get.restype = ctypes.c_void_p
    libggml.ggml_backend_dev_description.restype = ctypes.c_char_p
    found = []
    for index in range(libggml.ggml_backend_dev_count()):
        device = ctypes.c_void_p(libggml.ggml_backend_dev_get(ctypes.c_size_t(index)))
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        libggml.ggml_backend_dev_memory(device, ctypes.byref(free), ctypes.byref(total))
        if libggml.ggml_backend_dev_type(device) == 1:  # GGML_BACKEND_DEVICE_TYPE_GPU
            name = libggml.ggml_backend_dev_description(device).decode(errors="replace")
            found.append(Gpu(name, free.value, total.value))
    return found


def layers_that_fit(header: GGUFHeader, cache: int) -> int:
    """How many layers of a model, with their part of `cache` bytes, the GPUs have memory for.

    An estimate from the file's size: the output counts as one layer more, and layers as equal.
    """
    layers = (header.layers or 0) + 1
    each = (header.file_size + cache) / layers
    return min(layers, int(_gpu_room() / each)) if each else 0


def context_that_fits(header: GGUFHeader, options: RuntimeOptions) -> int | None:
    """Tokens whose cache fits beside the weights, at most what the model was trained for.

    In the GPUs' memory where they hold the weights, else in the machine's; None where there is no
    telling. A multiple of 256, of which there is one at least.
    """
    each = options.cache_bytes(header, _STEP) / _STEP
    on_gpu = options.gpu_layers != 0 and _gpu_room() > header.file_size
    free = _gpu_room() if on_gpu else free_memory()
    if not each or free is None:
        return None
    room = free if on_gpu else int(free * _SHARE) - _SCRATCH
    tokens = min(int((room - header.file_size) / each), header.context_length or _LONGEST)
    return max(tokens // _STEP, 1) * _STEP


def free_memory() -> int | None:
    """Bytes that Linux could give to a program now; None elsewhere."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    kib = next((line.split()[1] for line in lines if line.startswith("MemAvailable:")), None)
    return None if kib is None else int(kib) * 1024


def _gpu_room() -> int:
    """Bytes that the GPUs have for weights and cache."""
    return sum(max(int(gpu.free * _SHARE) - _SCRATCH, 0) for gpu in gpus())


def physical_cores() -> int:
    """Physical cores that this process may use: by affinity, hyper-threads and cgroup quota."""
    allowed = _allowed()
    siblings = "/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list"
    try:
        cores = len({Path(siblings.format(cpu)).read_text() for cpu in allowed})
    except OSError:
        cores = len(allowed)
    try:
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text().split()
        cores = min(cores, int(quota) // int(period))
    except (OSError, ValueError):  # no cgroup, or "max": no quota
        pass
    return max(cores, 1)


class Load:
    """How busy others keep the cores, from its making to when it is asked.

    llama.cpp's threads wait for one another at every layer, so one that has to share its core
    holds up all: fewer threads are then faster.
    """

    def __init__(self) -> None:
        self._start = _ticks()

    def idle_cores(self) -> int:
        """Physical cores that others left idle; all of them where there is no telling."""
        cores = physical_cores()
        if self._start is None or (now := _ticks()) is None:
            return cores
        total, busy, own = (b - a for a, b in zip(self._start, now, strict=True))
        if total < _SHORTEST_SAMPLE:
            return cores
        others = max(busy - own, 0) * len(_allowed()) / total
        return max(cores - round(others), 1)


def _ticks() -> tuple[float, float, float] | None:
    """Clock ticks since boot of the cores allowed: all, busy, and this process's own."""
    names = {f"cpu{cpu}" for cpu in _allowed()}
    try:
        lines = [line.split() for line in Path("/proc/stat").read_text().splitlines()]
    except OSError:
        return None
    # user, nice, system, idle, iowait, irq, softirq, steal (proc_stat(5)); guests are in user.
    times = [[int(number) for number in line[1:9]] for line in lines if line[0] in names]
    total = sum(map(sum, times))
    idle = sum(time[3] + time[4] for time in times)
    mine = os.times()
    own = (mine.user + mine.system) * os.sysconf("SC_CLK_TCK")
    return total, total - idle, own


def _allowed() -> frozenset[int]:
    """The logical cores that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return frozenset(os.sched_getaffinity(0))
    return frozenset(range(os.cpu_count() or 1))
