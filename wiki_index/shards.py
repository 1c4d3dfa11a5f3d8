"""Results of parsing as bytes, which a worker on another machine sends and the build merges.

A shard is compressed JSON: it holds what goes into the store, so nothing is parsed again.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from wiki_index.dump import Stretch
from wiki_index.export import Damage, Tally
from wiki_index.parsing import Parsed, Result
from wiki_index.store import Record


def pack(results: Sequence[Result]) -> bytes:
    import zstandard

    content = [[[_plain(p) for p in result.parsed], _told(result.tally)] for result in results]
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    return zstandard.compress(text.encode())


def unpack(stretches: Sequence[Stretch], shard: bytes) -> Iterator[Result]:
    """The results of the stretches from which a shard was made."""
    import zstandard

    content = json.loads(zstandard.decompress(shard))
    for stretch, (parsed, tally) in zip(stretches, content, strict=True):
        damages = [Damage(**damage) for damage in tally["damages"]]
        yield Result(
            stretch,
            [_parsed(values) for values in parsed],
            Tally(Counter(tally["skipped"]), tally["histories"], damages),
        )


def _told(tally: Tally) -> dict[str, Any]:
    return vars(tally) | {"damages": [vars(damage) for damage in tally.damages]}


def _plain(parsed: Parsed) -> dict[str, Any]:
    values = vars(parsed) | {"dropped": dict(parsed.dropped)}
    if parsed.record is not None:
        values["record"] = vars(parsed.record) | {"body": parsed.record.body.decode()}
    return values


def _parsed(values: dict[str, Any]) -> Parsed:
    record = values.pop("record")
    if record is not None:
        record = Record(**record | {"body": record["body"].encode()})
    return Parsed(**values, record=record)
