"""Turn the wikitext of a page into the text that a reader sees.

`parse` has these steps, each linear in the length of the page:

1. remove comments, references, galleries and other extension tags, set literal text aside, and
   flatten HTML tags (`extensions`);
2. replace plain links by their labels (`links`); match the brackets in one pass, cut files,
   categories and invisible templates, and set the other templates and tables aside (`brackets`);
3. remove the sections after the prose, and tables unless they make up the article (`tables`);
4. replace each template by its text (`expansion`);
5. join lines into paragraphs, and mend the text around what was removed (`prose`).
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

    `pages` maps `transclusion.page_key` to the wikitext of the dump's template pages. A template
    without a renderer is expanded from its page. Templates that have neither are left out and
    counted in `Article.dropped`. `Article.via` is ``"fallback"`` if templates exceeded a limit or
    the parser failed, and `fallback` read them.
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
