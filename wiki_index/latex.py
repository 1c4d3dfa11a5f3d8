"""Turn ``<math>`` and ``<chem>`` into plain text where they are simple enough.

Commands: https://en.wikipedia.org/wiki/Help:Displaying_a_formula. Sub- and superscripts
stand on the line, limits too, and cases one after another; what holds anything else (matrices,
unknown commands) is no text, and shows nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable


def _words(names: str) -> tuple[str, ...]:
    return tuple(names.split())


_GREEK = _words(
    "alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi "
    "pi varpi rho varrho sigma varsigma tau upsilon phi varphi chi psi omega Gamma Delta Theta "
    "Lambda Xi Pi Sigma Upsilon Phi Psi Omega ell hbar partial nabla infty aleph Re Im emptyset "
    "varnothing"
)
_LETTERS = dict(zip(_GREEK, "αβγδεεζηθϑικλμνξπϖρϱσςτυφφχψωΓΔΘΛΞΠΣΥΦΨΩℓħ∂∇∞ℵℜℑ∅∅", strict=True))
_OPERATORS = {
    "times": "×", "cdot": "·", "div": "÷", "pm": "±", "mp": "∓",
    "leq": "≤", "le": "≤", "geq": "≥", "ge": "≥",
    "neq": "≠", "ne": "≠", "approx": "≈", "sim": "∼", "simeq": "≃", "equiv": "≡", "cong": "≅",
    "propto": "∝", "to": "→", "rightarrow": "→", "longrightarrow": "→", "Rightarrow": "⇒",
    "leftarrow": "←", "leftrightarrow": "↔", "Leftrightarrow": "⇔", "iff": "⇔", "implies": "⇒",
    "mapsto": "↦", "in": "∈", "notin": "∉", "subset": "⊂", "subseteq": "⊆", "supset": "⊃",
    "cup": "∪", "cap": "∩", "setminus": "∖", "land": "∧", "wedge": "∧", "lor": "∨", "vee": "∨",
    "ll": "≪", "gg": "≫", "oplus": "⊕", "otimes": "⊗", "ast": "∗", "star": "⋆", "perp": "⊥",
    "mid": "|", "parallel": "∥", "thicksim": "∼", "thickapprox": "≈", "doteq": "≐", "bullet": "∙",
    "lt": "<", "gt": ">", "nleq": "≰", "ngeq": "≱", "supseteq": "⊇", "subsetneq": "⊊",
    "asymp": "≍", "models": "⊨", "hookrightarrow": "↪", "rightleftharpoons": "⇌", "longmapsto": "⟼",
    "Longrightarrow": "⟹", "uparrow": "↑", "downarrow": "↓", "and": "∧", "or": "∨", "bmod": "mod",
}  # fmt: skip
_PLAIN = {
    "ldots": "…", "dots": "…", "cdots": "⋯", "dotsc": "…", "dotsb": "⋯", "circ": "∘",
    "forall": "∀", "exists": "∃", "neg": "¬", "lnot": "¬", "sum": "∑", "prod": "∏", "int": "∫",
    "angle": "∠", "langle": "⟨", "rangle": "⟩", "prime": "′", "colon": ": ", "vert": "|",
    "lbrace": "{", "rbrace": "}", "degree": "°", "triangle": "△", "Box": "□", "vdash": "⊢",
    "iint": "∬", "iiint": "∭", "oint": "∮", "coprod": "∐", "bigcup": "⋃", "bigcap": "⋂",
    "bigoplus": "⨁", "bigotimes": "⨂", "bigvee": "⋁", "bigwedge": "⋀",
    "lfloor": "⌊", "rfloor": "⌋", "lceil": "⌈",
    "rceil": "⌉", "top": "⊤", "bot": "⊥", "dagger": "†", "square": "□", "blacksquare": "■",
    "Vert": "‖", "backslash": "\\", "surd": "√", "natural": "♮", "flat": "♭", "sharp": "♯",
    "imath": "ı", "jmath": "ȷ", "hslash": "ℏ", "euro": "€", "pounds": "£", "S": "§", "R": "ℝ",
    "N": "ℕ", "Z": "ℤ", "Q": "ℚ", "C": "ℂ", "reals": "ℝ", "therefore": "∴", "because": "∵",
}  # fmt: skip
_FUNCTIONS = _words(
    "sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh log ln lg exp lim max min sup inf "
    "det dim ker deg gcd arg Pr mod hom csch sech coth limsup liminf"
)
_SILENT = _words(
    "left right big Big bigg Bigg bigl bigr Bigl Bigr displaystyle textstyle scriptstyle limits "
    "nolimits quad qquad rm it bf mathrm mathbf mathit mathsf mathbb mathcal mathfrak boldsymbol "
    "text textrm textbf textit mbox operatorname ce scriptscriptstyle mathop mathrel mathbin "
    "mathscr hbox bold pmb textsf texttt mathtt underline boxed nonumber middle tt sf biggl biggr "
    "Biggl Biggr mathord textnormal"
)
_ACCENTS = {"bar": "\u0304", "overline": "\u0304", "hat": "\u0302", "widehat": "\u0302",
            "tilde": "\u0303", "widetilde": "\u0303", "vec": "\u20d7", "dot": "\u0307",
            "ddot": "\u0308", "check": "\u030c", "acute": "\u0301", "grave": "\u0300",
            "breve": "\u0306", "mathring": "\u030a"}  # fmt: skip
_LIMITED = _words("lim max min sup inf limsup liminf det gcd Pr")
_LINES = _words("align align* aligned gather gather* gathered split equation equation* alignat")
_CASES = _words("cases dcases rcases")
_TOKEN = re.compile(r"\\(?:begin|end)\s*\{([a-z]+\*?)\}|\\[a-zA-Z]+|\\.|[^\\]")
_EMPTY_ROW = re.compile(r"\\\\\s*(?=\\end\b)")
_INSIDE_BRACKETS = re.compile(r"(?<=\() | (?=\))")
_ONE_BLANK = re.compile(r"(?<=\S)= |(?<=\S) =(?=\S)")
"""An equals sign with a blank on one side only: TeX sets both."""
_FRACTIONS = frozenset(("\\frac", "\\tfrac", "\\dfrac", "\\cfrac"))
_BETWEEN_BLANKS = frozenset("=+-<>")
_LONGEST, _DEEPEST = 300, 20


def plain_math(source: str) -> str:
    """`source` as one line of text, sub- and superscripts flattened. ``""`` if it is not simple."""
    text = " ".join(source.split())
    for entity, character in (("&gt;", ">"), ("&lt;", "<"), ("&nbsp;", " "), ("&amp;", "&")):
        text = text.replace(entity, character)
    text = _EMPTY_ROW.sub("", text)
    if len(text) > _LONGEST:
        return ""
    try:
        shown = " ".join(_Formula(text).read().split()).replace(" ; ", "; ").replace(",; ", ", ")
        return _ONE_BLANK.sub(" = ", _INSIDE_BRACKETS.sub("", shown))
    except _NotPlain:
        return ""


class _NotPlain(Exception):
    """The formula cannot be written on one line."""


class _Formula:
    """A reader of one formula, from left to right."""

    def __init__(self, text: str) -> None:
        self._tokens = [token[0] for token in _TOKEN.finditer(text)]
        self._position = 0
        self._depth = 0
        self._column = ""
        """What parts the columns of the lines that are open."""

    def read(self) -> str:
        out = ""
        while self._position < len(self._tokens):
            out += self._until_brace()
        return out

    def _next(self) -> str:
        if self._position >= len(self._tokens):
            return ""
        self._position += 1
        return self._tokens[self._position - 1]

    def _peek(self) -> str:
        return self._tokens[self._position] if self._position < len(self._tokens) else ""

    def _until_brace(self) -> str:
        """The items up to the closing brace of a group, or the end."""
        self._depth += 1
        if self._depth > _DEEPEST:
            raise _NotPlain
        out: list[str] = []
        while (token := self._next()) not in ("", "}"):
            if token in ("\\over", "\\choose", "\\atop"):
                if token != "\\over":
                    raise _NotPlain
                out = [_fraction("".join(out), self._until_brace())]
                break
            while token in ("^", "_") and out and out[-1] == " ":
                out.pop()
            item = self._item(token)
            if token in _FRACTIONS and out and out[-1][-1:].isalnum():
                item = f" {item}"  # 2 1/2
            out.append(item)
        self._depth -= 1
        return "".join(out)

    def _argument(self) -> str:
        """A group in braces, or the next single item."""
        while self._peek() == " ":
            self._next()
        token = self._next()
        return self._until_brace() if token == "{" else self._item(token)

    def _optional(self) -> str:
        """The argument in brackets of ``\\sqrt[3]{x}``, if there is one."""
        if self._peek() != "[":
            return ""
        self._next()
        out = ""
        while (token := self._next()) not in ("", "]"):
            out += self._item(token)
        return out

    def _item(self, token: str) -> str:
        if token == "{":
            return self._until_brace()
        if token in ("^", "_"):
            shown = self._argument()
            return "°" if token == "^" and shown == "∘" else shown
        if token == "-":
            return "−"
        if token in ("~", "&"):
            return " " if token == "~" else self._column
        if not token.startswith("\\"):
            return token
        return self._command(token[1:])

    def _command(self, name: str) -> str:
        if name.startswith(("begin", "end")):
            environment = name.partition("{")[2].strip("}")
            if environment not in (*_LINES, *_CASES):
                raise _NotPlain
            self._column = " " if environment in _CASES and name.startswith("begin") else ""
            return ""
        if not name[0].isalpha():
            return {"{": "{", "}": "}", "|": "‖", "\\": "; "}.get(
                name, name if name in "%$&#_" else " "
            )
        if name in _OPERATORS:
            return f" {_OPERATORS[name]} "
        if name in _FUNCTIONS:
            return f"{name} " if name in _LIMITED and self._peek() in ("_", " ") else name
        if (reader := _READERS.get(name)) is not None:
            return reader(self)
        if name in _ACCENTS:
            return _accented(self._argument(), _ACCENTS[name])
        if name in ("left", "right") and self._peek() == ".":
            self._next()  # no bracket on this side
        shown = _LETTERS.get(name) or _PLAIN.get(name) or ("" if name in _SILENT else None)
        if shown is None:
            raise _NotPlain
        while self._peek() == " " and not self._operator_follows():
            self._next()
        return " " if name in ("quad", "qquad") else shown

    def _operator_follows(self) -> bool:
        """Is the blank that comes next the one before an operator, as in ``\\alpha = 1``?"""
        after = self._position + 1
        return after < len(self._tokens) and self._tokens[after] in _BETWEEN_BLANKS

    def fraction(self) -> str:
        return _fraction(self._argument(), self._argument())

    def root(self) -> str:
        degree = self._optional()
        return f"{degree}√{_grouped(self._argument())}"

    def binomial(self) -> str:
        return f"C({self._argument().strip()}, {self._argument().strip()})"

    def negation(self) -> str:
        return f" {unicodedata.normalize('NFC', self._argument().strip() + chr(0x338))} "

    def remainder(self) -> str:
        return f" (mod {self._argument()})"


_READERS: dict[str, Callable[[_Formula], str]] = {
    "frac": _Formula.fraction, "tfrac": _Formula.fraction, "dfrac": _Formula.fraction,
    "cfrac": _Formula.fraction, "sqrt": _Formula.root, "binom": _Formula.binomial,
    "not": _Formula.negation, "pmod": _Formula.remainder,
}  # fmt: skip


def _accented(letters: str, mark: str) -> str:
    letters = letters.strip()
    if len(letters) > 1 and letters.isalnum():
        return letters
    if sum(not unicodedata.combining(c) for c in unicodedata.normalize("NFD", letters)) != 1:
        raise _NotPlain
    return letters + mark


def _fraction(top: str, bottom: str) -> str:
    return f"{_grouped(top)}/{_grouped(bottom)}"


def _grouped(term: str) -> str:
    term = term.strip()
    return term if re.fullmatch(r"[\w.,]*|\([^()]*\)", term) else f"({term})"
