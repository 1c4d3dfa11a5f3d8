"""Register and look up the renderers of templates.

A renderer is a function from a `Call` to the text a reader sees. Its arguments are plain text,
and it returns plain text, with "\\n" between paragraphs or list items.
Names: https://www.mediawiki.org/wiki/Help:Templates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from wiki_index.templates.invisible import is_infobox, shows_nothing


@dataclass(frozen=True)
class Call:
    """One use of a template, parser function or magic word on a page."""

    name: str
    """Normalised as `normalise` does; a parser function's keeps its ``#`` and is lower-case."""
    positional: tuple[str, ...] = ()
    named: Mapping[str, str] = field(default_factory=dict)
    page: str = ""
    lang: str = "en"

    @property
    def key(self) -> str:
        """The name in lower case, for comparisons."""
        return self.name.lower()

    def get(self, *keys: int | str, default: str = "") -> str:
        """The first of these parameters that is not blank, trimmed; positions count from 1."""
        for key in keys:
            if isinstance(key, int) and key <= len(self.positional):
                value = self.positional[key - 1]
            else:
                value = self.named.get(str(key), "")
            if value := value.strip():
                return value
        return default

    def values(self, start: int = 1) -> Iterator[str]:
        """The unnamed parameters from `start` on, trimmed, with ``7=…`` in its place."""
        numbers = [int(k) for k in self.named if k.isdecimal() and len(k) < 4]
        for position in range(start, max([len(self.positional), *numbers]) + 1):
            yield self.get(position)

    def flag(self, *names: str) -> bool:
        """Whether one of these parameters says yes."""
        return any(self.named.get(n, "").lower() in ("y", "yes", "on", "true", "1") for n in names)


Renderer = Callable[[Call], "str | None"]

_LONGEST_NAME = 200
_renderers: dict[tuple[str, str], Renderer] = {}


@lru_cache(maxsize=5_000)
def normalise(name: str) -> str:
    """`name` with underscores as blanks, white space collapsed, its first letter lower-case."""
    if not name.isalnum():  # as most are
        name = " ".join(name.replace("_", " ").split())
    return name[:1].lower() + name[1:]


def _register(lang: str, name: str, renderer: Renderer) -> None:
    if (lang, normalise(name)) in _renderers:
        raise ValueError(f"template {name!r} has two renderers")
    _renderers[lang, normalise(name)] = renderer


def template(*names: str, lang: str = "") -> Callable[[Renderer], Renderer]:
    """Register a renderer under names separated by ``|``, for one wiki or (``""``) for all.

    A name written in lower case serves every spelling of case that has no renderer of its own;
    one that ends in ``/*`` or ``-*`` serves what begins like it (``lang-de``).
    """

    def register(renderer: Renderer) -> Renderer:
        for name in "|".join(names).split("|"):
            _register(lang, name, renderer)
        return renderer

    return register


def constants(texts: Mapping[str, str], lang: str = "") -> None:
    """Register templates that show the same text whatever their arguments."""
    for name, text in texts.items():
        _register(lang, name, lambda call, text=text: text)


def find(name: str, lang: str) -> Renderer | None:
    """The renderer of the template of this normalised name on the wiki of `lang`."""
    return _find(name, lang) if len(name) <= _LONGEST_NAME else None


@lru_cache(maxsize=16_384)
def _find(name: str, lang: str) -> Renderer | None:
    lower = name.lower()
    families = (f"{head}{mark}*" for head, mark, _ in map(lower.partition, "/-") if mark)
    for spelling in (name, lower, *families):
        for wiki in ("en" if lang == "simple" else lang, ""):
            if renderer := _renderers.get((wiki, spelling)):
                return renderer
    return None


@lru_cache(maxsize=65536)
def invisible(name: str, lang: str = "en") -> bool:
    """Whether a template shows nothing in prose and can be cut unread.

    Any spelling of the name will do. Infoboxes are not invisible: their fields are data.
    """
    name = normalise(name)
    return bool(name) and find(name, lang) is None and shows_nothing(name)


def is_known(name: str, lang: str = "en") -> bool:
    """Whether the template of this name has a renderer or is known to show nothing."""
    name = normalise(name)
    return find(name, lang) is not None or is_infobox(name) or invisible(name, lang)


def render(call: Call) -> str | None:
    """The text `call` shows: ``""`` for a template known to show none, None for an unknown one.

    Never raises: arguments a renderer cannot use are shown as they stand.
    """
    renderer = find(call.name, call.lang)
    if renderer is None:
        return "" if invisible(call.name, call.lang) else None
    try:
        return renderer(call)
    except (ArithmeticError, LookupError, ValueError):
        return " ".join(filter(None, call.values()))
