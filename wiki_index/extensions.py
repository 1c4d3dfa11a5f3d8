"""Remove comments, extension tags and HTML tags, as MediaWiki's preprocessor does first.

Every function is linear in the page: a closing tag is found by one search, and a tag that was found
unclosed once is not searched for again.
Sources: https://www.mediawiki.org/wiki/Parser_extension_tags, https://www.mediawiki.org/wiki/Help:Formatting.
"""

from __future__ import annotations

import html
import re
from html.entities import html5

from wiki_index.latex import plain_math
from wiki_index.marks import BREAK, DROPPED, SEAM, Stash


def _names(names: str) -> frozenset[str]:
    return frozenset(names.split())


_GONE = _names(
    "ref templatestyles templatedata hiero indicator includeonly section charinsert phonos score "
    "mapframe maplink"
)
_GONE_BLOCKS = _names(
    "references gallery imagemap timeline graph chart inputbox categorytree rss listing "
    "dynamicpagelist"
)
_SHOWN = _names("nowiki pre source syntaxhighlight math chem ce poem")
_EXTENSIONS = _GONE | _GONE_BLOCKS | _SHOWN
_OPENING = re.compile(
    r"<(?:!--|(ref(?:\s[^<>]*+)?(?:(?<=/)>|(?<!/)>[^<]*+</ref\s*+>))"  # a whole note, as most are
    rf"|({'|'.join(_EXTENSIONS)})(?=[\s/>])([^<>]*)>)",
    re.IGNORECASE,
)
_CLOSING = {name: re.compile(rf"</{name}\s*>", re.IGNORECASE) for name in _EXTENSIONS}

_INLINE = (
    _names(
        "a abbr b bdi bdo big cite code data del dfn em font i ins kbd mark noinclude nobr "
        "onlyinclude q rb rp rt rtc ruby s samp small span strike strong sub sup time translate tt "
        "u var wbr"
    )
    | _EXTENSIONS
)
_BLOCK = _names(
    "blockquote caption center div dl h1 h2 h3 h4 h5 h6 hr ol p tbody td tfoot th thead tr ul"
)
_ITEM = {"li": "\n* ", "dt": "\n: ", "dd": "\n: "}
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)(?=[\s/>])[^<>]*>")
_STYLED = re.compile(r"<(span|div)\s([^<>]*)>[^<>]*</\1\s*>", re.IGNORECASE)
_DIV = re.compile(r"<(/?)div(?:\s[^<>]*)?(?<!/)>", re.IGNORECASE)
_BESIDE = re.compile(
    r"<div\s[^<>]*?class\s*=[^<>=]*?\b(?:thumb\w*|hatnote|dablink|rellink|navbox|infobox)\b",
    re.IGNORECASE,
)
"""A picture or diagram with its caption, or a note about other pages, written by hand."""
_RUNS_IN = re.compile(r"(?:^|\s)(?:inline|enclose\s*=\s*\"?none)", re.IGNORECASE)
_HIDDEN = re.compile(r"display\s*:\s*none", re.IGNORECASE)
_SWITCH = re.compile(r"__([^\W\d_]+(?:_[^\W\d_]+)*)__")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,30});")


def decode_entities(text: str) -> str:
    """`text` with its HTML entities decoded. As in MediaWiki, an entity must end in ``;``."""
    if "&" not in text:
        return text
    return _ENTITY.sub(_character, text)


def _character(entity: re.Match[str]) -> str:
    name = entity[0][1:]
    return html.unescape(entity[0]) if name[0] == "#" else html5.get(name, entity[0])


def strip_extensions(text: str, stash: Stash) -> str:
    """`text` without comments and extension tags; literal content (nowiki, code) in `stash`."""
    out: list[str] = []
    position = 0
    unclosed: set[str] = set()
    while match := _OPENING.search(text, position):
        out.append(text[position : match.start()])
        if match[1]:
            out.append(DROPPED)
            position = match.end()
            continue
        name = (match[2] or "").lower()
        if not name:
            position = _after_comment(text, match, out, position)
            continue
        inner, position = "", match.end()
        if not match[3].endswith("/"):
            closing = None if name in unclosed else _CLOSING[name].search(text, position)
            if closing is None:
                unclosed.add(name)
                continue
            inner, position = text[position : closing.start()], closing.end()
        out.append(_show(name, match[3], inner, stash))
    out.append(text[position:])
    return "".join(out)


def _after_comment(text: str, match: re.Match[str], out: list[str], position: int) -> int:
    """Where the text continues after a comment. A comment alone on its lines takes the line end."""
    end = text.find("-->", match.end())
    if end < 0:
        return len(text)
    end += len("-->")
    if out[-1].endswith("("):
        out.append(DROPPED)  # to be mended if the bracket holds nothing else
        return end
    before = out[-1].rpartition("\n")[2]
    starts_line = "\n" in out[-1] or (position == 0 or text[position - 1] == "\n")
    if not starts_line or before.strip(" \t"):
        return end
    rest = _BLANKS_AND_LINE_END.match(text, end)
    if rest is None:
        return end
    out[-1] = out[-1][: len(out[-1]) - len(before)]
    return rest.end()


_BLANKS_AND_LINE_END = re.compile(r"[ \t]*+\n")


def _show(name: str, attributes: str, inner: str, stash: Stash) -> str:
    if name in _GONE:
        return DROPPED
    if name in _GONE_BLOCKS:
        return "\n\n"
    if name == "nowiki":
        return stash.put(decode_entities(inner))
    if name in ("math", "chem", "ce"):
        shown = plain_math(inner)
        return stash.put(shown) if shown else DROPPED
    if name == "poem":
        lines = strip_extensions(inner, stash).strip().split("\n")
        return "\n\n" + BREAK.join(line.lstrip(": ") for line in lines) + "\n\n"
    # What is left is preformatted: pre, source, syntaxhighlight.
    if _RUNS_IN.search(attributes):
        return stash.put(" ".join(decode_entities(inner).split()))
    lines = decode_entities(inner).split("\n")
    return "\n" + "".join(f" {stash.put(line)}\n" for line in lines if line.strip())


def strip_tags(text: str) -> str:
    """`text` without HTML tags. Breaks become marks, and block elements start new lines.

    Tags of tables stay: a table is later removed or turned into rows as a whole.
    """
    if "<" in text:
        text = _STYLED.sub(lambda m: "" if _HIDDEN.search(m[2]) else m[0], text)
        if _BESIDE.search(text):
            text = _without_boxes(text)
        text = _TAG.sub(_tag, text)
    if "__" in text:
        text = _SWITCH.sub(lambda m: m[0] if m[1] != m[1].upper() else DROPPED, text)
    return text


def _without_boxes(text: str) -> str:
    """`text` without the `div`s that stand beside it, each up to the tag that closes it."""
    out: list[str] = []
    position = depth = 0
    for tag in _DIV.finditer(text):
        if depth:
            depth += -1 if tag[1] else 1
            if not depth:
                position = tag.end()
        elif not tag[1] and _BESIDE.match(tag[0]):
            out += [text[position : tag.start()], "\n\n"]
            position, depth = tag.start(), 1
    return "".join([*out, text[position:]])


def _tag(match: re.Match[str]) -> str:
    name = match[2].lower()
    if name == "br":
        return BREAK
    if name in _INLINE:
        return SEAM if match.string[match.start() - 1 : match.start()] == "'" else ""
    if name in _ITEM:
        return "\n" if match[1] else _ITEM[name]
    if name in _BLOCK:
        return "\n\n"
    return match[0]
