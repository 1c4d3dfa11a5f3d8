"""Distributing jobs over a Ray cluster, with one actor per worker that holds a model
(https://docs.ray.io/en/latest/ray-core/actors.html).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from react_local.errors import EvaluationError
from react_local.evaluation.jobs import Job, Opener, answer
from react_local.evaluation.workers import Pool, WorkerLost
from react_local.events import Event
from wiki_index.cluster import connected

_PACKAGES = Path(__file__).resolve().parents[2]
_OURS = ("grammars", "react_local", "wiki_index")


@contextmanager
def ray_pool(address: str, opener: Opener, *, cores: int, workers: int | None) -> Iterator[Pool]:
    """A pool of `workers` on the cluster with `cores` each; None for as many workers as fit.

    Every machine must have the model and the index at the same paths, and the packages that this
    program needs; the program's own code is sent to it.

    Raises:
        BuildError: Ray is not installed, or there is no cluster.
        EvaluationError: no machine has that many cores.
    """
    with connected(address, *(_PACKAGES / name for name in _OURS)) as ray:
        room = sum(
            int(node["Resources"].get("CPU", 0)) // cores for node in ray.nodes() if node["Alive"]
        )
        if not room:
            raise EvaluationError(
                f"no machine of the cluster has {cores} cores for a worker: use fewer --threads"
            )
        start = partial(RayWorker, ray, opener, cores)
        with Pool(start, min(workers or room, room)) as pool:
            yield pool


class RayWorker:
    """An actor with the answerer made by `opener` on its machine. See `workers.Worker`."""

    def __init__(self, ray: Any, opener: Opener, cores: int) -> None:
        self._ray = ray
        self._actor = ray.remote(num_cpus=cores)(_Actor).remote(opener)

    def open(self) -> None:
        """See `workers.Worker.open`; it waits until a machine has enough free cores."""
        self._get(self._actor.open.remote())

    def ask(self, job: Job) -> list[Event]:
        """See `workers.Worker.ask`."""
        return self._get(self._actor.ask.remote(job))

    def close(self) -> None:
        """See `workers.Worker.close`."""
        self._ray.kill(self._actor)

    def _get(self, reference: Any) -> Any:
        errors = self._ray.exceptions
        try:
            return self._ray.get(reference)
        except errors.RayTaskError as error:
            raise error.cause from error
        except errors.RayError as error:
            raise WorkerLost from error


class _Actor:
    """The part of a worker that runs on a machine of the cluster."""

    def __init__(self, opener: Opener) -> None:
        self._opener = opener
        self._opened = ExitStack()

    def open(self) -> None:
        """Open the answerer; not in ``__init__``, whose errors Ray reports in another way."""
        self._answerer = self._opened.enter_context(self._opener())

    def ask(self, job: Job) -> list[Event]:
        return answer(self._answerer, job)
