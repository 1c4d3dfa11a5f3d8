"""The resources of the machine for a model: idle cores, and GPUs with free memory."""

from __future__ import annotations

import ctypes
import os
from dataclasses import dataclass
from pathlib import Path

from react_local.errors import ModelError
from react_local.models import cgroups
from react_local.models.context import BATCH, SEQUENCES
from react_local.models.gguf import GGUFHeader
from react_local.models.library import ggml
from react_local.models.memory import free_memory
from react_local.models.options import RuntimeOptions

_SHARE = 0.9  # of the free memory that weights and cache may take
_SCRATCH = 512 << 20  # bytes of a GPU for the compute buffers
_REST = 64 << 20  # bytes for the compute buffers of a CPU, besides logits
_LIBRARIES = 300 << 20  # bytes of address space for libraries and threads while a model is loaded
_STEP = 256  # tokens; llama.cpp rounds contexts to a multiple
_LONGEST = 131_072  # tokens, if a model does not say for how many it was trained
_SHORTEST_SAMPLE = 10  # clock ticks; a shorter sample of the load is not reliable
_GPU, _INTEGRATED = 1, 2  # of ggml_backend_dev_type


@dataclass(frozen=True)
class Gpu:
    """A device that this build of llama.cpp can put layers on; memory in bytes."""

    name: str
    free: int
    total: int

    @property
    def room(self) -> int:
        """Bytes available for weights and cache."""
        return max(int(self.free * _SHARE) - _SCRATCH, 0)


def gpus() -> list[Gpu]:
    """The devices that llama.cpp can put layers on, in its order.

    Those of rpc-servers come first, then GPUs; integrated ones count only if there is no other GPU.
    """
    of_kind: dict[str, list[Gpu]] = {"rpc": [], "gpu": [], "integrated": []}
    library = _device_library()
    for index in range(library.ggml_backend_dev_count()):
        device = ctypes.c_void_p(library.ggml_backend_dev_get(ctypes.c_size_t(index)))
        kind = {_GPU: "gpu", _INTEGRATED: "integrated"}.get(library.ggml_backend_dev_type(device))
        if kind is None:
            continue
        backend = ctypes.c_void_p(library.ggml_backend_dev_backend_reg(device))
        if library.ggml_backend_reg_name(backend) == b"RPC":
            kind = "rpc"
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        library.ggml_backend_dev_memory(device, ctypes.byref(free), ctypes.byref(total))
        name = library.ggml_backend_dev_description(device).decode(errors="replace")
        of_kind[kind].append(Gpu(name, free.value, total.value))
    return of_kind["rpc"] + (of_kind["gpu"] or of_kind["integrated"])


def backends() -> list[str]:
    """The backends of this build of llama.cpp besides the CPU: CUDA, RPC…"""
    library = _device_library()
    found = []
    for index in range(library.ggml_backend_reg_count()):
        backend = ctypes.c_void_p(library.ggml_backend_reg_get(ctypes.c_size_t(index)))
        found.append(library.ggml_backend_reg_name(backend).decode(errors="replace"))
    return [name for name in found if name not in ("CPU", "BLAS") and not name.startswith("RPC[")]


def _device_library() -> ctypes.CDLL:
    library = ggml()
    for pointer in ("dev_get", "dev_backend_reg", "reg_get"):
        getattr(library, f"ggml_backend_{pointer}").restype = ctypes.c_void_p
    for text in ("dev_description", "reg_name"):
        getattr(library, f"ggml_backend_{text}").restype = ctypes.c_char_p
    return library


