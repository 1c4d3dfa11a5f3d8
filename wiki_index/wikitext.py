"""From a dump's page to what its reader sees: `parse`.

A page takes these steps, each linear in its length:

1. comments, references, galleries and other extension tags go, literal text is set aside
   (`extensions`); HTML tags are flattened;
2. plain links become what they show (`links`); one pass over the brackets (`brackets`) cuts what
   never reaches a reader, resolves the other links and sets templates and tables aside;
3. the sections after the prose go, tables go unless they are the article (`tables`);
4. each template is replaced by what it shows (`expansion`);
5. lines become paragraphs, and what the dropped pieces left behind is mended (`prose`).
"""

from __future__ import annotations

from collections.abc import Mapping

from wiki_index.brackets import Brackets, split_definitions
from wiki_index.expansion import Expansion
from wiki_index.extensions import strip_extensions, strip_tags
from wiki_index.languages import Site, is_disambiguation_category
from wiki_index.links import (
    category_names,
    external_labels,
    first_targets,
    link_targets,
    linked_titles,
)
from wiki_index.marks import DROPPED, Stash, without_marks
from wiki_index.prose import assemble, without_tail
from wiki_index.tables import finished, table_rows
from wiki_index.types import Article, RawPage
from wiki_index.variants import convert_variants


def parse(page: RawPage, site: Site, pages: Mapping[str, str] | None = None) -> Article:
    """The article a reader of `page` sees. Never raises, whatever the page's text.

    `pages` has the wikitext of the dump's template pages by `transclusion.page_key`: a template
    without a renderer is expanded from there.

    Templates that are in neither are left out and counted in `Article.dropped`; `Article.via` is
    ``"fallback"`` where templates nest too deep, are too many or broke the parser, and were read by
    the simpler means of `fallback`.
    """
    literals, tables = Stash("literal"), Stash("table")
    templates = Expansion(page.title, site, pages or {}, literals)

    def set_aside(kind: str, source: str) -> str:
        if kind == "deep":
            return templates.flattened(source)
        return templates.set_aside(source) if kind == "template" else tables.put(source)

    source = strip_tags(strip_extensions(without_marks(page.text), literals))
    source = split_definitions(convert_variants(source, site.lang))
    text = Brackets(source, site, templates.where_shown, set_aside).text
    text = _with_tables(without_tail(text, literals, site.lang), tables)
    text = finished(templates.shown(external_labels(text)))
    sections = assemble(text, literals, site.lang)
    targets = link_targets(source)
    is_disambiguation = templates.is_disambiguation or any(
        is_disambiguation_category(name, site.lang) for name in category_names(targets, site)
    )
    if is_disambiguation:
        targets = first_targets(source, site)
    return Article(
        title=page.title,
        kind="disambiguation" if is_disambiguation else "article",
        sections=tuple(sections),
        links=linked_titles(targets, site),
        infobox=templates.infobox,
        dropped=dict(templates.dropped),
        via="fallback" if templates.is_cut_short else "parser",
    )


def _with_tables(text: str, tables: Stash) -> str:
    """Tables as rows where they hold more than twice the text beside them, else without."""
    sources: list[str] = []
    prose = tables.restore(text, lambda source: sources.append(source) or "")
    if sum(map(len, sources)) > 2 * len(prose):
        read = list(map(table_rows, sources))
        if sum(len(row) for rows in read for row in rows) > 2 * len(prose):
            shown = ("\n* " + "\n* ".join(rows) + "\n" for rows in read)
            text = tables.restore(text, lambda _: next(shown))
            return tables.restore(text, lambda _: DROPPED)
    return tables.restore(text, lambda _: "\n\n")
