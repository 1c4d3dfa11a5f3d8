"""Structured: the steps of ReAct as tool calls, in a transcript or in a template with tools."""

from __future__ import annotations

import json
import re
from itertools import pairwise

import pytest
from a_run import PLAIN, QUESTION, SCRIPT
from hypothesis import given, settings
from hypothesis import strategies as st
from starters import starter_path

import grammars
from grammars import Calls, is_argument, parse_step
from react_local.actions import with_optional
from react_local.environments import WikipediaEnvironment
from react_local.evaluation.behaviour import behaviour
from react_local.events import Wrote
from react_local.exemplars import load as load_exemplars
from react_local.guides import Guides, SearchGuide
from react_local.methods import STRUCTURED, react, structured
from react_local.methods.tool_calls import tools_of
from react_local.models import LlamaModel, Role
from react_local.models.base import ToolCall
from react_local.models.chat import ChatTemplate
from react_local.models.scripted import ScriptedModel, check_form
from react_local.types import Outcome, Task
from wiki_index import WikiIndex

NOTATION = STRUCTURED.notation
KEYS = {"Search": "entity", "Lookup": "string", "Finish": "answer", "Calculate": "expression"}


def as_call(text: str) -> str:
    """A step in brackets as the step in JSON, written here by `json` and by nothing of ours."""
    step = parse_step(text, KEYS)
    call = {"name": step.action.lower(), "arguments": {KEYS[step.action]: step.argument}}
    head, _, _ = text.rpartition(f"{step.action}[")
    return head + json.dumps(call, ensure_ascii=False)


CALLS = tuple(map(as_call, SCRIPT))


def run(environment, script=CALLS, guides=PLAIN, **options):
    return structured(QUESTION, ScriptedModel(script), environment, guides=guides, **options)


def test_it_does_what_react_does(wiki: WikiIndex) -> None:
    told = run(WikipediaEnvironment(wiki))
    plain = react(QUESTION, ScriptedModel(SCRIPT), WikipediaEnvironment(wiki), guides=PLAIN)
    assert told.outcome is Outcome.FINISHED
    assert [s.action for s in told.steps] == [s.action for s in plain.steps]
    assert [s.observation for s in told.steps] == [s.observation for s in plain.steps]
    assert behaviour(told).malformed == 0


def test_exemplars_and_instruction_are_in_json(wiki: WikiIndex) -> None:
    model = ScriptedModel(CALLS)
    structured(QUESTION, model, WikipediaEnvironment(wiki), guides=PLAIN)
    text = "".join(piece.text for piece in model.prompts[-1])
    calls = [line.partition(": ")[2] for line in text.split("\n") if line.startswith("Action ")]
    assert len(calls) > len(CALLS)
    for call in calls:
        written = json.loads(call)
        assert written["arguments"].keys() == {KEYS[written["name"].capitalize()]}
    assert '{"name": "search", "arguments": {"entity": "name"}} opens the page' in text
    assert "Search[" not in text


def test_the_guides_hold_in_json_too(wiki: WikiIndex) -> None:
    script = (
        "Thought 1: I need the strait.\nAction 1: Search[Alder Sound]",
        "Thought 2: I look up the last one.\nAction 2: Lookup[steam ferry]",
        "Thought 3: It was then.\nAction 3: Finish[1957]",
    )
    told = run(WikipediaEnvironment(wiki), list(map(as_call, script)), Guides())
    assert (told.answer, told.source) == ("1957", "Alder Sound")
    with pytest.raises(ValueError, match="which is none of"):
        run(WikipediaEnvironment(wiki), [as_call(SCRIPT[0])], Guides())
    with pytest.raises(ValueError, match="does not allow"):
        run(WikipediaEnvironment(wiki), [CALLS[0], CALLS[0].replace("1", "2")])


def test_titles_with_quotes_and_backslashes_are_searched_for() -> None:
    pages = {'Say "Hello"': "'''Say''' is a song of 1971.", "C:\\Temp": "It is a place."}
    script = (
        'Thought 1: I need Say "Hello".\nAction 1: Search[Say "Hello"]',
        "Thought 2: I need C:\\Temp.\nAction 2: Search[C:\\Temp]",
        "Thought 3: It is a place.\nAction 3: Finish[place]",
    )
    for guide in (SearchGuide.TITLES, SearchGuide.FREE):
        with WikiIndex.from_pages(pages) as index:
            told = structured(
                'What is it that Say "Hello" and C:\\Temp name?',
                ScriptedModel(list(map(as_call, script))),
                WikipediaEnvironment(index),
                guides=Guides(search=guide, answers=False),
            )
        assert told.pages == ('Say "Hello"', "C:\\Temp")


