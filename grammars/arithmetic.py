"""The grammar of arithmetic expressions as arguments."""

from __future__ import annotations

from grammars.react import lark_file

DEPTH = 3
"""The maximum nesting of brackets."""


def arithmetic(depth: int = DEPTH) -> str:
    """The body of a Lark terminal for an expression with at least one operation.

    It is followed by the terminals that it uses.
    """
    levels = [level for number in range(depth + 1) for level in _level(number)]
    return "\n".join([f"EXPRESSION_{depth} & ~BARE", lark_file("arithmetic.lark"), *levels])


def _level(number: int) -> list[str]:
    """The terminals of an expression whose brackets contain expressions of the level below."""
    operand = "QUANTITY"
    if number:
        inner = f"EXPRESSION_{number - 1}"
        operand += (
            f' | OF_ONE {inner} ")" | "round(" {inner} ", " /[0-9]/ ")"'
            f' | OF_MORE {inner} (", " {inner})+ ")"'
        )
    return [
        f"OPERAND_{number}: {operand}",
        f'TERM_{number}: "-"? OPERAND_{number} "%"? ("^" "-"? OPERAND_{number})?',
        f"EXPRESSION_{number}: TERM_{number} (OPERATOR TERM_{number})*",
    ]
