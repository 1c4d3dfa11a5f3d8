"""Resolve language conversion markup, ``-{zh-hans:…; zh-hant:…}-``, to one variant.

Source: https://www.mediawiki.org/wiki/Writing_systems/Syntax.
"""

from __future__ import annotations

import re

_MARKUP = re.compile(r"-\{((?:[^{}]++|\{\{[^{}]*+\}\})*+)\}-")
_RULE = re.compile(r"\s*([a-z]+(?:-[a-z]+)*)\s*:(.*)", re.DOTALL)
_PREFERRED = {
    "zh": ("zh-cn", "zh-hans", "zh", "zh-sg", "zh-my"),
    "sr": ("sr-ec", "sr-cyrl", "sr"),
    "uz": ("uz-latn", "uz"),
    "kk": ("kk-cyrl", "kk"),
    "ku": ("ku-latn", "ku"),
    "iu": ("ike-latn", "iu"),
    "tg": ("tg-cyrl", "tg"),
    "shi": ("shi-latn", "shi"),
    "gan": ("gan-hans", "gan"),
    "crh": ("crh-latn", "crh"),
}


def convert_variants(text: str, lang: str) -> str:
    """`text` with each conversion rule replaced by its text; unchanged in other languages."""
    if lang not in _PREFERRED or "-{" not in text:
        return text
    return _MARKUP.sub(lambda m: _shown(m[1], _PREFERRED[lang]), text)


def _shown(markup: str, preferred: tuple[str, ...]) -> str:
    flags, bar, body = markup.partition("|")
    if not bar or ":" in flags or "{" in flags:
        flags, body = "", markup
    if set("THD-") & set(flags.replace(" ", "").replace(";", "")) and flags.isupper():
        return ""
    rules = [_RULE.fullmatch(rule) for rule in body.split(";") if rule.strip()]
    texts = {rule[1]: rule[2].strip() for rule in rules if rule}
    if not texts or not all(rules):
        return body
    return next((texts[v] for v in preferred if v in texts), next(iter(texts.values())))
