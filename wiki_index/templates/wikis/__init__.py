"""Templates of the Wikipedias in other languages, a file for each.

A renderer registered there serves that wiki and comes before the English one of the same name.
Each wiki's own documentation of the template is the source: ``Vorlage:…``, ``Modèle:…``,
``Plantilla:…``, ``Шаблон:…``, ``テンプレート:…``, ``模板:…``, ``قالب:…``.
"""

from __future__ import annotations

from wiki_index.templates.wikis import (  # noqa: F401 - each registers its renderers
    arabic,
    chinese,
    french,
    german,
    japanese,
    russian,
    spanish,
)
