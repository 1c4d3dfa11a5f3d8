"""Parse on a Ray cluster (https://docs.ray.io/en/latest/ray-core/tasks.html).

Each task parses some streams in a separate process that can be killed, and returns a shard. The
build merges the shards in the order of the dump. If a machine is lost, Ray repeats its tasks, and
those whose shards were lost with it, on the other machines.
"""

from __future__ import annotations

import hashlib
import os
import socket
import tempfile
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from wiki_index import parsing, shards
from wiki_index.dump import Streams, Stretch
from wiki_index.errors import BuildError, DumpError
from wiki_index.workers import parse_in_workers

if TYPE_CHECKING:
    from ray import ObjectRef

_SHARD_BYTES = 2 * 1024**2
"""Compressed bytes of the dump per task: about ten seconds of parsing."""
_SHARDS = 256
"""A small dump is divided into this many shards of at least `_SMALLEST_SHARD` bytes."""
_SMALLEST_SHARD = 64 * 1024
_PATIENCE = 10.0
"""Seconds within which the head node of a cluster must answer."""
_RETRIES = 10
"""The maximum number of retries of a task. More failures are not due to lost machines."""
_TASKS_A_CPU = 3
"""Submitted tasks per core: running ones, and enough others to keep all cores busy."""


def parse_on_ray(
    stretches: Iterable[Stretch], settings: parsing.Settings, address: str, dump_bytes: int
) -> Iterator[parsing.Result]:
    """Parse on the cluster at `address`; results come in the order of `stretches`.

    Every machine must have the dump at the same path, and the packages that this one needs.

    Raises:
        BuildError: Ray is not installed, there is no cluster, or it has failed.
        DumpError: a machine does not have the dump.
    """
    size = min(_SHARD_BYTES, max(_SMALLEST_SHARD, dump_bytes // _SHARDS))
    with connected(address, Path(__file__).resolve().parent) as ray, _failures(ray):
        parse = ray.remote(num_cpus=1, max_retries=_RETRIES)(parse_shard)
        waiting: deque[tuple[list[Stretch], ObjectRef]] = deque()
        templates = _Sent.of(ray, settings.templates) if settings.templates else None
        for group in _groups(stretches, size):
            waiting.append((group, parse.remote(group, settings, templates)))
            while len(waiting) >= _TASKS_A_CPU * ray.cluster_resources().get("CPU", 1):
                yield from _merged(ray, *waiting.popleft())
        while waiting:
            yield from _merged(ray, *waiting.popleft())


@contextmanager
def _failures(ray) -> Iterator[None]:
    """Raise the errors of tasks as they are, and the errors of Ray as `BuildError`."""
    try:
        yield
    except ray.exceptions.RayTaskError as error:
        raise error.cause from error
    except ray.exceptions.RayError as error:
        raise BuildError(
            f"The cluster has failed ({_first_line(error)}): see that its machines have memory and "
            "room for temporary files, then run the same command again."
        ) from error


@dataclass(frozen=True)
class _Sent:
    """A file of the building machine that is sent to the others."""

    digest: str
    content: list[ObjectRef]
    """The file, in a list: so Ray does not fetch it before each task, but where it is needed."""

    @classmethod
    def of(cls, ray, path: Path) -> _Sent:
        content = path.read_bytes()
        return cls(hashlib.sha256(content).hexdigest(), [ray.put(content)])

    def here(self) -> Path:
        """The file on this machine. It is written once, to the directory for temporary files.

        Raises:
            BuildError: it cannot be written there.
        """
        try:
            return self._written(Path(tempfile.gettempdir()) / f"react-local-{self.digest}.db")
        except OSError as error:
            raise BuildError(
                f"The templates cannot be written on {socket.gethostname()} ({error}): make room "
                "for temporary files there, then run the same command again."
            ) from error

    def _written(self, path: Path) -> Path:
        import ray

        if path.exists():
            return path
        draft = path.with_suffix(f".{os.getpid()}")
        try:
            draft.write_bytes(ray.get(self.content[0]))
            draft.rename(path)
        finally:
            draft.unlink(missing_ok=True)
        return path


def parse_shard(
    group: list[Stretch], settings: parsing.Settings, templates: _Sent | None = None
) -> bytes:
    """Parse stretches on a machine of the cluster, and return their shard."""
    if templates is not None:
        settings = replace(settings, templates=templates.here())
    for stretch in group:
        if isinstance(stretch, Streams) and not Path(stretch.path).is_file():
            raise DumpError(
                f"{stretch.path} is not on every machine of the cluster: put the dump where all "
                "of them see it at the same path."
            )
    return shards.pack(list(parse_in_workers(group, settings, 1)))


def _groups(stretches: Iterable[Stretch], size: int) -> Iterator[list[Stretch]]:
    group: list[Stretch] = []
    held = 0
    for stretch in stretches:
        group.append(stretch)
        held += stretch.bytes
        if held >= size:
            yield group
            group, held = [], 0
    if group:
        yield group


def _merged(ray, group: list[Stretch], shard: ObjectRef) -> Iterator[parsing.Result]:
    return shards.unpack(group, ray.get(shard))


@contextmanager
def connected(address: str, *packages: Path) -> Iterator:
    """The module `ray`, connected to the cluster at `address`; `packages` are sent to its machines.

    Raises:
        BuildError: Ray is not installed, or there is no cluster.
    """
    try:
        import ray
    except ImportError as error:
        raise BuildError(
            "The engine ray needs the package ray: pip install 'react-local[distributed]'."
        ) from error
    environment = {"py_modules": list(map(str, packages))}
    try:
        _reach(address)
        ray.init(address, runtime_env=environment, log_to_driver=False, logging_level="ERROR")
    except Exception as error:  # Ray raises no narrower class where a node does not start in time.
        raise BuildError(
            f"There is no Ray cluster at {address} ({_first_line(error)}): start one with "
            "`ray start --head`."
        ) from error
    try:
        yield ray
    finally:
        ray.shutdown()


def _reach(address: str) -> None:
    """Check that something answers at an address with a port: Ray itself would wait for minutes.

    Raises:
        OSError: nothing answers.
    """
    host, _, port = address.rpartition(":")
    if host and port.isdecimal():
        socket.create_connection((host, int(port)), timeout=_PATIENCE).close()


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]
