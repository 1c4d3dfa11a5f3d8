"""Deriving seeds, so that random draws in one place do not depend on those in another."""

from __future__ import annotations

import json
from hashlib import blake2b


def derived(seed: int, *names: str | int) -> int:
    """A seed of 63 bits derived from `seed` for a purpose given by `names`, such as a question."""
    told = json.dumps([seed, *names]).encode()
    return int.from_bytes(blake2b(told, digest_size=8).digest()) >> 1
