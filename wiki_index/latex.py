"""``<math>`` and ``<chem>`` as readable text, where they are simple enough to be read so.

Commands: https://en.wikipedia.org/wiki/Help:Displaying_a_formula. What holds anything else
(matrices, sums with limits, accents) is no text, and shows nothing.
"""

from __future__ import annotations

import re


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
    "times": "×", "div": "÷", "pm": "±", "mp": "∓", "leq": "≤", "le": "≤", "geq": "≥", "ge": "≥",
    "neq": "≠", "ne": "≠", "approx": "≈", "sim": "∼", "simeq": "≃", "equiv": "≡", "cong": "≅",
    "propto": "∝", "to": "→", "rightarrow": "→", "longrightarrow": "→", "Rightarrow": "⇒",
    "leftarrow": "←", "leftrightarrow": "↔", "Leftrightarrow": "⇔", "iff": "⇔", "implies": "⇒",
    "mapsto": "↦", "in": "∈", "notin": "∉", "subset": "⊂", "subseteq": "⊆", "supset": "⊃",
    "cup": "∪", "cap": "∩", "setminus": "∖", "land": "∧", "wedge": "∧", "lor": "∨", "vee": "∨",
    "ll": "≪", "gg": "≫", "oplus": "⊕", "otimes": "⊗", "ast": "∗", "star": "⋆", "perp": "⊥",
    "mid": "|", "parallel": "∥",
}  # fmt: skip
_PLAIN = {
    "cdot": "·", "ldots": "…", "dots": "…", "cdots": "⋯", "dotsc": "…", "dotsb": "⋯", "circ": "∘",
    "forall": "∀", "exists": "∃", "neg": "¬", "lnot": "¬", "sum": "∑", "prod": "∏", "int": "∫",
    "angle": "∠", "langle": "⟨", "rangle": "⟩", "prime": "′", "colon": ":", "vert": "|",
    "lbrace": "{", "rbrace": "}", "degree": "°", "triangle": "△", "Box": "□", "vdash": "⊢",
}  # fmt: skip
_FUNCTIONS = _words(
    "sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh log ln lg exp lim max min sup inf "
    "det dim ker deg gcd arg Pr mod"
)
_SILENT = _words(
    "left right big Big bigg Bigg bigl bigr Bigl Bigr displaystyle textstyle scriptstyle limits "
    "nolimits quad qquad rm it bf mathrm mathbf mathit mathsf mathbb mathcal mathfrak boldsymbol "
    "text textrm textbf textit mbox operatorname ce scriptscriptstyle"
)
_ROOT = re.compile(r"\\sqrt\s*\{([^{}\\]*)\}")
_FRACTION = re.compile(
    r"\\[dt]?frac\s*(?:\{([^{}]*)\}|([0-9a-zA-Z]))\s*(?:\{([^{}]*)\}|([0-9a-zA-Z]))"
)
_COMMAND = re.compile(r"\\([a-zA-Z]+)\s*|\\([^a-zA-Z])")
_ACCENTS = {"bar": "\u0304", "overline": "\u0304", "hat": "\u0302", "tilde": "\u0303",
            "vec": "\u20d7", "dot": "\u0307", "ddot": "\u0308"}  # fmt: skip
_ACCENTED = re.compile(rf"\\({'|'.join(_ACCENTS)})\s*(?:\{{\s*(\w)\s*\}}|(\w))")
_LIMITS = re.compile(r"\\(?:sum|prod|int|lim|max|min|sup|inf)\s*(?:\\limits)?\s*[_^]")
_LONGEST = 300


def plain_math(source: str) -> str:
    """`source` in one line of plain text, sub- and superscripts flattened; ``""`` if not simple."""
    text = " ".join(source.split()).replace("&gt;", ">").replace("&lt;", "<").replace("~", " ")
    if len(text) > _LONGEST or "&" in text or _LIMITS.search(text):
        return ""
    text = _COMMAND.sub(_symbol, text.replace("\\{", "\x00").replace("\\}", "\x01"))
    text = _ACCENTED.sub(lambda m: (m[2] or m[3]) + _ACCENTS[m[1]], text)
    text = _FRACTION.sub(_fraction, _ROOT.sub(r"√\1", text))
    if "\\" in text:
        return ""
    text = text.translate({ord(c): None for c in "{}^_"})
    return " ".join(text.replace("\x00", "{").replace("\x01", "}").split())


def _symbol(match: re.Match[str]) -> str:
    name, escaped = match[1], match[2]
    if escaped:
        return escaped if escaped in "%$&#_" else " "
    if name in _OPERATORS:
        return f" {_OPERATORS[name]} "
    if name in _FUNCTIONS:
        return f"{name} " if not match[0].endswith(name) else name
    if name in _SILENT:
        return ""
    return _LETTERS.get(name) or _PLAIN.get(name) or match[0]


def _fraction(match: re.Match[str]) -> str:
    top, bottom = match[1] or match[2] or "", match[3] or match[4] or ""
    return f"{_grouped(top)}/{_grouped(bottom)}"


def _grouped(term: str) -> str:
    term = term.strip()
    return term if re.fullmatch(r"[\w.,]*|\([^()]*\)", term) else f"({term})"
