"""The answerer of an evaluation: wired here, opened in every process that answers questions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from react_local.cli.model_options import ModelOptions
from react_local.events import Listener, Noted
from react_local.methods import method, with_settings
from react_local.seeds import derived
from react_local.types import Thoughts, Trajectory

if TYPE_CHECKING:
    from react_local.evaluation.jobs import Answerer, AskAll, Job
    from react_local.models.llama import LlamaModel
    from react_local.trace import Setup
    from wiki_index import WikiIndex


@dataclass(frozen=True)
class Parallelism:
    """The number of workers, on this machine or on the Ray cluster at `address`."""

    workers: int | None = None
    address: str | None = None

    def threads(self, cores: int) -> int:
        """Threads for each worker's model, given the `cores` of this machine; one on a cluster."""
        return 1 if self.address else max(cores // (self.workers or 1), 1)


@dataclass(frozen=True)
class AnswererConfig:
    """Everything an answerer needs, as a value that can be sent to another process."""

    options: ModelOptions
    setup: Setup
    exemplars: tuple[Trajectory, ...]
    thoughts: Thoughts
    gold: bool = False
    """Whether reflexion may use the gold answers."""

    @contextmanager
    def open(self) -> Iterator[Answerer]:
        """An answerer with the model and the index in this process."""
        from wiki_index import WikiIndex

        index = WikiIndex.open(self.setup.index) if self.setup.index else nullcontext()
        with index as wiki:
            yield _Answerer(self, self.options.load(Path(self.setup.model)), wiki)

    @contextmanager
    def distribute(self, parallelism: Parallelism) -> Iterator[AskAll]:
        """A function that answers many questions, in this process or by workers."""
        from react_local.evaluation.jobs import in_turn
        from react_local.evaluation.workers import Pool, ProcessWorker

        if parallelism.address is not None:
            from react_local.evaluation.cluster import ray_pool

            cores = self.options.runtime.threads or 1
            with ray_pool(
                parallelism.address, self.open, cores=cores, workers=parallelism.workers
            ) as pool:
                yield pool.ask_all
        elif (parallelism.workers or 1) > 1:
            with Pool(partial(ProcessWorker, self.open), parallelism.workers) as pool:
                yield pool.ask_all
        else:
            with self.open() as answerer:
                yield in_turn(answerer)


class _Answerer:
    """Answers questions in this process."""

    def __init__(self, config: AnswererConfig, model: LlamaModel, wiki: WikiIndex | None) -> None:
        self._config = config
        self._model = model
        self._wiki = wiki
        self._noted = 0

    def __call__(self, job: Job, listener: Listener) -> Trajectory:
        from react_local.actions import with_optional
        from react_local.environments import WikipediaEnvironment
        from react_local.evaluation.reuse import reuse

        config = self._config
        actions = with_optional(config.setup.actions)
        told_too = {"gold": job.example.answers} if config.gold else {}
        ours = with_settings({**config.setup.settings, **told_too})
        known = {side: reuse(run, method(side, ours)) for side, run in job.known.items()}
        told = method(job.method, ours | known)(
            job.example.question,
            self._model,
            WikipediaEnvironment(self._wiki, actions) if self._wiki else None,
            task=job.example.task,
            max_steps=config.setup.max_steps,
            guides=config.setup.guides,
            exemplars=config.exemplars,
            thoughts=config.thoughts,
            seed=derived(config.options.seed, job.example.id),
            on_event=listener,
        )
        for note in self._model.notes[self._noted :]:
            listener(Noted(note))
        self._noted = len(self._model.notes)
        return told
