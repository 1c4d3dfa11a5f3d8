"""What the machine has, and what of it a build takes."""

from __future__ import annotations

import os
import re
from pathlib import Path

_ANONYMOUS = re.compile(rb"^RssAnon:\s*(\d+) kB", re.MULTILINE)


def cores() -> int:
    """Those that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def memory_in_use() -> int:
    """Bytes that this process and its children hold; files that are mapped do not count.

    Where the system does not tell (anything but Linux), the most that this process ever held.
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
    except OSError:  # It has just ended.
        return 0
    held = _ANONYMOUS.search(status)
    return int(held[1]) * 1024 if held else 0
