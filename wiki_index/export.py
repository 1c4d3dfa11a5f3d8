"""Read pages from the text of a MediaWiki export. Memory does not grow with the text.

The format: https://www.mediawiki.org/wiki/Help:Export#Export_format.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from wiki_index.errors import DumpError
from wiki_index.languages import Site, redirect_target
from wiki_index.types import RawPage
from wiki_index.unpack import Broken

if TYPE_CHECKING:
    from lxml import etree

_UTF8_BOM = b"\xef\xbb\xbf"
_UTF16_BOMS = (b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff")
"""Also those of UTF-32: the first is a prefix of that for the other byte order."""
_MADE_IDS = 1 << 60
"""Above all ids that a wiki assigns."""
_LONGEST = 16 * 1024**2
"""The limit of a page's text in bytes of XML. MediaWiki's is 2 MiB, 12 MiB if all is escaped."""
_PAGE = b"<page>"
_PAGES = re.compile(_PAGE)
_SITE = b"<siteinfo"
_TEXT_ENDS = b"</text>"
_CUT = "\U0010ffff"
"""The end of a truncated text: a character that is never in a text."""
_ENDLESS = b"<endless>"
"""Replaces a text that is too long and has no space at which it could be truncated."""
_ROOT = re.compile(rb"<([A-Za-z_][\w.:-]*)")


@dataclass(frozen=True)
class Damage:
    """A place where a dump cannot be read. Offsets are in bytes of the compressed file."""

    file: str
    start: int
    end: int | None
    """The offset at which reading continues; None: at the next page, or nowhere."""
    reason: str

    def __str__(self) -> str:
        to = "" if self.end is None else f" to {self.end:,}"
        return f"{self.file} at byte {self.start:,}{to} ({self.reason})"


@dataclass
class Tally:
    """Counts and damage of a stretch of a dump."""

    skipped: Counter[str] = field(default_factory=Counter)
    """Pages that are not pages or redirects of the article namespace, by reason."""
    histories: int = 0
    """Pages with more than one revision, of which the last is used."""
    damages: list[Damage] = field(default_factory=list)


def read_pages(
    chunks: Iterable[bytes],
    site: Site,
    tally: Tally,
    damaged: Callable[[Broken, int], None],
    started: Callable[[Site], None] | None = None,
    namespaces: Container[int] = (0,),
) -> Iterator[RawPage]:
    """Pages and redirects of the given namespaces. The others are counted in `tally`.

    Malformed XML costs its page, or `siteinfo`; `damaged` is called with the reason and the offset
    in the text. `started` is called with the site that the text describes; until then, the site is
    `site`.

    Raises:
        Broken: the XML is truncated; the pages before that have been yielded.
    """
    for element in _elements(chunks, damaged):
        if _name(element) == "siteinfo":
            site = _site(element)
            if started is not None:
                started(site)
            continue
        if _name(element) == "logitem":  # Dumps of logs have these instead of pages.
            continue
        tally.histories += element.get("revisions") is not None
        page = _page(element, site)
        reason = _why_skipped(page, namespaces)
        if reason:
            tally.skipped[reason] += 1
        else:
            yield page


def _elements(
    chunks: Iterable[bytes], damaged: Callable[[Broken, int], None]
) -> Iterator[etree._Element]:
    """Yield `siteinfo` and `page` elements as they end. Each is freed after use."""
    parser, begun = _parser(), 0
    lost, ended, inside = False, False, ""
    for offset, piece in _pieces(chunks):
        begins_page = piece.startswith(_PAGE)
        if begins_page and inside:
            damaged(Broken(f"a {inside} that does not end"), begun)
        if begins_page and ended and not lost:
            damaged(Broken("a page after the end"), offset)
        if begins_page and (lost or ended or inside):
            parser, lost, ended, inside = _parser(), False, False, ""
            parser.feed(b"<mediawiki>")
        if lost:
            continue
        if not inside:
            begun = offset
            inside = "page" if begins_page else "siteinfo" if _SITE in piece else ""
        try:
            if piece == _ENDLESS:
                raise Broken("a text that does not end")
            for element in _feed(parser, piece):
                if _name(element) == "mediawiki":
                    ended = element.getparent() is None
                    continue
                if _name(element) == inside:
                    inside = ""
                yield element
        except Broken as error:
            damaged(error, begun)
            lost, inside = True, ""
    if not lost:
        _close(parser)


def _parser() -> etree.XMLPullParser:
    from lxml import etree

    return etree.XMLPullParser(
        events=("end",),
        tag=("{*}mediawiki", "{*}siteinfo", "{*}page", "{*}revision", "{*}logitem"),
        huge_tree=True,
        resolve_entities=False,
        no_network=True,
        remove_comments=True,
        remove_pis=True,
    )


def _close(parser: etree.XMLPullParser) -> None:
    from lxml import etree

    try:
        parser.close()
    except etree.XMLSyntaxError as error:
        raise _broken(error) from error


def _broken(error: etree.XMLSyntaxError) -> Broken:
    reason = str(error).partition(" (")[0].partition(", line")[0]
    return Broken(" ".join(reason.split()))


def _pieces(chunks: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """Divide the text into pieces, so that every `<page>` begins one; each with its offset."""
    counted = _Counted(chunks)
    rest = b""
    for chunk in _without_the_endless(counted):
        if chunk == _ENDLESS:
            yield counted.bytes, chunk
            rest = b""
            continue
        text = rest + chunk
        start = counted.bytes - len(text)
        cuts = [0, *(match.start() for match in _PAGES.finditer(text, 1))]
        for cut, end in pairwise(cuts):
            yield start + cut, text[cut:end]
        # The end may be the beginning of a tag, so it is joined to the next chunk.
        last = text[cuts[-1] :]
        end = max(len(last) - len(_PAGE) + 1, len(_PAGE) if last.startswith(_PAGE) else 0)
        yield start + cuts[-1], last[:end]
        rest = last[end:]
    yield counted.bytes - len(rest), rest


class _Counted:
    """Chunks, with the number of bytes so far."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks = chunks
        self.bytes = 0

    def __iter__(self) -> Iterator[bytes]:
        for chunk in self._chunks:
            self.bytes += len(chunk)
            yield chunk


