"""The memory that is available for a model, given the machine and its limits."""

from __future__ import annotations

import mmap
import resource
from pathlib import Path

from react_local.models import cgroups


def free_memory(addresses: int = 0) -> int | None:
    """Bytes that this process could still allocate; None if unknown.

    Args:
        addresses: bytes that will be mapped in addition, which need address space but no memory.
    """
    left = _addresses()
    found = [_machine(), left and max(left - addresses, 0), *cgroups.memory()]
    return min((free for free in found if free is not None), default=None)


def _machine() -> int | None:
    """The memory that Linux reports as available."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    kib = next((line.split()[1] for line in lines if line.startswith("MemAvailable:")), None)
    return None if kib is None else int(kib) * 1024


def _addresses() -> int | None:
    """The address space that is left under ``ulimit -v``."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        return None
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except OSError:
        return None
    return max(limit - pages * mmap.PAGESIZE, 0)
