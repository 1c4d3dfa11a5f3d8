"""Decompress bz2, gzip, Zstandard or plain text, in chunks of bounded size.

The format of a file is told by its first bytes, never by its name. A compressor may have
written many streams one after the other (https://meta.wikimedia.org/wiki/Data_dumps/Dump_format).
"""

from __future__ import annotations

import bz2
import zlib
from collections.abc import Callable, Iterator

_CHUNK = 32 * 1024
"""Bytes read or decompressed at once. Damage is located, and costs text, to this precision."""
HEAD_BYTES = 16
"""The number of first bytes that tell the format of a file."""

_BZ2, _GZIP, _ZSTANDARD = b"BZh", b"\x1f\x8b", b"\x28\xb5\x2f\xfd"

Read = Callable[[int], bytes]


class Broken(Exception):
    """The compressed data is corrupt or ends too early; the message says which."""


def is_packed(head: bytes) -> bool:
    """Whether data that begins with `head` is compressed."""
    return head.startswith((_BZ2, _GZIP, _ZSTANDARD))


def unpack(read: Read, head: bytes) -> Iterator[bytes]:
    """The text of data that begins with `head`; `read` returns the data from its start.

    Raises:
        Broken: what came before it is whole.
    """
    if head.startswith(_BZ2):
        return _streams(read, _Bz2)
    if head.startswith(_GZIP):
        return _streams(read, _Gzip)
    if head.startswith(_ZSTANDARD):
        return _zstandard(read)
    return iter(lambda: read(_CHUNK), b"")


class _Bz2:
    """A stream of bz2. `text` takes data and returns at most `_CHUNK` bytes of text."""

    def __init__(self) -> None:
        self._stream = bz2.BZ2Decompressor()

    def text(self, data: bytes) -> bytes:
        return self._stream.decompress(data, max_length=_CHUNK)

    @property
    def ended(self) -> bool:
        return self._stream.eof

    @property
    def hungry(self) -> bool:
        return self._stream.needs_input

    @property
    def rest(self) -> bytes:
        return self._stream.unused_data


class _Gzip:
    """A member of gzip, with the interface of `_Bz2`."""

    def __init__(self) -> None:
        self._stream = zlib.decompressobj(wbits=31)

    def text(self, data: bytes) -> bytes:
        return self._stream.decompress(self._stream.unconsumed_tail + data, _CHUNK)

    @property
    def ended(self) -> bool:
        return self._stream.eof

    @property
    def hungry(self) -> bool:
        return not self._stream.unconsumed_tail

    @property
    def rest(self) -> bytes:
        return self._stream.unused_data


def _streams(read: Read, kind: type[_Bz2] | type[_Gzip]) -> Iterator[bytes]:
    stream, data = kind(), read(_CHUNK)
    while True:
        try:
            text = stream.text(data)
        except (OSError, ValueError, zlib.error) as error:
            raise _broken(error) from error
        if text:
            yield text
        data = b""
        if stream.ended:
            data = stream.rest or read(_CHUNK)
            if not data:
                return
            stream = kind()
        elif stream.hungry and not text:
            data = read(_CHUNK)
            if not data:
                raise Broken("the file is truncated")


class _File:
    """`read` in the form of a file, as zstandard needs it."""

    def __init__(self, read: Read) -> None:
        self.read = read


def _zstandard(read: Read) -> Iterator[bytes]:
    import zstandard

    unpacker = zstandard.ZstdDecompressor(max_window_size=1 << 31)
    stream = unpacker.stream_reader(_File(read), read_size=_CHUNK, read_across_frames=True)
    try:
        while text := stream.read(_CHUNK):
            yield text
    except zstandard.ZstdError as error:
        raise _broken(error) from error


def _broken(error: Exception) -> Broken:
    """gzip and Zstandard compare a checksum only at the end, which may be that of the file."""
    if "check" in str(error):
        return Broken("a checksum does not match: text before it may be wrong, too")
    return Broken("corrupt data")
