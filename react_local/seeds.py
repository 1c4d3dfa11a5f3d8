"""Seeds made of a seed, so that what is drawn in one place does not depend on another."""

from __future__ import annotations

import json
from hashlib import blake2b


def derived(seed: int, *names: str | int) -> int:
    """The seed, of 63 bits, that `seed` gives what `names` name: a question, a step, a part."""
    told = json.dumps([seed, *names]).encode()
    return int.from_bytes(blake2b(told, digest_size=8).digest()) >> 1
