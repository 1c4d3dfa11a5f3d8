"""The three actions of the paper's Wikipedia environment (arXiv 2210.03629, Section 3.1)."""

from __future__ import annotations

from typing import Protocol

from react_local.types import CLAIM_LABELS, ActionName, Observation, Task

FINISHED = "Episode finished."


class Pages(Protocol):
    """What these actions need from an environment."""

    def search(self, entity: str) -> Observation: ...

    def look_up(self, string: str) -> Observation: ...


class Search:
    """``Search[entity]`` opens a page."""

    name = ActionName.SEARCH.value
    argument = "entity"
    rule = ""

    def usage(self, task: Task) -> str:
        return (
            "Search[name] opens the page of that name and shows how it begins, or lists similar "
            "names."
        )

    def act(self, argument: str, environment: Pages) -> Observation:
        return environment.search(argument)


class Lookup:
    """``Lookup[string]`` goes to the next sentence of the open page that contains the string."""

    name = ActionName.LOOKUP.value
    argument = "string"
    rule = ""

    def usage(self, task: Task) -> str:
        return "Lookup[words] shows the next sentence of the open page that holds those words."

    def act(self, argument: str, environment: Pages) -> Observation:
        return environment.look_up(argument)


class Finish:
    """``Finish[answer]`` ends the episode."""

    name = ActionName.FINISH.value
    argument = "answer"
    rule = ""

    def usage(self, task: Task) -> str:
        if task is Task.CLAIM:
            verdicts = f"{', '.join(CLAIM_LABELS[:-1])} or {CLAIM_LABELS[-1]}"
            return f"Finish[verdict] ends the task; the verdict is {verdicts}."
        return "Finish[answer] ends the task with a short answer."

    def act(self, argument: str, environment: Pages) -> Observation:
        return Observation(FINISHED)
