"""The limits on this process by Linux control groups, versions 1 and 2."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

_MEMBERSHIP = Path("/proc/self/cgroup")
_ROOT = Path("/sys/fs/cgroup")


def memory() -> Iterator[int]:
    """Bytes left under each memory limit; the file cache counts as free."""
    for group, is_old in _groups("memory"):
        names = ("limit_in_bytes", "usage_in_bytes") if is_old else ("max", "current")
        try:
            limit, used = (int((group / f"memory.{name}").read_text()) for name in names)
            lines = (group / "memory.stat").read_text().splitlines()
        except (OSError, ValueError):  # no such group, or "max": no limit
            continue
        stat = dict(line.split() for line in lines)
        prefix = "total_" if is_old else ""  # includes nested groups
        cached = sum(int(stat.get(f"{prefix}{kind}_file", 0)) for kind in ("active", "inactive"))
        yield max(limit - used + cached, 0)


def cores() -> Iterator[float]:
    """Each quota of CPU time, in cores."""
    for group, is_old in _groups("cpu"):
        names = ("cpu.cfs_quota_us", "cpu.cfs_period_us") if is_old else ("cpu.max",)
        try:
            text = " ".join((group / name).read_text() for name in names)
            quota, period = map(int, text.split())
        except (OSError, ValueError):
            continue
        if quota > 0:  # -1: none
            yield quota / period


def _groups(controller: str) -> Iterator[tuple[Path, bool]]:
    """The groups of this process, innermost first, and whether each is of version 1."""
    try:
        lines = _MEMBERSHIP.read_text().splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, path = line.split(":", 2)
        is_old = bool(controllers)
        if is_old and controller not in controllers.split(","):
            continue
        root = _ROOT / controller if is_old else _ROOT
        innermost = root / path.lstrip("/")
        for group in (innermost, *innermost.parents):
            yield group, is_old
            if group == root:
                break
