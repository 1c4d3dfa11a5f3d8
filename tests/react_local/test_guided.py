"""The loop under guides, told by scripted models: what it offers, what it forbids."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from a_run import QUESTION

from react_local.display import replay
from react_local.environments import WikipediaEnvironment
from react_local.guides import DEFAULT, PAPER, Guides, SearchGuide
from react_local.methods import act, react
from react_local.models.scripted import ScriptedModel
from react_local.trace import Setup, TraceWriter, read
from react_local.types import (
    Action,
    ActionName,
    Observation,
    Outcome,
    Step,
    Task,
    Thought,
    Trajectory,
)
from wiki_index import WikiIndex

TITLES = replace(PAPER, repeats=True, search=SearchGuide.TITLES)
SOFT = replace(TITLES, search=SearchGuide.SOFT)
SIMILAR = replace(TITLES, search=SearchGuide.SIMILAR)
ANSWERS = replace(PAPER, repeats=True, answers=True)
FINISH = "Thought {0}: It sailed in 1957.\nAction {0}: Finish[1957]"


def search(number: int, title: str, thought: str = "I search.") -> str:
    return f"Thought {number}: {thought}\nAction {number}: Search[{title}]"


def run(wiki, guides, *script, finish=FINISH, **options):
    model = ScriptedModel([*script, finish.format(len(script) + 1)])
    options = {"exemplars": (), **options}
    return react(QUESTION, model, WikipediaEnvironment(wiki), guides=guides, **options)


def test_a_search_is_for_a_title_near_the_run(wiki):
    told = run(wiki, TITLES, search(1, "Alder"), search(2, "Port Alder"))
    assert told.pages == ("Alder", "Port Alder")
    assert told.outcome is Outcome.FINISHED


@pytest.mark.parametrize("title", ["Strait of Alder", "The ferry"])
def test_no_search_is_for_anything_else(wiki, title):
    with pytest.raises(ValueError, match="which is none of"):
        run(wiki, TITLES, search(1, title))


def test_no_title_is_searched_for_while_its_page_is_open(wiki):
    with pytest.raises(ValueError, match=r"none of|does not allow"):
        run(wiki, TITLES, search(1, "Alder"), search(2, "Alder"))


def test_what_was_written_freely_is_one_more_candidate_at_a_price(wiki):
    told = run(wiki, SOFT, search(1, "Strait of Alder"), search(2, "Alder Sound"))
    assert told.steps[0].observation.title is None
    assert told.pages == ("Alder Sound",)


def test_where_no_title_is_left_there_is_no_search():
    with WikiIndex.from_pages(
        {"One": "'''One''' is a number.", "Two": "#REDIRECT [[One]]"}
    ) as wiki:
        told = run(wiki, DEFAULT, search(1, "One"), "Thought 2: x\nAction 2: Lookup[number]",
                   finish="Thought {0}: x\nAction {0}: Finish[number]")  # fmt: skip
        assert told.outcome is Outcome.FINISHED
        with pytest.raises(ValueError, match="does not allow"):
            run(wiki, DEFAULT, search(1, "One"), search(2, "Anything"))


def test_where_nothing_is_near_any_title_will_do(wiki):
    told = react("東京?", ScriptedModel([search(1, "Brae"), FINISH.format(2)]),
                 WikipediaEnvironment(wiki), guides=TITLES, exemplars=())  # fmt: skip
    assert told.pages == ("Brae",)


def test_after_a_miss_a_similar_title_is_next(wiki):
    missed = search(1, "Strait of Alder")
    assert run(wiki, SIMILAR, missed, search(2, "Alder Sound")).pages == ("Alder Sound",)
    with pytest.raises(ValueError, match="which is none of"):
        run(wiki, SIMILAR, missed, search(2, "The ferry"))


def test_an_answer_is_held_to_the_evidence(wiki):
    assert run(
        wiki, ANSWERS, search(1, "Alder Sound"), "Thought 2: x\nAction 2: Lookup[steam]"
    ).answer
    with pytest.raises(ValueError, match=r"does not allow|none of"):
        run(wiki, ANSWERS, search(1, "Brae"))


def test_there_is_no_answer_before_a_page(wiki):
    with pytest.raises(ValueError, match="does not allow"):
        run(wiki, ANSWERS)


def test_a_claim_is_judged_by_its_labels_under_any_guides(wiki):
    model = ScriptedModel(["Thought 1: x\nAction 1: Finish[SUPPORTS]"])
    environment = WikipediaEnvironment(wiki)
    told = react("A claim.", model, environment, task=Task.CLAIM, exemplars=())
    assert told.answer == "SUPPORTS"


def test_act_is_guided_without_thoughts(wiki):
    script = ["Action 1: Search[Alder Sound]", "Action 2: Lookup[steam]", "Action 3: Finish[1957]"]
    told = act(QUESTION, ScriptedModel(script), WikipediaEnvironment(wiki), exemplars=())
    assert told.answer == "1957"
    assert told.source == "Alder Sound"


def test_links_end_the_observation_of_a_page(wiki):
    guides = replace(PAPER, links=1)
    told = run(wiki, guides, search(1, "Alder Sound"), search(2, "Port Alder"))
    assert told.steps[0].observation.text.endswith("It is cold. Links: Brae.") or told.steps[
        0
    ].observation.text.endswith("It is cold. Links: Alder.")
    assert told.steps[1].observation.text == "Port Alder is a town of 412 people."


@pytest.mark.parametrize(
    "guides", [TITLES, SOFT, SIMILAR, ANSWERS, DEFAULT, replace(PAPER, links=2)]
)
@pytest.mark.parametrize("done", range(4))
def test_a_guided_run_goes_on_from_any_step_to_the_same_end(wiki, guides, done):
    script = [search(1, "Alder Sound"), "Thought 2: x\nAction 2: Lookup[steam]"]
    whole = run(wiki, guides, *script)
    begun = replace(whole, steps=whole.steps[:done], outcome=None)
    rest = ScriptedModel([*script, FINISH.format(3)][done:])
    told = react(QUESTION, rest, WikipediaEnvironment(wiki), guides=guides, exemplars=(),
                 resume=begun)  # fmt: skip
    assert [(s.action, s.observation, s.tokens) for s in told.steps] == [
        (s.action, s.observation, s.tokens) for s in whole.steps
    ]


@pytest.mark.parametrize("guides", [PAPER, TITLES, SOFT, DEFAULT])
def test_a_step_reads_what_is_new_in_the_transcript_and_no_more(wiki, guides):
    """What is weighed beside it is counted apart. The scripted model's tokens are bytes."""
    script = [search(1, "Alder Sound"), search(2, "Brae"), search(3, "Alder Sound")]
    told = run(wiki, guides, *script, "Thought 4: x\nAction 4: Lookup[steam]")
    for number, (step, following) in enumerate(pairwise(told.steps), 1):
        observed = f"\nObservation {number}: {step.observation.text}\n"
        before = step.usage.reused_tokens + step.usage.prompt_tokens + len(step.tokens)
        read = following.usage.reused_tokens + following.usage.prompt_tokens
        assert read == before + len(observed.encode())
        assert following.usage.prompt_tokens <= len(observed.encode()) + len(step.tokens)


