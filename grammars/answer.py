"""The grammar of an answer without actions."""

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
"""The default maximum number of tokens of reasoning and answer."""


def answer_text(
    *,
    finish: Sequence[str] | None = None,
    thought: bool = True,
    max_tokens: int = ANSWER_TOKENS,
) -> str:
    """The grammar of an answer after its reasoning, in llguidance's dialect of Lark.

    The answer is what Finish may contain in `react_step`, and as there every text of the grammar
    has at most `max_tokens` bytes.

    Args:
        finish: the allowed answers (for claims); None for any text.
        thought: False for the answer alone, as in the paper's Standard.
        max_tokens: the maximum for the whole text.

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