def _without_the_endless(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The chunks, with texts that are too long for a page truncated. Such a text ends in `_CUT`.

    A text that cannot be truncated is replaced by `_ENDLESS`.
    """
    held, cutting, tail = 0, False, b""
    for chunk in chunks:
        if cutting:
            rest = tail + chunk
            end = rest.find(_TEXT_ENDS)
            tail = rest[1 - len(_TEXT_ENDS) :]
            if end >= 0:
                yield _CUT.encode() + rest[end:]
                held, cutting = 0, False
            continue
        known = max(chunk.rfind(_TEXT_ENDS), chunk.rfind(b"<page>"))
        held = held + len(chunk) if known < 0 else len(chunk) - known
        blank = max(chunk.rfind(b" "), chunk.rfind(b"\n")) if held > _LONGEST else -1
        if held > 2 * _LONGEST and blank <= known:
            yield _ENDLESS
            held = 0
        elif blank > known:  # A space is not inside a character or an entity.
            yield chunk[:blank]
            cutting, tail = True, chunk[blank:][1 - len(_TEXT_ENDS) :]
        else:
            yield chunk


def _feed(parser: etree.XMLPullParser, chunk: bytes) -> Iterator[etree._Element]:
    """Feed a chunk and yield the elements that it completes, even before a syntax error."""
    from lxml import etree

    failure = None
    try:
        parser.feed(chunk)
    except etree.XMLSyntaxError as error:
        failure = error
    for _, element in parser.read_events():
        if _name(element) == "revision":
            _keep_last_revision(element)
            continue
        yield element
        parent = element.getparent()
        if parent is not None:
            parent.remove(element)
    if failure is not None:
        raise _broken(failure) from failure


def _keep_last_revision(revision: etree._Element) -> None:
    """Remove all but the last revision of a page, so that a history dump needs no more memory."""
    page = revision.getparent()
    if page is None:
        return
    whole = [revision, *revision.itersiblings("{*}revision", preceding=True)]
    last = max(whole, key=_age)
    for other in whole:
        if other is not last:
            page.set("revisions", "many")
            page.remove(other)


def _age(revision: etree._Element) -> tuple[str, int]:
    fields = _texts(revision)
    return fields.get("timestamp", ""), _number(fields.get("id")) or 0


def check_beginning(path: str, text: bytes) -> None:
    """Reject text that is not a MediaWiki export, or has a document type (as entity bombs do)."""
    if text.startswith(_UTF16_BOMS) or text.lstrip(b"\0").startswith(b"<\0"):
        raise DumpError(
            f"{path} is in UTF-16 or UTF-32: a dump must be in UTF-8, as MediaWiki's are, so "
            "convert it or download it again."
        )
    rest = text.removeprefix(_UTF8_BOM).lstrip()
    if not rest.startswith(b"<"):
        raise DumpError(f"{path} is not XML: give a MediaWiki dump (…-pages-articles.xml.bz2).")
    while rest.startswith((b"<?", b"<!--")):
        close = b"?>" if rest.startswith(b"<?") else b"-->"
        rest = rest.partition(close)[2].lstrip()
    root = _ROOT.match(rest)
    if root is None or root[1] != b"mediawiki":
        what = f"<{root[1].decode()}>" if root else "something else"
        raise DumpError(
            f"{path} is not a MediaWiki export: it begins with {what} instead of <mediawiki>."
        )


def _name(element: etree._Element) -> str:
    return element.tag.rpartition("}")[2]


def _texts(element: etree._Element) -> dict[str, str]:
    """The texts of the child elements, by their names."""
    return {_name(child): child.text or "" for child in element}


def _site(siteinfo: etree._Element) -> Site:
    fields = _texts(siteinfo)
    root = siteinfo.getparent()
    lang = root.get("{http://www.w3.org/XML/1998/namespace}lang", "en")
    if fields.get("dbname", "").startswith("simplewiki"):
        lang = "simple"
    names = {
        int(namespace.get("key")): namespace.text
        for namespace in siteinfo.iterfind("{*}namespaces/{*}namespace")
        if namespace.text
    }
    return Site(
        lang=lang,
        sitename=fields.get("sitename", ""),
        case=fields.get("case", "first-letter"),
        namespaces=names,
    )


def _page(element: etree._Element, site: Site) -> RawPage:
    """The page of an element. A page without an id gets one computed from its title."""
    fields = _texts(element)
    redirect = element.find("{*}redirect")
    revision = element.find("{*}revision")
    content = _texts(revision) if revision is not None else {}
    text = content.get("text", "")
    target = redirect.get("title") if redirect is not None else None
    if target is not None or text.lstrip().startswith(("#", "＃")):
        target = _with_section(target, redirect_target(text, site))
    title = fields.get("title", "")
    return RawPage(
        title=title,
        namespace=_namespace(fields, site),
        id=max(_number(fields.get("id")) or 0, 0) or _made_id(title),
        text=text,
        redirect=target,
        revision=_number(content.get("id")),
        model=content.get("model") or "wikitext",
    )


def _made_id(title: str) -> int:
    return _MADE_IDS + int.from_bytes(hashlib.sha256(title.encode()).digest()[:7])


def _number(text: str | None) -> int | None:
    return int(text) if text and re.fullmatch(r"-?[0-9]{1,18}", text) else None


def _namespace(fields: dict[str, str], site: Site) -> int:
    """The page's namespace. Dumps before export-0.6 show it in the title's prefix only."""
    number = _number(fields.get("ns"))
    if number is not None:
        return number
    return site.namespace(fields.get("title", ""))


def _with_section(target: str | None, written: str | None) -> str | None:
    """The target of `<redirect>`, with the section from the wikitext, which it lacks."""
    if target is None or written is None:
        return target or written
    section = written.partition("#")[2]
    return f"{target}#{section}" if section and "#" not in target else target


def _why_skipped(page: RawPage, namespaces: Container[int]) -> str | None:
    if page.namespace not in namespaces:
        return "other namespace"
    if page.model != "wikitext":
        return "not wikitext"
    if not page.title:
        return "no title"
    if page.text.endswith(_CUT):
        return "longer than 16 MiB"
    if not page.text.strip() and page.redirect is None:
        return "no text"
    return None
