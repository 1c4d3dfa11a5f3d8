"""Three questions about the small wiki, and a model whose writing depends on the prompt alone."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from a_run import PAGES, PLAIN, QUESTION, SCRIPT

from react_local.environments import WikipediaEnvironment
from react_local.errors import ModelError
from react_local.evaluation.datasets import Example
from react_local.evaluation.jobs import Answerer, AskAll, Job, in_turn
from react_local.evaluation.runner import RunLayout, prepare
from react_local.events import Listener
from react_local.methods import METHODS
from react_local.models.base import Generation, Piece, Role
from react_local.models.scripted import ScriptedModel
from react_local.trace import Setup
from react_local.types import Task, Trajectory
from wiki_index import WikiIndex

TOWN = "What is the town of Alder?"
HILL = "How high is the hill of Brae?"
FERRY_ID, TOWN_ID, HILL_ID = "ferry", "town", "hill"

EXAMPLES = (
    Example(FERRY_ID, QUESTION, ("1957",), titles=("Alder Sound",), type="bridge", level="hard"),
    Example(TOWN_ID, TOWN, ("Port Alder",), titles=("Alder", "Port Alder"), type="bridge"),
    Example(HILL_ID, HILL, ("321 metres", "321 m"), titles=("Brae",), type="comparison"),
)
STEPS = {
    QUESTION: SCRIPT,
    TOWN: (
        "Thought 1: I need to search Alder.\nAction 1: Search[Alder]",
        "Thought 2: Its town is Port Alder.\nAction 2: Finish[Port Alder]",
    ),
    HILL: (
        "Thought 1: I need to search Hill.\nAction 1: Search[Hill of Brae]",
        "Thought 2: I guess it is 400 metres.\nAction 2: Finish[400 metres]",
    ),
}
ANSWERS = {QUESTION: "Answer: 1957", TOWN: "Answer: Brae", HILL: "Answer: 300 metres"}
SETUP = Setup("model.gguf", "index", 7, PLAIN)
MANIFEST = {
    "format": "react-local evaluation",
    "version": 1,
    "model": {"file": "model.gguf"},
    "options": {"max_steps": 7},
}


def write(prompt: Sequence[Piece]) -> str:
    """The next step of the question that the prompt ends with; its answer for Standard."""
    asked = max(i for i, piece in enumerate(prompt) if "Question: " in piece.text)
    question = prompt[asked].text.strip().removeprefix("Question: ")
    if any(piece.text.startswith("Answer:") for piece in prompt):
        return ANSWERS[question]
    done = sum(piece.role is Role.ASSISTANT for piece in prompt[asked:])
    return STEPS[question][done]


class Drawing(ScriptedModel):
    """A model that answers with the number that it draws, until it is interrupted."""

    def __init__(self, questions: int = 999, **options) -> None:
        super().__init__(self.write, **options)
        self._left = questions

    def write(self, prompt: Sequence[Piece]) -> str:
        return f"Answer: {self.seed}"

    def generate(self, prompt, grammar, *, seed=0, **options) -> Generation:
        self.seed, self.grammar, self._left = seed, grammar, self._left - 1
        if self._left < 0:
            raise KeyboardInterrupt
        return super().generate(prompt, grammar, **options)


def answerer(wiki: WikiIndex | None, model: ScriptedModel | None = None) -> Answerer:
    model = model or ScriptedModel(write)

    def answer(job: Job, listener: Listener) -> Trajectory:
        return METHODS[job.method](
            job.example.question,
            model,
            WikipediaEnvironment(wiki),
            task=job.example.task,
            guides=PLAIN,
            on_event=listener,
        )

    return answer


def asked(wiki: WikiIndex, model: ScriptedModel | None = None) -> AskAll:
    return in_turn(answerer(wiki, model))


@dataclass(frozen=True)
class Opened:
    """Opens the small wiki; a worker kills itself over a question as often as it is told to."""

    deaths: Path
    fatal: str = ""
    times: int = 1
    seconds: float = 0.0
    """How long a question takes at least."""

    @contextmanager
    def __call__(self) -> Iterator[Answerer]:
        if self.fatal == "opening":
            self._die()
        if self.fatal == "model":
            raise ModelError("there is no such model")
        with WikiIndex.from_pages(PAGES) as wiki:
            answer = answerer(wiki)

            def ask(job: Job, listener):
                time.sleep(self.seconds)
                if job.example.id == self.fatal:
                    self._die()
                return answer(job, listener)

            yield ask

    def _die(self) -> None:
        with self.deaths.open("a") as file:
            file.write(f"{os.getpid()}\n")
        if len(self.deaths.read_text().splitlines()) <= self.times:
            os.kill(os.getpid(), signal.SIGKILL)


def begun(root: Path) -> RunLayout:
    layout = RunLayout(root)
    prepare(layout, MANIFEST, EXAMPLES)
    return layout


def questions_file(path: Path) -> Path:
    lines = (json.dumps(example.record()) + "\n" for example in EXAMPLES)
    path.write_text("".join(lines), encoding="utf-8")
    return path


def claims() -> tuple[Example, ...]:
    return (
        Example("c1", "Alder is an island.", ("SUPPORTS",), Task.CLAIM, ("Alder",)),
        Example("c2", "Brae has a town.", ("NOT ENOUGH INFO",), Task.CLAIM, ()),
    )