def gpu_shares(options: RuntimeOptions) -> list[float]:
    """The proportion of layers for each GPU: as given, else by its free memory.

    Raises:
        ModelError: GPUs are requested that llama.cpp does not see.
    """
    found, named = gpus(), options.main_gpu
    wanted = len(options.tensor_split) if named is None else named + 1
    if wanted > len(found):
        raise ModelError(
            f"{wanted} GPUs are named, and llama.cpp sees {len(found)}: `react-local doctor` says "
            "which"
        )
    if options.gpu_layers not in ("auto", 0) and not found:
        raise ModelError(
            f"llama.cpp sees no GPU for {options.gpu_layers} layers: leave --gpu-layers out, or "
            "see what `react-local doctor` says"
        )
    if named is not None:
        return [float(index == named) for index in range(len(found))]
    if options.tensor_split:
        return [*options.tensor_split, *[0.0] * (len(found) - wanted)]
    return [float(gpu.room) for gpu in found]


def layers_that_fit(header: GGUFHeader, options: RuntimeOptions, cache: int) -> int:
    """The number of layers, with their part of `cache` bytes, that fit in the GPUs' memory.

    The output counts as a layer, and llama.cpp puts it there first. The others count as equal.
    """
    output = header.output_bytes or header.input_bytes
    layers = header.layers or 0
    others = header.model_bytes - header.input_bytes - header.output_bytes + cache
    room = _gpu_room(options) - output
    if room <= 0:
        return 0
    return 1 + (min(layers, int(room * layers / others)) if others > 0 else layers)


def context_that_fits(header: GGUFHeader, options: RuntimeOptions) -> int | None:
    """The tokens whose cache fits besides the weights, at most the model's training length.

    In the GPUs' memory if they hold the weights, else in the machine's; None if it is unknown. A
    multiple of 256, and at least 256.
    """
    each = options.cache_bytes(header, _STEP) / _STEP
    whole = options.gpu_layers == "auto" or options.gpu_layers > (header.layers or 0)
    on_gpu = whole and (room := _gpu_room(options)) > header.model_bytes
    if not on_gpu:
        free = free_memory(header.model_bytes + _LIBRARIES)
        room = None if free is None else int(free * _SHARE) - _logits(header) - _REST
        each += _attention(header, options)
    if not each or room is None:
        return None
    tokens = min(int((room - header.model_bytes) / each), header.context_length or _LONGEST)
    return max(tokens // _STEP, 1) * _STEP


def _logits(header: GGUFHeader) -> int:
    """Bytes of the logits of a batch, and of those kept for each sequence."""
    return 4 * (BATCH + SEQUENCES) * header.vocabulary_size


def _attention(header: GGUFHeader, options: RuntimeOptions) -> int:
    """Bytes per cached token for computing a batch's attention on a CPU."""
    whole = options.flash_attention(header, gpu_layers=0) == "off"
    return 4 * BATCH * (header.heads or 0) if whole else 0


def _gpu_room(options: RuntimeOptions) -> int:
    """Bytes of weights and cache until the first of the GPUs that share them is full."""
    shares = gpu_shares(options)
    rooms = [gpu.room / share for gpu, share in zip(gpus(), shares, strict=True) if share]
    return int(min(rooms, default=0) * sum(shares))


def physical_cores() -> int:
    """The physical cores that this process may use by affinity, hyper-threads and cgroup quota."""
    allowed = _allowed()
    siblings = "/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list"
    try:
        cores = len({Path(siblings.format(cpu)).read_text() for cpu in allowed})
    except OSError:
        cores = len(allowed)
    return max(min([cores, *map(int, cgroups.cores())]), 1)


class Load:
    """How busy other processes keep the cores between its creation and a query.

    llama.cpp's threads wait for one another at every layer, so one that has to share its core
    delays all of them, and fewer threads are faster.
    """

    def __init__(self) -> None:
        self._start = _ticks()

    def idle_cores(self) -> int:
        """The physical cores that other processes leave idle; all of them if it is unknown."""
        cores = physical_cores()
        if self._start is None or (now := _ticks()) is None:
            return cores
        total, busy, own = (b - a for a, b in zip(self._start, now, strict=True))
        if total < _SHORTEST_SAMPLE:
            return cores
        others = max(busy - own, 0) * len(_allowed()) / total
        return max(cores - round(others), 1)


def _ticks() -> tuple[float, float, float] | None:
    """Clock ticks of the allowed cores since boot: total, busy, and by this process."""
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
