"""Turn tables into lines of text, for pages that consist mostly of tables.

Source: https://www.mediawiki.org/wiki/Help:Tables.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from wiki_index.marks import BREAK, SEAM

_CELL = re.compile(r"\|\||!!")
_LINE_OF_CELL = f",{SEAM} "
"""Between two lines of a cell, until `finished` sees what the second one's templates show."""


def table_rows(source: str) -> list[str]:
    """One line for each row of a table, cells joined by ``; ``, without captions and headers.

    In `source`, links are resolved and templates set aside, so every ``|`` belongs to the table.
    """
    rows = []
    for cells, is_header in _rows(source):
        texts = [_on_one_line(" ".join(cell)) for cell in cells]
        if not is_header and any(texts):
            rows.append("; ".join(filter(None, texts)))
    return rows


def _on_one_line(cell: str) -> str:
    return _LINE_OF_CELL.join(filter(None, (" ".join(x.split()) for x in cell.split(BREAK))))


def finished(rows: str) -> str:
    """`rows` with their templates rendered: no comma before a line in parentheses."""
    return rows.replace(f"{_LINE_OF_CELL}(", " (").replace(_LINE_OF_CELL, ", ")


def _rows(source: str) -> Iterator[tuple[list[list[str]], bool]]:
    """The cells of each row, each a list of lines, and whether all of them are headers."""
    cells: list[list[str]] = []
    headers = 0
    in_caption = False
    for line in source.split("\n")[1:]:
        line = line.strip()
        if line.startswith(("|-", "|}")):
            yield cells, 0 < headers == len(cells)
            cells, headers, in_caption = [], 0, False
        elif line.startswith("|+"):
            in_caption = True
        elif line[:1] in ("|", "!"):
            found = [[_content(cell)] for cell in _CELL.split(line[1:])]
            headers += len(found) if line[0] == "!" else 0
            cells += found
            in_caption = False
        elif cells and not in_caption:
            cells[-1].append(line.lstrip("*#:; "))
        elif line and not in_caption and not source.startswith("{|"):
            cells.append([line])
    yield cells, 0 < headers == len(cells)


def _content(cell: str) -> str:
    """The cell without the attributes before its first single bar."""
    _, bar, content = cell.partition("|")
    return content if bar else cell
