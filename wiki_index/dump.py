"""MediaWiki's XML exports to pages, streaming: memory does not grow with the dump.

The format: https://www.mediawiki.org/wiki/Help:Export#Export_format; multistream dumps are bz2
streams one after the other: https://meta.wikimedia.org/wiki/Data_dumps/Dump_format.
"""

from __future__ import annotations

import bz2
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from wiki_index.errors import DumpDamaged, DumpError
from wiki_index.languages import Site, redirect_target
from wiki_index.types import RawPage

if TYPE_CHECKING:
    from lxml import etree

_CHUNK = 256 * 1024
_UNPACK = {
    b"\x1f\x8b": ("gzip", "gunzip -k"),
    b"\x28\xb5\x2f\xfd": ("Zstandard", "unzstd -k"),
    b"7z\xbc\xaf\x27\x1c": ("7-Zip", "7z x"),
    b"\xfd7zXZ\x00": ("xz", "unxz -k"),
    b"PK\x03\x04": ("ZIP", "unzip"),
}
_UTF8_BOM = b"\xef\xbb\xbf"
_ROOT = re.compile(rb"<([A-Za-z_][\w.:-]*)")


class Dump:
    """A dump file, to be iterated once: its pages and redirects of the article namespace.

    `site` is known once the first page was yielded. `bytes_read` of `bytes_total` compressed bytes
    have been read; `skipped` counts the other pages by reason.

    Raises (here and while iterating):
        DumpError: the file is missing, empty, packed in another way, or no MediaWiki export.
        DumpDamaged: it breaks off or is corrupt; the pages before that have been yielded.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self.bytes_read = 0
        self.skipped: Counter[str] = Counter()
        self.site = Site.default()
        self._head = _read_head(self.path)
        self.bytes_total = self.path.stat().st_size

    def __iter__(self) -> Iterator[RawPage]:
        with self.path.open("rb") as file:
            elements = self._elements(_chunks(file, self._head, self._count))
            for number, element in enumerate(elements):
                if _name(element) == "siteinfo":
                    self.site = _site(element)
                    continue
                page = _page(element, self.site, number)
                reason = _why_skipped(page)
                if reason:
                    self.skipped[reason] += 1
                else:
                    yield page

    def _count(self, offset: int) -> None:
        self.bytes_read = offset

    def _elements(self, chunks: Iterator[bytes]) -> Iterator[etree._Element]:
        """`siteinfo` and `page` elements as they end, each freed after it was used."""
        from lxml import etree

        parser = etree.XMLPullParser(
            events=("end",),
            tag=("{*}siteinfo", "{*}page", "{*}revision"),
            huge_tree=True,
            resolve_entities=False,
            no_network=True,
            remove_comments=True,
            remove_pis=True,
        )
        started = False
        try:
            for chunk in chunks:
                if not started:
                    _check_beginning(self.path, chunk)
                    started = True
                yield from _feed(parser, chunk)
            parser.close()
        except (etree.XMLSyntaxError, OSError) as error:
            raise DumpDamaged(self._damage(error)) from error

    def _damage(self, error: Exception) -> str:
        reason = str(error).partition(" (")[0].partition(", line")[0]
        return (
            f"{self.path} breaks off or is damaged at about byte {self.bytes_read} of "
            f"{self.bytes_total} ({reason}): download it again and compare its checksum."
        )


def _feed(parser: etree.XMLPullParser, chunk: bytes) -> Iterator[etree._Element]:
    """Feed a chunk; yield what it completes, even where it ends in a syntax error."""
    from lxml import etree

    failure = None
    try:
        parser.feed(chunk)
    except etree.XMLSyntaxError as error:
        failure = error
    for _, element in parser.read_events():
        if _name(element) == "revision":
            _forget_older_revisions(element)
            continue
        yield element
        parent = element.getparent()
        if parent is not None:
            parent.remove(element)
    if failure is not None:
        raise failure


def _forget_older_revisions(revision: etree._Element) -> None:
    """A page of a history dump is its last revision; the others need not be held."""
    page = revision.getparent()
    for older in list(revision.itersiblings("{*}revision", preceding=True)):
        page.remove(older)


def _read_head(path: Path) -> bytes:
    """The first bytes of the file, after the checks that need no reading."""
    try:
        with path.open("rb") as file:
            head = file.read(16)
    except FileNotFoundError as error:
        raise DumpError(f"{path} does not exist: give the path of a dump file.") from error
    except IsADirectoryError as error:
        raise DumpError(f"{path} is a directory: give the path of a dump file in it.") from error
    except OSError as error:
        raise DumpError(f"{path} cannot be read: {error.strerror}.") from error
    if not head:
        raise DumpError(f"{path} is empty: download the dump again.")
    for magic, (kind, command) in _UNPACK.items():
        if head.startswith(magic):
            raise DumpError(f"{path} is packed with {kind}: unpack it first (`{command} {path}`).")
    return head


def _chunks(file: BinaryIO, head: bytes, count: Callable[[int], None]) -> Iterator[bytes]:
    """The file's text in chunks, unpacked if its first bytes are those of bz2."""
    while chunk := file.read(_CHUNK):
        count(file.tell())
        if head.startswith(b"BZh"):
            yield from _Bz2(file, count).unpack(chunk)
            return
        yield chunk


