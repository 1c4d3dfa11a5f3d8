"""The grammar of one ReAct step, made from the state of the run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from types import MappingProxyType

from grammars.grammar import Grammar
from grammars.notation import BRACKETS, Notation

ACTIONS = ("Search", "Lookup", "Finish")
"""The actions of the paper's Wikipedia environment (arXiv 2210.03629, Section 3.1)."""

NO_RULES: Mapping[str, str] = MappingProxyType({})
"""The rules of `ACTIONS`, whose arguments may be any text."""

STEP_TOKENS = 448
"""The default maximum number of tokens of a step."""

ARGUMENT_BYTES = 120
_SOFT_PART = 0.7  # of a thought's length, in which it may end anywhere
SHORTEST_THOUGHT = 24


def react_step(
    number: int,
    *,
    actions: Sequence[str] = ACTIONS,
    finish: Sequence[str] | None = None,
    tried: Sequence[tuple[str, str]] = (),
    thought: bool = True,
    sparse: bool = False,
    max_tokens: int = STEP_TOKENS,
    rules: Mapping[str, str] = NO_RULES,
    notation: Notation = BRACKETS,
) -> str:
    """The grammar of step `number`, in llguidance's dialect of Lark.

    Every text of the grammar has at most `max_tokens` bytes of UTF-8. No token is shorter than a
    byte, so a model with that many tokens left always completes the step, whatever it generates.

    Args:
        number: from 1.
        actions: the actions of `ACTIONS` and `rules` that are allowed in the state of the run.
        finish: the allowed answers (for claims); None for any text.
        tried: (action, argument) pairs that may not come again, nor, for an action without a rule,
            anything that folds to the same (see `repeats`).
        thought: False for the action alone, as in the paper's Act.
        sparse: whether the model may leave out the thought.
        max_tokens: the maximum for the whole step.
        rules: the rules for the arguments of other actions (see `ruled_argument`).
        notation: the notation of actions.

    Raises:
        ValueError: an action is unknown, there is none, or there are too few tokens for a step.
    """
    parts = frame(number, actions, finish, thought, sparse, max_tokens, rules, notation)
    parts.append("action: " + " | ".join(action.lower() for action in actions))
    if finish is not None:
        answers = " | ".join(map(quoted, finish))
        parts.append(f"finish: {_around('Finish', 'ANSWER', notation)}\nANSWER: {answers}")
    spent = {action: [text for name, text in tried if name == action] for action in actions}
    free = [action for action in actions if action != "Finish" or finish is None]
    parts += [_action(action, spent[action], rules.get(action, ""), notation) for action in free]
    shape = "\n".join(parts) + "\n"
    label = "" if notation.before_call else f"Action {number}: "
    excluded = {
        label + notation.opening(action): spent[action]
        for action in free
        if spent[action] and not rules.get(action)
    }
    return Grammar(shape, excluded, notation) if excluded else shape


def frame(
    number: int,
    actions: Sequence[str],
    finish: Sequence[str] | None,
    thought: bool,
    sparse: bool,
    max_tokens: int,
    rules: Mapping[str, str],
    notation: Notation,
) -> list[str]:
    """All of a step's grammar but the rule `action`."""
    known = dict.fromkeys([*ACTIONS, *rules])
    if not actions or not set(actions) <= known.keys():
        raise ValueError(f"actions must be some of {', '.join(known)}, not {tuple(actions)!r}")
    before = "" if not thought else "thought? " if sparse else "thought "
    is_call = bool(notation.before_call)
    return [
        text_file(notation),
        lark_file("call.lark" if is_call else "step.lark"),
        f"start: {before}act",
        f"before_call: {notation.before_call}" if is_call else f"NUMBER: {quoted(str(number))}",
        _lengths(number, actions, finish, thought, max_tokens, notation),
    ]


def _lengths(
    number: int,
    actions: Sequence[str],
    finish: Sequence[str] | None,
    thought: bool,
    max_tokens: int,
    notation: Notation,
) -> str:
    """The length of the thought in bytes, as terminals, with the rest left for the argument."""
    scaffold = f"Thought {number}: \nAction {number}: " if thought else f"Action {number}: "
    scaffold += max((notation.spelt(action, "") for action in actions), key=len)
    scaffold += notation.before_call
    answer = max((len(a.encode()) for a in finish or ()), default=0)
    reserved = max(ARGUMENT_BYTES, answer)
    room = max_tokens - len(scaffold) - reserved
    if room < (SHORTEST_THOUGHT if thought else 0):
        needed = max_tokens - room + (SHORTEST_THOUGHT if thought else 0)
        raise ValueError(f"a step needs max_tokens of at least {needed}, not {max_tokens}")
    return thought_lengths(room)


def thought_lengths(room: int) -> str:
    """A thought of at most `room` bytes, as terminals: SHORT ends anywhere, LONG as a sentence."""
    soft = int(room * _SOFT_PART)
    longest_end = len("。".encode())
    return (
        f"SHORT: /(?s-u:.){{1,{soft}}}/\n"
        f"LONG: /(?s-u:.){{{soft}}}(?-u:[^.!?]){{0,{room - soft - longest_end}}}/ SENTENCE_END"
    )


def _action(action: str, tried: Sequence[str], rule: str, notation: Notation) -> str:
    """The rule of one action, and the terminal of its argument if that is held to `rule`."""
    argument = f"{action.upper()}_ARGUMENT" if rule else "ARGUMENT"
    lines = [f"{action.lower()}: {_around(action, argument, notation)}"]
    if rule:
        lines.append(ruled_argument(argument, rule, tried, notation))
    return "\n".join(lines)


def _around(action: str, argument: str, notation: Notation) -> str:
    """The action with the terminal of its argument."""
    return f"{quoted(notation.opening(action))} {argument} {quoted(notation.closing)}"


def ruled_argument(name: str, rule: str, tried: Sequence[str], notation: Notation) -> str:
    """The terminal `name`: an argument that matches `rule` and is none of `tried`, as they stand.

    The rule is the body of a terminal, and on further lines the terminals that it refers to. It may
    allow only a few arguments, so what was tried is excluded here: `Grammar.excludes` compares
    whole arguments, when it is too late to begin another.
    """
    old = " | ".join(quoted(notation.escaped(text)) for text in tried)
    new = f"ARGUMENT & {name}_RULE{f' & ~({old})' if old else ''}"
    return f"{name}: {new}\n{name}_RULE: {rule}"


def quoted(text: str) -> str:
    """`text` as a Lark string."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def text_file(notation: Notation = BRACKETS) -> str:
    """What `text.lark` holds, and what an argument is."""
    return (
        f"{lark_file('text.lark')}\n"
        f"ARGUMENT: ARGUMENT_WORDS & ARGUMENT_BYTES & ~LABELLED {notation.spelling}\n"
        f"ARGUMENT_BYTES: /(?s-u:.){{1,{ARGUMENT_BYTES}}}/"
    )


@lru_cache
def lark_file(name: str) -> str:
    """The text of one of this package's grammar files, without its comments."""
    lines = (files("grammars") / name).read_text(encoding="utf-8").splitlines()
    return "\n".join(line for line in lines if line and not line.startswith("//"))
