"""Actions as a registry: what is on is told, shown, written, done, kept in traces; no more."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest
from a_run import PLAIN, write_dump
from click.testing import CliRunner
from starters import loaded, starter_path

import grammars
from react_local.actions import OPTIONAL, WIKIPEDIA, Calculate, with_optional
from react_local.cli import main
from react_local.cli.model_options import ModelOptions
from react_local.environments import WikipediaEnvironment
from react_local.errors import TraceError
from react_local.evaluation.behaviour import behaviour
from react_local.exemplars import load
from react_local.guides import PAPER, Guides
from react_local.methods import act, cot, react
from react_local.models import Piece, Role
from react_local.models.scripted import ScriptedModel
from react_local.trace import read
from react_local.types import Action, ActionName, Observation, Task
from wiki_index import WikiIndex, build_index

QUESTION = "How many people would two towns like Port Alder have?"
SCRIPT = (
    "Thought 1: I need its people.\nAction 1: Search[Port Alder]",
    "Thought 2: It has 412, so I calculate 2 * 412.\nAction 2: Calculate[2 * 412]",
    "Thought 3: Two have 824.\nAction 3: Finish[824]",
)


@pytest.fixture
def calculating(wiki: WikiIndex) -> WikipediaEnvironment:
    return WikipediaEnvironment(wiki, with_optional(["calculate"]))


def test_the_optional_ones_come_before_finish() -> None:
    names = [kind.name for kind in with_optional(["calculate", "calculate"])]
    assert names == ["Search", "Lookup", "Calculate", "Finish"]
    assert with_optional([]) == WIKIPEDIA
    with pytest.raises(ValueError, match="unknown action dance: choose from calculate"):
        with_optional(["dance"])


@pytest.mark.parametrize("kind", [*WIKIPEDIA, *OPTIONAL.values()], ids=lambda kind: kind.name)
def test_every_kind_can_be_told_of_and_written(kind) -> None:
    for task in Task:
        assert kind.usage(task).startswith(f"{kind.name}[")
    assert kind.argument.isalpha()
    grammar = grammars.react_step(1, actions=[kind.name], rules={kind.name: kind.rule})
    assert f'"{kind.name}["' in grammar


def test_a_sum_is_worked_out_or_told_why_not(calculating: WikipediaEnvironment) -> None:
    assert calculating.act(Action("Calculate", "0.1 + 0.2")) == Observation("0.3")
    told = calculating.act(Action("Calculate", "1 / 0"))
    assert told == Observation("Cannot calculate [1 / 0]: division by zero.")


def test_an_action_that_is_not_on_cannot_be_done(environment: WikipediaEnvironment) -> None:
    with pytest.raises(ValueError, match="no action Calculate"):
        environment.act(Action("Calculate", "1 + 1"))


@pytest.mark.parametrize("guides", [PLAIN, Guides()], ids=["plain", "guided"])
def test_react_calculates_where_it_may(calculating: WikipediaEnvironment, guides: Guides) -> None:
    model = ScriptedModel(SCRIPT)
    told = react(QUESTION, model, calculating, guides=guides)
    assert told.answer == "824"
    assert told.steps[1].observation == Observation("824")
    assert told.pages == ("Port Alder",)
    shown = "".join(piece.text for piece in model.prompts[0])
    assert "Calculate[expression] works out" in shown
    assert "Calculate[1863 - 1666]" in shown
    measured = behaviour(told)
    assert (measured.malformed, measured.repeats, measured.grounded) == (0, 0, True)


def test_where_it_is_off_nothing_is_told_of_it(environment: WikipediaEnvironment) -> None:
    model = ScriptedModel(SCRIPT)
    with pytest.raises(ValueError, match="does not allow 'Calc"):
        react(QUESTION, model, environment, guides=PLAIN)
    assert "Calculate" not in "".join(piece.text for piece in model.prompts[-1])


def test_an_exemplar_of_an_action_that_is_off_is_not_shown() -> None:
    shown = load(Task.QUESTION, [*ActionName, "Calculate"])
    model = ScriptedModel(["Thought: It is so.\nAnswer: 824"])
    cot(QUESTION, model, None, exemplars=shown)
    told = "".join(piece.text for piece in model.prompts[0])
    assert "Question: How many years after the Great Fire" not in told
    assert told.count("Question: ") == len(shown)


def test_a_question_of_numbers_alone_needs_no_page(calculating: WikipediaEnvironment) -> None:
    script = ("Action 1: Calculate[17 * 23]", "Action 2: Finish[391]")
    assert act("How many is 17 times 23?", ScriptedModel(script), calculating).answer == "391"


def test_a_sum_that_was_worked_out_is_not_worked_out_again(
    calculating: WikipediaEnvironment,
) -> None:
    again = ("Action 1: Calculate[1 - 2]", "Action 2: Calculate[1 - 2]")
    with pytest.raises(ValueError, match="does not allow"):
        act("?x", ScriptedModel(again), calculating, guides=PLAIN)
    other = ("Action 1: Calculate[1 - 2]", "Action 2: Calculate[12 * 1]", "Action 3: Finish[12]")
    told = act("?x", ScriptedModel(other), calculating, guides=PLAIN)
    assert behaviour(told).repeats == 0


def test_going_on_without_the_action_says_so(wiki: WikiIndex) -> None:
    calculating = WikipediaEnvironment(wiki, [*WIKIPEDIA, Calculate()])
    begun = react(QUESTION, ScriptedModel(SCRIPT), calculating, guides=PAPER, max_steps=2)
    with pytest.raises(TraceError, match=r"step 2, Calculate\[2 \* 412\], uses an action"):
        react(QUESTION, ScriptedModel(SCRIPT), WikipediaEnvironment(wiki), resume=begun)


def test_ask_keeps_the_actions_in_the_trace_and_goes_on_with_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build_index(write_dump(tmp_path / "alder.xml"), tmp_path / "index", dense=False)
    (tmp_path / "model.gguf").write_bytes(b"GGUF")
    monkeypatch.setattr(ModelOptions, "load", lambda *_: ScriptedModel(SCRIPT))
    trace = tmp_path / "run.jsonl"
    made_of = ["--index", tmp_path / "index", "--model", tmp_path / "model.gguf"]
    call("ask", QUESTION, "--action", "calculate", "--no-force-finish", "--max-steps", 2, *made_of,
         "--trace", trace)  # fmt: skip
    (run,) = read(trace).runs
    assert run.setup.actions == ("calculate",)
    assert run.trajectory.steps[1].action == Action("Calculate", "2 * 412")
    monkeypatch.setattr(ModelOptions, "load", lambda *_: ScriptedModel(SCRIPT[2:]))
    gone_on = call("ask", "--resume", trace, "--max-steps", 3)
    assert "Answer: 824" in gone_on.stdout
    assert "Calculate[2 * 412]" in call("replay", trace).stdout


def call(*arguments: object):
    return CliRunner().invoke(main, [*map(str, arguments)])


def test_the_example_of_the_documentation_is_the_action_itself() -> None:
    shown, program = re.findall(r"^```python\n(.*?)^```$", documentation(), re.M | re.S)
    source = inspect.getsource(inspect.getmodule(Calculate))
    assert source.endswith(shown)
    exec(compile(program, "docs/actions.md", "exec"), {})


def documentation() -> str:
    path = Path(__file__).parents[2] / "docs" / "actions.md"
    if not path.exists():
        pytest.skip("there is no docs/actions.md here")
    return path.read_text(encoding="utf-8")


@pytest.mark.model
@pytest.mark.parametrize("starter", ["smollm2", "gemma"])
def test_a_real_model_can_write_nothing_but_arithmetic(
    starter: str, request: pytest.FixtureRequest
) -> None:
    model = loaded(starter_path(starter, request.config.cache))
    grammar = grammars.react_step(
        1, actions=["Calculate"], rules={"Calculate": Calculate.rule}, thought=False
    )
    asked = [Piece(Role.USER, "Question: How much is twelve and a third of it, doubled?\n")]
    made = model.sample(asked, grammar, 4, temperature=2.0, seed=0, max_tokens=200)
    for text in (one.text for one in made):
        told = Calculate().act(grammars.parse_step(text, ["Calculate"]).argument, None)
        assert re.search(r"^-?[0-9]|division|negative|too large", told.text), text