class _Bz2:
    """One or many bz2 streams, unpacked in chunks of bounded size."""

    def __init__(self, file: BinaryIO, count: Callable[[int], None]) -> None:
        self._file = file
        self._count = count

    def unpack(self, data: bytes) -> Iterator[bytes]:
        stream = bz2.BZ2Decompressor()
        while True:
            try:
                text = stream.decompress(data, max_length=4 * _CHUNK)
            except (OSError, ValueError) as error:
                raise self._damaged("corrupt bz2 data") from error
            if text:
                yield text
            data = b""
            if stream.eof:
                data = stream.unused_data or self._read()
                if not data:
                    return
                stream = bz2.BZ2Decompressor()
            elif stream.needs_input:
                data = self._read()
                if not data:
                    raise self._damaged("the file breaks off")

    def _read(self) -> bytes:
        data = self._file.read(_CHUNK)
        self._count(self._file.tell())
        return data

    def _damaged(self, reason: str) -> DumpDamaged:
        return DumpDamaged(
            f"{self._file.name} is damaged at about byte {self._file.tell()} ({reason}): "
            "download it again and compare its checksum."
        )


def _check_beginning(path: Path, text: bytes) -> None:
    """Refuse what is no MediaWiki export, a document type (and so every entity bomb) included."""
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
            f"{path} is not a MediaWiki export: it begins with {what} where <mediawiki> is due."
        )


def _name(element: etree._Element) -> str:
    return element.tag.rpartition("}")[2]


def _texts(element: etree._Element) -> dict[str, str]:
    """Child element names to their texts."""
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


def _page(element: etree._Element, site: Site, number: int) -> RawPage:
    """The page of an element; one without an id gets its `number` in the dump, made negative."""
    fields = _texts(element)
    redirect = element.find("{*}redirect")
    revision = element.find("{*}revision")
    content = _texts(revision) if revision is not None else {}
    text = content.get("text", "")
    target = redirect.get("title") if redirect is not None else None
    if target is not None or text.lstrip().startswith(("#", "＃")):
        target = _with_section(target, redirect_target(text, site))
    return RawPage(
        title=fields.get("title", ""),
        namespace=_namespace(fields, site),
        id=_number(fields.get("id")) or -number,
        text=text,
        redirect=target,
        revision=_number(content.get("id")),
        model=content.get("model") or "wikitext",
    )


def _number(text: str | None) -> int | None:
    return int(text) if text and re.fullmatch(r"-?[0-9]{1,18}", text) else None


def _namespace(fields: dict[str, str], site: Site) -> int:
    """The page's namespace; dumps before export-0.6 tell it by the title's prefix alone."""
    number = _number(fields.get("ns"))
    if number is not None:
        return number
    return site.namespace(fields.get("title", ""))


def _with_section(target: str | None, written: str | None) -> str | None:
    """The target of `<redirect>`, which leaves out the section, with that of the wikitext."""
    if target is None or written is None:
        return target or written
    section = written.partition("#")[2]
    return f"{target}#{section}" if section and "#" not in target else target


def _why_skipped(page: RawPage) -> str | None:
    if page.namespace != 0:
        return "other namespace"
    if page.model != "wikitext":
        return "not wikitext"
    if not page.title:
        return "no title"
    if not page.text.strip() and page.redirect is None:
        return "no text"
    return None