def test_a_step_in_parts_is_one_stretch_of_text_and_tokens(wiki):
    events = []
    told = run(wiki, DEFAULT, search(1, "Alder Sound"), search(2, "Brae"),
               "Thought 3: x\nAction 3: Search[Alder Sound]",
               "Thought 4: x\nAction 4: Lookup[steam]", on_event=events.append)  # fmt: skip
    for number, step in enumerate(told.steps, 1):
        assert bytes(step.tokens).decode().startswith(f"Thought {number}: ")
        assert bytes(step.tokens).decode().endswith(f"{step.action}")
        assert step.usage.generated_tokens == len(step.tokens)


def test_guides_are_named_and_read_back():
    assert Guides.of(["none"]) == replace(DEFAULT, search=SearchGuide.FREE, answers=False)
    assert Guides.of(["similar", "answers"]).names == ("similar", "answers")
    assert Guides.of(None, links=3, force_finish=False).links == 3
    assert Guides.of() == DEFAULT
    for names in (["titles", "soft"], ["none", "answers"]):
        with pytest.raises(ValueError, match="exclude each other"):
            Guides.of(names)


@pytest.mark.parametrize(
    ("answer", "source"),
    [("1957", "B"), ("the FERRY", "B"), ("Brae!", "Brae"), ("195", None), ("yes", None)],
)
def test_the_source_of_an_answer_is_the_last_page_that_holds_its_words(answer, source):
    def step(name: str, argument: str, text: str | None, title: str | None) -> Step:
        told = None if text is None else Observation(text, title)
        return Step(Thought("t"), Action(ActionName(name), argument), told)

    steps = (
        step("Search", "a", "In 1957 the ferry sailed.", "A"),
        step("Search", "b", "The ferry of 1957.", "B"),
        step("Search", "c", "Could not find [c]. Similar: ['1957'].", None),
        step("Search", "d", "It is an island.", "Brae"),
        step("Finish", answer, None, None),
    )
    assert Trajectory(QUESTION, "react", steps=steps).source == source


def test_a_trace_keeps_its_guides(tmp_path):
    setup = Setup("m", "i", 7, replace(DEFAULT, search=SearchGuide.SOFT, links=2))
    with TraceWriter(tmp_path / "run.jsonl", setup) as writer:
        replay(Trajectory(QUESTION, "react", outcome=Outcome.STEP_LIMIT), writer)
    assert read(tmp_path / "run.jsonl").runs[0].setup == setup