def test_claims_and_calculations_are_calls_too(wiki: WikiIndex) -> None:
    script = (
        "Thought 1: x\nAction 1: Calculate[2 * 412]",
        "Thought 2: y\nAction 2: Finish[REFUTES]",
    )
    told = structured(
        "Two towns have 825 people.",
        ScriptedModel(list(map(as_call, script))),
        WikipediaEnvironment(wiki, with_optional(["calculate"])),
        task=Task.CLAIM,
        guides=PLAIN,
    )
    assert told.answer == "REFUTES"
    assert told.steps[0].observation.text == "824"


ARGUMENTS = st.text(min_size=1, max_size=40).filter(is_argument)


@settings(max_examples=30)
@given(st.sampled_from(grammars.ACTIONS), ARGUMENTS)
def test_every_argument_is_written_read_and_allowed_as_json_has_it(
    action: str, argument: str
) -> None:
    written = f"Thought 1: x\nAction 1: {NOTATION.spelt(action, argument)}"
    assert written == as_call(f"Thought 1: x\nAction 1: {action}[{argument}]")
    assert parse_step(written, notation=NOTATION)[2:] == (action, argument)
    if len(NOTATION.escaped(argument).encode()) <= grammars.react.ARGUMENT_BYTES:
        check_form(written, grammars.react_step(1, notation=NOTATION))
    check_form(
        f"{NOTATION.escaped(argument)}{NOTATION.closing}",
        grammars.one_argument([argument], notation=NOTATION),
    )


OTHERS = (
    "Search[Rome]", "{}", '{"name": "search"}', '{"name":"search"}',
    '{"name": "search", "arguments": {"entity": "a"b"}}',
    '{"name": "search", "arguments": {"entity": "a\\nb"}}',
    '{"name": "search", "arguments": {"entity": "\\u0041"}}',
    '{"name": "search", "arguments": {"string": "Rome"}}',
)  # fmt: skip


@pytest.mark.parametrize("call", OTHERS)
def test_no_other_json_is_a_step(call: str) -> None:
    text = f"Thought 1: x\nAction 1: {call}"
    with pytest.raises(ValueError, match=r"action|JSON"):
        parse_step(text, notation=NOTATION)
    with pytest.raises(ValueError, match=r"allow|whole"):
        check_form(text, grammars.react_step(1, notation=NOTATION))


@pytest.mark.parametrize("action", grammars.ACTIONS)
def test_a_call_fits_the_schema_that_is_told_of_it(action: str) -> None:
    schema = {
        "type": "object",
        "properties": {"name": {"const": action.lower()}, "arguments": NOTATION.parameters(action)},
        "required": ["name", "arguments"],
        "additionalProperties": False,
    }
    grammar = f"start: %json {json.dumps(schema)}"
    for argument in ("Rome", 'Say "Hello"', "C:\\Temp", "東京 😀", "½ × [x"[:5]):
        check_form(NOTATION.spelt(action, argument), grammar)


def test_what_was_tried_is_out_in_every_spelling() -> None:
    tried = [("Search", 'Say "Hello"'), ("Search", "\\"), ("Search", "Rome")]
    grammar = grammars.react_step(1, tried=tried, notation=NOTATION, thought=False)
    for argument in ('Say "Hello"', "say hello", "\\", "ROME!", "rome"):
        with pytest.raises(ValueError, match="does not allow"):
            check_form(f"Action 1: {NOTATION.spelt('Search', argument)}", grammar)
    check_form(f"Action 1: {NOTATION.spelt('Search', 'Say')}", grammar)


# A template in the manner of Qwen's and SmolLM's: tools told in the system's turn, calls in tags.
TEMPLATE = """\
{% for m in messages %}{% set calls = m.tool_calls or [] %}
{{- '<|im_start|>' + ('user' if m.role == 'tool' else m.role) + '\\n' -}}
{% if loop.first and tools %}{{ m.content + '\\n' + tools | tojson }}
{%- elif m.role == 'tool' %}{{ '<answer>' + m.content + '</answer>' }}
{%- else %}{{ m.content }}{% endif %}
{%- for call in calls %}{{ '\\n<tool_call>\\n{"name": "' + call.function.name }}
{{- '", "arguments": ' }}
{{- call.function.arguments | tojson + '}\\n</tool_call>' }}{% endfor %}
{{- '<|im_end|>\\n' }}{% endfor %}
{%- if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"""

