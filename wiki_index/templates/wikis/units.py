"""Units by their names in a language, where the English converter wrote symbols."""

from __future__ import annotations

import re
from collections.abc import Mapping

_UNIT = re.compile(r"(?<=\d)[\N{NO-BREAK SPACE} ]([a-z°C/²2]+(?: [a-z]+)?)")


def in_words(text: str, names: Mapping[str, str], blank: str = "") -> str:
    """``20 m`` with the name for ``m``, after `blank`; unknown units stay as they are."""
    return _UNIT.sub(lambda unit: blank + names[unit[1]] if unit[1] in names else unit[0], text)
