"""Expand the templates of a page.

A template without nested brackets is split at its bars. Others are parsed by mwparserfromhell, or
by `fallback` beyond the parser's limits. `wiki_index.templates` renders the result. A template
without a renderer is transcluded from its page in the dump, or left out and counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from wiki_index import templates
from wiki_index.brackets import Brackets, Shown, split_definitions
from wiki_index.extensions import decode_entities, strip_extensions, strip_tags
from wiki_index.fallback import Argument, Flattened
from wiki_index.infobox import shown_fields
from wiki_index.languages import (
    CATEGORY,
    FILE,
    Site,
    is_disambiguation,
    is_disambiguation_category,
)
from wiki_index.links import external_labels, link_label
from wiki_index.marks import (
    DROPPED,
    Stash,
    protect,
    shield,
    unprotect,
    unshield,
    without_marks,
)
from wiki_index.prose import mend, plain_quotes, without_tail
from wiki_index.transclusion import (
    MAX_BARS,
    MAX_CHARACTERS,
    MAX_DEPTH,
    MAX_SUBSTITUTED,
    called_key,
    includable,
    is_box,
    is_tame,
    redirected,
)

if TYPE_CHECKING:
    from mwparserfromhell.nodes import Node
    from mwparserfromhell.nodes.extras import Parameter
    from mwparserfromhell.wikicode import Wikicode

MAX_NAMES = 5_000
"""The most template names that are looked up for one page. Other templates are left out."""
MAX_TEMPLATES = 50_000
"""The most templates of one page, equal ones included. Other templates are left out."""
_OTHERS = "(beyond the limits)"
MAX_PARSED = 15_000
"""The most templates, links and arguments that are parsed for one page, at about 30 µs each.
Further templates are flattened."""
MAX_SHOWN = 500_000
"""The most time for rendering the templates of one page, in estimated microseconds. Further
templates are left out. Equal templates are rendered once."""

_MARKUP = re.compile(r"[\x00-\x08\x0b-\x1f&'\[]")


class Expansion:
    """The templates of one page: set aside first, rendered later.

    `title` is the page's title. `pages` maps `transclusion.page_key` to the wikitext of template
    pages. `literals` stores literal text such as nowiki.
    """

    def __init__(self, title: str, site: Site, pages: Mapping[str, str], literals: Stash) -> None:
        self.dropped: Counter[str] = Counter()
        """How often templates of each name were left out."""
        self.infobox: dict[str, str] = {}
        self.is_disambiguation = False
        """Whether a template marks the page as a disambiguation."""
        self.is_cut_short = False
        """Whether templates exceeded the limits of the parser or of the page."""
        self._title = title
        self._site = site
        self._template_pages = pages
        self._literals = literals
        self._stash = Stash("template")
        self._names: dict[str, Shown] = {}
        self._flat: dict[str, str] = {}
        """The text of templates without nested ones, by source. Many occur repeatedly."""
        self._templates = 0
        self._parsed = 0
        self._shown = 0
        self._expanding: list[str] = []
        self._bound: Mapping[str, str] = {}
        self._transcluded = 0
        self._bars = 0
        self._substituted = 0

    def where_shown(self, name: str) -> Shown:
        """Where the template of this name, as written, shows anything."""
        shown = self._names.get(name)
        self._templates += 1
        if self._templates > MAX_TEMPLATES or (shown is None and len(self._names) >= MAX_NAMES):
            self.is_cut_short = True
            self.dropped[_OTHERS] += 1
            return "never"
        if shown is None:
            shown, marks_disambiguation = _known(name, self._site.lang)
            self.is_disambiguation |= marks_disambiguation
            self._names[name] = shown
        return shown

    def set_aside(self, source: str) -> str:
        """The mark that stands for a template until `shown`."""
        return self._stash.put(source)

    def shown(self, text: str) -> str:
        """`text` with what its templates show in place of their marks."""
        return self._stash.restore(text, self._rendered)

    def _rendered(self, source: str) -> str:
        """The text of a template that was set aside, protected from being read as markup."""
        if self._shown > MAX_SHOWN:
            return self._left_out(source)
        text = self._flat.get(source) or self._rendered_anew(source)
        growth = len(text) - len(source)
        return self._left_out(source) if growth > 0 and self._is_spent(growth // 4) else text

    def _rendered_anew(self, source: str) -> str:
        inner = source[2:-2]
        if "{" in inner or "[[" in inner:
            self._parsed += 1 + inner.count("|") + inner.count("[[")
            return (self._by_parser if self._parsed <= MAX_PARSED else self.flattened)(source)
        if self._is_spent(20 + 10 * inner.count("|") + len(source) // 30):
            return self._left_out(source)
        name, *arguments = inner.split("|")
        text = self._show(name, map(self._flat_argument, arguments))
        if text != DROPPED and not self._expanding:
            self._flat[source] = text
        return text

    def _by_parser(self, source: str) -> str:
        """The text of a template that contains links, template arguments or single braces."""
        import mwparserfromhell
        from mwparserfromhell.parser import ParserError

        try:
            code = mwparserfromhell.parse(shield(source), skip_style_tags=True)
            return self.shown(unshield(self._expand(code)))
        except (ParserError, RecursionError):
            return self.flattened(source)

    def flattened(self, source: str) -> str:
        """The text of a template that is beyond the parser's limits."""
        self.is_cut_short = True
        if self._is_spent(40 * source.count("{{") + len(source) // 10):
            return self._left_out(source)
        text = Flattened(source, self._site, self._show_flat).text
        return self.shown(text)

    def _is_spent(self, cost: int) -> bool:
        """Add to the cost of the page's templates. Returns whether the limit is exceeded."""
        self._shown += cost
        return self._shown > MAX_SHOWN

    def _left_out(self, source: str) -> str:
        self.is_cut_short = True
        self.dropped[templates.normalise(source[2:200].partition("|")[0].strip("{}"))] += 1
        return DROPPED

    def _show_flat(self, name: str, arguments: Sequence[Argument]) -> str:
        return self._show(name, [(key, self._plain(value)) for key, value in arguments])

    def _expand(self, code: Wikicode) -> str:
        """Wikitext with its templates rendered and its links resolved."""
        return "".join(map(self._node, code.nodes))

    def _node(self, node: Node) -> str:
        match type(node).__name__:
            case "Text":
                return node.value
            case "Template":
                name = unshield(self._expand(node.name))
                return self._show(name, map(self._argument, node.params))
            case "Wikilink":
                label = None if node.text is None else self._expand(node.text)
                return self._link(self._expand(node.title), label)
            case "Argument":
                name = self._expand(node.name).strip()
                if name in self._bound:
                    self._substituted += len(self._bound[name])
                    return self._bound[name] if self._substituted <= MAX_SUBSTITUTED else DROPPED
                return DROPPED if node.default is None else self._expand(node.default)
        return str(node)

    def _link(self, target: str, label: str | None) -> str:
        """A link's label. `Brackets` cut files and categories, but not those of template pages."""
        namespace = self._site.namespace(target) if self._expanding else 0
        if namespace == CATEGORY:
            category = target.partition(":")[2].strip()
            self.is_disambiguation |= is_disambiguation_category(category, self._site.lang)
        return DROPPED if namespace in (FILE, CATEGORY) else link_label(target, label)

    def _flat_argument(self, source: str) -> Argument:
        """An argument that holds no brackets."""
        key, equals, value = source.partition("=")
        return (key.strip(), self._plain(value)) if equals else (None, self._plain(source))

    def _argument(self, parameter: Parameter) -> Argument:
        key = unshield(str(parameter.name)).strip() if parameter.showkey else None
        return key, self._plain(unshield(self._expand(parameter.value)))

    def _plain(self, text: str) -> str:
        """A template's argument as plain text."""
        if not _MARKUP.search(text):
            return text
        text = external_labels(self.shown(text))
        if "'" in text:
            text = "\n".join(map(plain_quotes, text.split("\n")))
        return unprotect(mend(decode_entities(text)))

    def _show(self, name: str, arguments: Iterable[Argument]) -> str:
        """The text of a template, protected from being read as markup."""
        name = self.shown(name)
        name = " ".join(unprotect(name.replace(DROPPED, "")).split())
        name = name.removeprefix("safesubst:").removeprefix("subst:").lstrip()
        key = templates.normalise(name)
        if templates.is_infobox(key):
            for field, text in shown_fields(arguments, self._literals):
                self.infobox.setdefault(field, text)
            return DROPPED
        arguments = list(arguments)
        text = self._function(name, arguments) if ":" in name else None
        if text is None:
            text = templates.render(self._call(key, arguments))
        if text is None and self._template_pages:
            page = called_key(name, self._site)
            target = redirected(page, self._template_pages, self._site)
            if target != page and templates.is_known(target, self._site.lang):
                return self._show(target, arguments)
            text = self._transclude(target, arguments)
        if text is None:
            self.dropped[key] += 1
        if not text:
            return DROPPED
        if "\n" in text:
            text = f"\n\n{text.strip()}\n\n"
        return protect(text)

    def _transclude(self, name: str, arguments: Sequence[Argument]) -> str | None:
        """The text of the template page of this key. None if there is none, or beyond limits."""
        import mwparserfromhell
        from mwparserfromhell.parser import ParserError

        body = self._template_pages.get(name)
        if body is None or name in self._expanding or len(self._expanding) >= MAX_DEPTH:
            return None
        body = includable(body)
        if not is_tame(body):
            return None
        self._transcluded += len(body) + 1
        self._bars += body.count("|")
        if self._transcluded > MAX_CHARACTERS or self._bars > MAX_BARS or self._is_spent(80):
            return None
        outer, self._bound = self._bound, _bound(arguments)
        self._expanding.append(name)
        try:
            source = shield(strip_extensions(without_marks(body), self._literals))
            code = mwparserfromhell.parse(source, skip_style_tags=True)
            return self._fragment(unshield(self._expand(code)))
        except (ParserError, RecursionError):
            return None
        finally:
            self._expanding.pop()
            self._bound = outer

    def _fragment(self, wikitext: str) -> str:
        """Expanded wikitext as plain lines."""
        if is_box(wikitext):
            return ""
        source = without_tail(
            split_definitions(strip_tags(wikitext)), self._literals, self._site.lang
        )
        found = Brackets(source, self._site, self.where_shown, lambda kind, source: DROPPED)
        return self._plain(found.text).strip(f" \n{DROPPED}")

    def _call(self, key: str, arguments: Sequence[Argument]) -> templates.Call:
        positional = tuple(value for key, value in arguments if key is None)
        named = {key: value.strip() for key, value in arguments if key is not None}
        return templates.Call(key, positional, named, self._title, self._site.lang)

    def _function(self, name: str, arguments: Sequence[Argument]) -> str | None:
        """A parser function's text (``{{lc:X}}``); None where no function has this name."""
        head, _, first = name.partition(":")
        rest = [value if key is None else f"{key}={value}" for key, value in arguments]
        values = (first.strip(), *rest)
        return templates.render(
            templates.Call(head.strip().lower(), values, {}, self._title, self._site.lang)
        )


def _bound(arguments: Sequence[Argument]) -> dict[str, str]:
    """Arguments by name or number, protected from being read as markup."""
    bound: dict[str, str] = {}
    number = 0
    for key, value in arguments:
        if key is None:
            number += 1
            key = str(number)
        bound[key] = protect(value)
    return bound


@lru_cache(maxsize=20_000)
def _known(name: str, lang: str) -> tuple[Shown, bool]:
    """Where a template shows anything, and whether it marks a disambiguation."""
    name = templates.normalise(name)
    shown: Shown = "in items" if templates.is_citation(name, lang) else "always"
    if templates.invisible(name, lang):
        shown = "never"
    return shown, is_disambiguation(name, lang)
