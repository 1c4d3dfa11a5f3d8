"""The resources of the machine, and how many of them a build uses."""

from __future__ import annotations

import mmap
import os
import re
from pathlib import Path

from wiki_index.errors import BuildError

WORKER_MEMORY = 300 * 1024**2
"""The memory limit of a worker in bytes, if none is given for the build."""
_SMALL_DUMP = 256 * 1024
"""The size in bytes below which more than one worker is slower than one."""
_OWN_MEMORY = 512 * 1024**2
"""Bytes reserved for the build's own process while its workers run."""
_LEAST_WORKER_MEMORY = 160 * 1024**2
_ADDRESSES = 512 * 1024**2
"""Bytes of addresses for the threads of tantivy's writer, each with a heap of glibc's."""
_ANONYMOUS = re.compile(rb"^RssAnon:\s*(\d+) kB", re.MULTILINE)


def cores() -> int:
    """The number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def plan(workers: int | None, memory: int | None, dump_bytes: int) -> tuple[int, int]:
    """The number of workers, and the memory limit of each in bytes.

    `workers` (None: one a core, 0: none) are at most as many as `memory` (None: enough) allows.

    Raises:
        BuildError: it does not allow a single one.
    """
    if workers is None:
        workers = 1 if 0 < dump_bytes < _SMALL_DUMP else cores()
    if memory is None or not workers:
        return workers, WORKER_MEMORY
    left = memory - _OWN_MEMORY
    if left < _LEAST_WORKER_MEMORY:
        least = (_OWN_MEMORY + _LEAST_WORKER_MEMORY) >> 20
        raise BuildError(f"A build needs at least {least} MiB of memory: say --memory {least}M.")
    workers = min(workers, left // _LEAST_WORKER_MEMORY)
    return workers, left // workers


def check_addresses(count: int = _ADDRESSES) -> None:
    """Check that there is memory for the native libraries of a build, which abort without it.

    Raises:
        MemoryError: the process may not map `count` bytes more, as under a small ``ulimit -v``.
    """
    try:
        mmap.mmap(-1, count, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, mmap.PROT_READ).close()
    except OSError as error:
        raise MemoryError(f"{count >> 20} MiB of addresses") from error


def memory_in_use() -> int:
    """Bytes of memory that this process and its children use, without mapped files.

    On systems other than Linux: the maximum that this process has used.
    """
    try:
        children = Path(f"/proc/self/task/{os.getpid()}/children").read_text()
        return sum(map(_anonymous, ["self", *children.split()]))
    except OSError:
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _anonymous(process: str) -> int:
    try:
        status = Path(f"/proc/{process}/status").read_bytes()
    except OSError:  # The process has just ended.
        return 0
    held = _ANONYMOUS.search(status)
    return int(held[1]) * 1024 if held else 0