TOOLS = tools_of(STRUCTURED.kinds, NOTATION)


def test_a_templates_own_form_of_calls_is_found() -> None:
    assert ChatTemplate(TEMPLATE).around_call(TOOLS) == ("\n<tool_call>\n", "\n</tool_call>")


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ('"arguments"', '"parameters"'),
        ("tojson + '}", "tojson + ']"),
        ("{{ m.content }}{% endif %}", "{% if not calls %}{{ m.content }}{% endif %}{% endif %}"),
        ("m.tool_calls or []", "[]"),
        ("{% for m", "{{ raise_exception('no tools') if tools }}{% for m"),
        ("'\\n<tool_call>", "'<tool_call>"),
    ],
)
def test_another_form_of_calls_is_none_of_ours(ours: str, theirs: str) -> None:
    assert ours in TEMPLATE
    assert ChatTemplate(TEMPLATE.replace(ours, theirs)).around_call(TOOLS) is None


class Caller(ScriptedModel):
    """A scripted model whose template has tools."""

    def tool_call(self, tools):
        return ToolCall("\n<call>\n", "\n</call>", '"\\n<call>\\n"')


def test_in_a_template_with_tools_steps_are_calls_and_observations_answers(
    wiki: WikiIndex,
) -> None:
    script = [
        text.replace(f"Thought {n}: ", "").replace(f"\nAction {n}: ", "\n<call>\n")
        for n, text in enumerate(CALLS, start=1)
    ]
    model, shown = Caller(script), []
    told = structured(
        QUESTION, model, WikipediaEnvironment(wiki), guides=PLAIN, on_event=shown.append
    )
    assert [(s.action.name, s.action.argument) for s in told.steps] == [
        parse_step(text)[2:] for text in SCRIPT
    ]
    assert told.steps[0].thought.text == "I need to find the strait."
    last = model.prompts[-1]
    assert [tool["function"]["name"] for tool in last[0].tools] == ["search", "lookup", "finish"]
    assert [p.text for p in last if p.role is Role.TOOL][-1] == told.steps[3].observation.text
    assert "Thought 1" not in "".join(piece.text for piece in last)
    assert "".join(e.text for e in shown if isinstance(e, Wrote)).startswith(
        "Thought 1: I need to find the strait.\nAction 1: {"
    )
    spelt = ChatTemplate(TEMPLATE).spell(last)
    assert "\n</call>" in "".join(part for part in spelt if isinstance(part, str))


def test_a_run_in_a_template_goes_on_under_a_model_without_one(wiki: WikiIndex) -> None:
    begun = run(WikipediaEnvironment(wiki), max_steps=5)
    begun = type(begun)(begun.question, begun.method, begun.task, begun.steps[:2])
    told = run(WikipediaEnvironment(wiki), CALLS[2:], resume=begun)
    assert told.answer == "1957"


def test_calls_are_a_notation_of_their_own() -> None:
    assert Calls({}).spelt("Search", "x") == '{"name": "search", "arguments": {"argument": "x"}}'


@pytest.mark.model
def test_a_real_model_calls_in_the_turns_of_its_template(
    wiki: WikiIndex, request: pytest.FixtureRequest
) -> None:
    """SmolLM2 with our template, whose tags are two control tokens of its vocabulary."""
    tags = TEMPLATE.replace("<tool_call>", "<repo_name>").replace("</tool_call>", "<file_sep>")
    path = starter_path("smollm2", request.config.cache)
    model = LlamaModel.load(path, template=tags, threads=1, context=2048)
    written = model.tool_call(TOOLS)
    assert (written.before, written.after) == ("\n<repo_name>\n", "\n<file_sep>")
    assert re.fullmatch(r'"\\n" <\[\d+\]> "\\n"', written.grammar)
    shown = load_exemplars()[-1:]
    told = structured(
        QUESTION, model, WikipediaEnvironment(wiki), exemplars=shown, max_steps=3, guides=PLAIN
    )
    assert behaviour(told).malformed == 0
    for before, after in pairwise(told.steps):
        # What was written is kept, control tokens and all, and only what is new is read.
        assert after.usage.reused_tokens > before.usage.reused_tokens + len(before.tokens) - 2
        assert after.usage.prompt_tokens < 400
