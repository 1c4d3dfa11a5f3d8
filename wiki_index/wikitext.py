"""From a dump's page to what its reader sees: `parse`.

A page takes these steps, each linear in its length:

1. comments, references, galleries and other extension tags go, literal text is set aside
   (`extensions`); HTML tags are flattened;
2. plain links become what they show (`links`); one pass over the brackets (`brackets`) cuts what
   never reaches a reader, resolves the other links and sets templates and tables aside;
3. the sections after the prose go, tables go unless they are the article (`tables`);
4. each template is taken apart, by its bars where it holds no other brackets, else by
   mwparserfromhell (`fallback`, those beyond its limits), and `wiki_index.templates` renders it;
5. lines become paragraphs, and what the dropped pieces left behind is mended (`prose`).
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
from wiki_index.languages import (
    CATEGORY,
    FILE,
    Site,
    is_disambiguation,
    is_disambiguation_category,
    is_tail,
)
from wiki_index.links import (
    category_names,
    first_targets,
    link_label,
    link_targets,
    linked_titles,
)
from wiki_index.marks import (
    BREAK,
    DROPPED,
    Stash,
    protect,
    shield,
    unprotect,
    unshield,
    without_marks,
)
from wiki_index.prose import assemble, clean, heading_of, mend, plain_quotes
from wiki_index.tables import finished, table_rows
from wiki_index.transclusion import (
    MAX_CHARACTERS,
    MAX_DEPTH,
    MAX_SUBSTITUTED,
    called_key,
    includable,
    is_box,
    is_tame,
    redirected,
)
from wiki_index.types import Article, RawPage
from wiki_index.variants import convert_variants

if TYPE_CHECKING:
    from mwparserfromhell.nodes import Node
    from mwparserfromhell.nodes.extras import Parameter
    from mwparserfromhell.wikicode import Wikicode

MAX_NAMES = 5_000
"""How many names of templates are looked up for one page; those of other names are left out."""
_OTHERS = "(names beyond the limit)"
MAX_PARSED = 15_000
"""How many templates that hold links, with their arguments, the parser takes apart on one page
(some 30 µs each); those beyond are flattened."""
MAX_SHOWN = 500_000
"""What it may cost to show the templates of one page, in about so many microseconds; those beyond
are left out. Templates that are the same are shown once."""

_EXTERNAL_LINK = re.compile(
    r"\[(?:https?:|ftps?:|mailto:|news:|ircs?:|gopher:|sftp:|tel:|//)[^\s\[\]<>\"]*+"
    r"(?:[ \t\xa0]++((?:[^\[\]\n]|\[[^\[\]\n]*+\])*+))?\]",
    re.IGNORECASE,
)
_MARKUP = re.compile(r"[\x00-\x08\x0b-\x1f&'\[]")
_PICTURE_FIELD = re.compile(
    r"(?:^|[_ ])(?:(?:image|img|photo|picture|pic|logo|map)[a-z]*|caption|alt|upright|signature|"
    r"flag|coat|seal|cover|coordinates|style|background|embed|module|child)(?:$|[_ 0-9])",
    re.IGNORECASE,
)
_PICTURE_VALUE = re.compile(r"(?:px|\.(?:jpe?g|png|svg|gif|tiff?|og[gv]|webm))$", re.IGNORECASE)


def parse(page: RawPage, site: Site, pages: Mapping[str, str] | None = None) -> Article:
    """The article a reader of `page` sees. Never raises, whatever the page's text.

    `pages` has the wikitext of the dump's template pages by `transclusion.page_key`: a template
    without a renderer is expanded from there.

    Templates that are in neither are left out and counted in `Article.dropped`; `Article.via` is
    ``"fallback"`` where templates nest too deep, are too many or broke the parser, and were read by
    the simpler means of `fallback`.
    """
    return _Reader(page, site, pages or {}).article()


class _Reader:
    """The state of reading one page: what was set aside, counted and found on the way."""

    def __init__(self, page: RawPage, site: Site, pages: Mapping[str, str]) -> None:
        self._page = page
        self._site = site
        self._template_pages = pages
        self._expanding: list[str] = []
        self._bound: Mapping[str, str] = {}
        self._transcluded = 0
        self._substituted = 0
        self._literals = Stash("literal")
        self._templates = Stash("template")
        self._tables = Stash("table")
        self._names: dict[str, Shown] = {}
        self._dropped: Counter[str] = Counter()
        self._flat: dict[str, str] = {}
        """What templates that hold no others show, by their source; many come again and again."""
        self._infobox: dict[str, str] = {}
        self._is_disambiguation = False
        self._parsed = 0
        self._shown = 0
        self._via_fallback = False

    def article(self) -> Article:
        source = strip_tags(strip_extensions(without_marks(self._page.text), self._literals))
        source = split_definitions(convert_variants(source, self._site.lang))
        found = Brackets(source, self._site, self._where_shown, self._set_aside)
        targets = link_targets(source)
        text = self._with_tables(self._without_tail(found.text))
        text = finished(self._templates.restore(_external_links(text), self._rendered))
        sections = assemble(text, self._literals, self._site.lang)
        is_disambiguation = self._is_disambiguation or any(
            is_disambiguation_category(name, self._site.lang)
            for name in category_names(targets, self._site)
        )
        if is_disambiguation:
            targets = first_targets(source, self._site)
        return Article(
            title=self._page.title,
            kind="disambiguation" if is_disambiguation else "article",
            sections=tuple(sections),
            links=linked_titles(targets, self._site),
            infobox=self._infobox,
            dropped=dict(self._dropped),
            via="fallback" if self._via_fallback else "parser",
        )

    def _where_shown(self, name: str) -> Shown:
        shown = self._names.get(name)
        if shown is None:
            if len(self._names) >= MAX_NAMES:
                self._via_fallback = True
                self._dropped[_OTHERS] += 1
                return "never"
            shown, marks_disambiguation = _known(name, self._site.lang)
            self._is_disambiguation |= marks_disambiguation
            self._names[name] = shown
        return shown

    def _set_aside(self, kind: str, source: str) -> str:
        if kind == "deep":
            return self._flattened(source)
        return (self._templates if kind == "template" else self._tables).put(source)

    def _without_tail(self, text: str) -> str:
        """`text` without the sections after the prose, such as references and external links."""
        out: list[str] = []
        kept_to, skipped_level = 0, 0
        for line in _HEADING_LINE.finditer(text):
            heading = heading_of(line[0].lstrip("\n"))
            if heading is None:
                continue
            level, inner = heading
            if skipped_level and level > skipped_level:
                continue
            if skipped_level:
                kept_to, skipped_level = line.start(), 0
            if is_tail(clean(plain_quotes(inner), self._literals), self._site.lang):
                out.append(text[kept_to : line.start()])
                skipped_level = level
        if not skipped_level:
            out.append(text[kept_to:])
        return "".join(out)

    def _with_tables(self, text: str) -> str:
        """Tables as rows where they hold more than twice the text beside them, else without."""
        sources: list[str] = []
        prose = self._tables.restore(text, lambda source: sources.append(source) or "")
        if sum(map(len, sources)) > 2 * len(prose):
            tables = list(map(table_rows, sources))
            if sum(len(row) for rows in tables for row in rows) > 2 * len(prose):
                shown = ("\n* " + "\n* ".join(rows) + "\n" for rows in tables)
                text = self._tables.restore(text, lambda _: next(shown))
                return self._tables.restore(text, lambda _: DROPPED)
        return self._tables.restore(text, lambda _: "\n\n")

    # Templates

    def _rendered(self, source: str) -> str:
        """The text of a template whose source was set aside, safe from being read as markup."""
        text = self._flat.get(source) or self._rendered_anew(source)
        growth = len(text) - len(source)
        return self._left_out(source) if growth > 0 and self._is_spent(growth // 4) else text

    def _rendered_anew(self, source: str) -> str:
        inner = source[2:-2]
        if "{" in inner or "[[" in inner:
            self._parsed += 1 + inner.count("|") + inner.count("[[")
            return (self._by_parser if self._parsed <= MAX_PARSED else self._flattened)(source)
        if self._is_spent(20 + 10 * inner.count("|") + len(source) // 30):
            return self._left_out(source)
        name, *arguments = inner.split("|")
        text = self._show(name, map(self._flat_argument, arguments))
        if text != DROPPED and not self._expanding:
            self._flat[source] = text
        return text

    def _by_parser(self, source: str) -> str:
        """The text of a template that holds links, arguments of the page, or lone braces."""
        import mwparserfromhell
        from mwparserfromhell.parser import ParserError

        try:
            code = mwparserfromhell.parse(shield(source), skip_style_tags=True)
            return self._templates.restore(unshield(self._expand(code)), self._rendered)
        except (ParserError, RecursionError):
            return self._flattened(source)

    def _flattened(self, source: str) -> str:
        """The text of a template that is beyond the parser's limits."""
        self._via_fallback = True
        if self._is_spent(40 * source.count("{{") + len(source) // 10):
            return self._left_out(source)
        text = Flattened(source, self._site, self._show_flat).text
        return self._templates.restore(text, self._rendered)

    def _is_spent(self, cost: int) -> bool:
        """Whether the page's templates have no such cost left."""
        self._shown += cost
        return self._shown > MAX_SHOWN

    def _left_out(self, source: str) -> str:
        self._via_fallback = True
        self._dropped[templates.normalise(source[2:200].partition("|")[0].strip("{}"))] += 1
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
        """A link's label; `Brackets` has seen to files and categories but for template pages'."""
        namespace = self._site.namespace(target) if self._expanding else 0
        if namespace == CATEGORY:
            category = target.partition(":")[2].strip()
            self._is_disambiguation |= is_disambiguation_category(category, self._site.lang)
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
        text = _external_links(self._templates.restore(text, self._rendered))
        if "'" in text:
            text = "\n".join(map(plain_quotes, text.split("\n")))
        return unprotect(mend(decode_entities(text)))

    def _show(self, name: str, arguments: Iterable[Argument]) -> str:
        """What a template shows, safe from being read as markup."""
        name = self._templates.restore(name, self._rendered)
        name = " ".join(unprotect(name.replace(DROPPED, "")).split())
        name = name.removeprefix("safesubst:").removeprefix("subst:").lstrip()
        key = templates.normalise(name)
        if templates.is_infobox(key):
            self._read_infobox(arguments)
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
            self._dropped[key] += 1
        if not text:
            return DROPPED
        if "\n" in text:
            text = f"\n\n{text.strip()}\n\n"
        return protect(text)

    def _transclude(self, name: str, arguments: Sequence[Argument]) -> str | None:
        """The text of the dump's page of this key; None without one or beyond limits."""
        import mwparserfromhell
        from mwparserfromhell.parser import ParserError

        body = self._template_pages.get(name)
        if body is None or name in self._expanding or len(self._expanding) >= MAX_DEPTH:
            return None
        body = includable(body)
        if not is_tame(body):
            return None
        self._transcluded += len(body) + 1
        if self._transcluded > MAX_CHARACTERS:
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
        source = self._without_tail(split_definitions(strip_tags(wikitext)))
        found = Brackets(source, self._site, self._where_shown, lambda kind, source: DROPPED)
        return self._plain(found.text).strip(f" \n{DROPPED}")

    def _call(self, key: str, arguments: Sequence[Argument]) -> templates.Call:
        positional = tuple(value for key, value in arguments if key is None)
        named = {key: value.strip() for key, value in arguments if key is not None}
        return templates.Call(key, positional, named, self._page.title, self._site.lang)

    def _function(self, name: str, arguments: Sequence[Argument]) -> str | None:
        """A parser function's text (``{{lc:X}}``); None where no function has this name."""
        head, _, first = name.partition(":")
        rest = [value if key is None else f"{key}={value}" for key, value in arguments]
        values = (first.strip(), *rest)
        return templates.render(
            templates.Call(head.strip().lower(), values, {}, self._page.title, self._site.lang)
        )

    def _read_infobox(self, arguments: Iterable[Argument]) -> None:
        """Keep the fields of an infobox, and of those nested in it, as plain text."""
        for field, text in arguments:
            value = clean(_one_line(text), self._literals)
            is_picture = _PICTURE_FIELD.search(field or "") or _PICTURE_VALUE.search(value)
            if field and value and not is_picture:
                self._infobox.setdefault(field, value)


def _bound(arguments: Sequence[Argument]) -> dict[str, str]:
    """Arguments by their names, the unnamed by their numbers, safe from being read as markup."""
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


_HEADING_LINE = re.compile(r"\n=[^\n]*")


def _external_links(text: str) -> str:
    """External links as their labels; those without one show a bare number, which goes."""
    if "[" not in text:
        return text
    return _EXTERNAL_LINK.sub(lambda m: m[1] or DROPPED, text)


def _one_line(text: str) -> str:
    """A field of several lines as one: its items separated by commas, but for a parenthesis."""
    lines = (line.strip(" *#:;,") for line in text.replace(BREAK, "\n").split("\n"))
    return ", ".join(filter(None, lines)).replace(", (", " (")
