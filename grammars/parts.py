"""The grammars of a step in two parts: up to the bracket of its action, and the argument.

The allowed arguments can depend on the thought, so the grammar of the argument is made after the
thought was generated. Both parts together are a text of `react_step`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from grammars.grammar import Grammar
from grammars.notation import BRACKETS, Notation
from grammars.react import (
    ACTIONS,
    NO_RULES,
    STEP_TOKENS,
    frame,
    quoted,
    ruled_argument,
    text_file,
)

SPAN_WORDS = 6
"""The maximum number of words of a span: 98 % of HotpotQA's answers have fewer words."""

_FUNCTION_WORDS = re.compile(
    "a|an|the|of|in|on|at|by|to|for|from|with|and|or|but|as|is|was|are|were|be|been|has|had|have|"
    "that|which|who|whose|it|its|he|his|she|her|they|their|this|these|then|also|after|before|when|"
    "while|during|into|than|not",
    re.IGNORECASE,
)

_SPAN = f"""\
SPAN_WORDS: /(?u:[^ ]+( [^ ]+){{0,{SPAN_WORDS - 1}}})/
BEGINS_AS_NONE: /(?u:({_FUNCTION_WORDS.pattern})( .*)?|[,;:.!?)–—].*)/i
ENDS_AS_NONE: /(?u:(.* )?({_FUNCTION_WORDS.pattern})|.*[,;:.!?(–—])/i
GOES_BEYOND_A_SENTENCE: /(?u:.*[^ .]{{4}}[.!?] .*)/
CLOSED: /(?u:[^()]*(\\([^()]*\\)[^()]*)*)/"""


def step_opening(
    number: int,
    *,
    actions: Sequence[str] = ACTIONS,
    thought: bool = True,
    sparse: bool = False,
    max_tokens: int = STEP_TOKENS,
    rules: Mapping[str, str] = NO_RULES,
    notation: Notation = BRACKETS,
) -> str:
    """The grammar of step `number` up to its action's opening bracket.

    The parameters are those of `react_step`, and so is the room left for the argument.

    Raises:
        ValueError: an action is unknown, there is none, or there are too few tokens for a step.
    """
    opened = " | ".join(quoted(notation.opening(action)) for action in actions)
    parts = frame(number, actions, None, thought, sparse, max_tokens, rules, notation)
    return "\n".join([*parts, f"action: {opened}\n"])


def free_argument(
    tried: Sequence[str] = (), rule: str = "", *, notation: Notation = BRACKETS
) -> str:
    """The grammar of any argument but `tried`, with its bracket; see `react_step` for `rule`."""
    argument, closing = "RULED" if rule else "ARGUMENT", quoted(notation.closing)
    lines = [text_file(notation), f"start: {argument} {closing}"]
    if rule:
        lines.append(ruled_argument(argument, rule, tried, notation))
    shape = "\n".join(lines) + "\n"
    return Grammar(shape, {"": tried}, notation) if tried and not rule else shape


def one_argument(texts: Sequence[str], *, notation: Notation = BRACKETS) -> str:
    """The grammar of one of these arguments, with its bracket."""
    written = " | ".join(quoted(notation.escaped(text)) for text in texts)
    return f"start: ({written}) {quoted(notation.closing)}\n"


def span_argument(
    sources: Sequence[str], *, but_of: str = "", notation: Notation = BRACKETS
) -> str:
    """The grammar of an argument that is a span of whole words of a text, with its bracket.

    It has at most `SPAN_WORDS` words of one sentence, does not begin or end with a function word or
    with punctuation of the surrounding sentence, and closes its brackets.

    Args:
        sources: the texts.
        but_of: a text whose spans are excluded.

    Raises:
        ValueError: there is no such span.
    """
    if not any(_stands_alone(word, but_of) for text in sources for word in _words(text)):
        raise ValueError("the texts contain no span that may be an argument")
    written = [notation.escaped(source) for source in sources]
    spans = [f"SPAN_{i}: {_substrings(source)}" for i, source in enumerate(written)]
    limits = "ARGUMENT & SPAN_WORDS & CLOSED & ~GOES_BEYOND_A_SENTENCE"
    limits += " & ~BEGINS_AS_NONE & ~ENDS_AS_NONE"
    if but_of:
        spans.append(f"NO_ANSWER: {_substrings(notation.escaped(but_of))}")
        limits += " & ~NO_ANSWER"
    of_one = " | ".join(f"SPAN_{i}" for i in range(len(sources)))
    answer = f"ANSWER: ({of_one}) & {limits}"
    start = f"start: ANSWER {quoted(notation.closing)}"
    return "\n".join([text_file(notation), _SPAN, start, *spans, answer]) + "\n"


def _stands_alone(word: str, but_of: str) -> bool:
    return not _FUNCTION_WORDS.fullmatch(word) and word not in _words(but_of)


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text)


def _substrings(text: str) -> str:
    return f"%regex {json.dumps({'substring_words': text})}"
