"""The grammar of an answer that is given at once."""

from __future__ import annotations

from collections.abc import Sequence

from grammars.react import (
    ARGUMENT_BYTES,
    SHORTEST_THOUGHT,
    lark_file,
    quoted,
    text_file,
    thought_lengths,
)

ANSWER_TOKENS = 1024
"""Tokens that reasoning and answer may take, unless said otherwise."""


def answer_text(
    *,
    finish: Sequence[str] | None = None,
    thought: bool = True,
    max_tokens: int = ANSWER_TOKENS,
) -> str:
    """The grammar of an answer with its reasoning before it, in llguidance's dialect of Lark.

    What an answer may be is what Finish may hold in `react_step`, and as there every text of the
    grammar is at most `max_tokens` bytes.

    Args:
        finish: the only answers there are (for claims); any text where None.
        thought: False leaves the answer alone, as in the paper's Standard.
        max_tokens: the room for the whole.

    Raises:
        ValueError: too few tokens for any answer.
    """
    reserved = max([ARGUMENT_BYTES, *(len(verdict.encode()) for verdict in finish or ())])
    room = max_tokens - len("Thought: \nAnswer: ") - reserved
    if room < SHORTEST_THOUGHT:
        needed = max_tokens - room + SHORTEST_THOUGHT
        raise ValueError(f"an answer needs max_tokens of at least {needed}, not {max_tokens}")
    parts = [
        text_file(),
        lark_file("answer.lark"),
        f"start: {'thought answer' if thought else 'answer'}",
        thought_lengths(room),
        f"ANSWER: {'ARGUMENT' if finish is None else ' | '.join(map(quoted, finish))}",
    ]
    return "\n".join(parts) + "\n"
