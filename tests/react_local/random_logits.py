"""Random logits over real and made-up vocabularies: models for the proofs of form.

The networks are not run, but the loop that forces, chooses, accepts and decodes tokens, and that
weighs texts, is the model's own.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cached_property
from types import SimpleNamespace

import numpy as np

from react_local.models import LlamaModel

SCRIPTS = ("", "CJK", "ARABIC", "CYRILLIC", "DEVANAGARI", "HANGUL", "bytes", "digits", "marks")


class AwkwardVocabulary:
    """Made up of tokens that a step must survive; it has the parts of `Vocabulary` in use.

    Single bytes; tokens that begin or end inside a character; brackets, newlines and labels with
    what follows them; duplicates; control tokens that write nothing.
    """

    def __init__(self) -> None:
        self.texts = [bytes([byte]) for byte in range(256)]
        for character in "東京مहि한ёé😀👩\u200d\u202e":
            spelt = character.encode()
            self.texts += [spelt, *(spelt[:cut] for cut in range(1, len(spelt)))]
            self.texts += [spelt[cut:] + b"a" for cut in range(1, len(spelt))]
        self.texts += [
            b"]", b"[", b"]]", b"[]", b"]\n", b"x]", b" [", b"\n", b"\n\n", b"\r\n", b".\n", b"\0",
            b"Action 1: Search[", b"\nAction 2: Finish[", b"\nObservation 1:", b"]\nThought 2: ",
            b"Thought", b" 1", b": ", b"Finish", b"Search[A", b"Lookup[", b"[yes]", b"Answer: ",
            b"Alder", b" Sound", b"Brae", b" the", b" ferry", b"1957", b"19", b"yes", b"no", b".",
            b"SUPPORTS", b" NOT", b"a", b"a", b" a", b"a ", b"  ", b"\xe3\x80\x80", b"\xc2\xa0",
            b"<start_of_turn>", b"<|im_end|>", b"[INST]", b"", b"",
        ]  # fmt: skip
        self.end = self.size = len(self.texts)
        self.texts.append(b"")
        self.size += 1

    @cached_property
    def constraint_tokenizer(self):
        from llguidance import LLTokenizer, TokenizerWrapper

        marked = [text or b"\xff<%d>" % token for token, text in enumerate(self.texts)]
        return LLTokenizer(TokenizerWrapper(_Wrapped(marked, self.end)))

    def bos(self) -> None:
        return None

    def read(self, text: str) -> list[int]:
        return list(text.encode(errors="replace"))


class _Wrapped:
    """A vocabulary in the form that llguidance wraps."""

    bos_token_id = None

    def __init__(self, tokens: list[bytes], end: int) -> None:
        self.tokens, self.eos_token_id = tokens, end
        self.special_token_ids = [end]

    def __call__(self, text: bytes) -> list[int]:
        return list(text)


class RandomRuntime:
    """Stands for `Runtime`: logits are drawn, those of a script and of what closes a part higher.

    `script` is one of `SCRIPTS`; `haste` the share of tokens at which a part is to be closed. Half
    of the drafted tokens are what it would have drawn.
    """

    draft = 3

    def __init__(self, vocabulary, seed: int) -> None:
        self.vocabulary, self.held, self.is_reproducible = vocabulary, [], False
        self.script, self.haste = "", 0.0
        self._random = np.random.default_rng(seed)
        self._drawn = self._random.normal(size=4 * vocabulary.size).astype(np.float32)
        self._scripts = {script: self._tokens_of(script) for script in SCRIPTS}
        self._closers = [
            t for t, text in enumerate(vocabulary.texts) if text in (b"\n", b"]", b'"')
        ]

    def keep(self, prompt: Sequence[int]) -> int:
        return 0

    def key(self, tokens: Sequence[int]) -> str:
        return ""

    def evaluate(self, tokens: Sequence[int]) -> np.ndarray:
        start = int(self._random.integers(len(self._drawn) - self.vocabulary.size))
        logits = self._drawn[start : start + self.vocabulary.size].copy()
        logits[self._scripts[self.script]] += 6
        if self._random.random() < self.haste:
            logits[self._closers] += 20
        return logits

    def evaluate_each(self, tokens: Sequence[int], last: int | None = None) -> np.ndarray:
        rows = [self.evaluate([token]) for token in tokens[-(last or len(tokens)) :]]
        for row, drafted in zip(rows, tokens[len(tokens) - len(rows) + 1 :], strict=False):
            row[drafted] += 40 * self._random.integers(2)
        return np.stack(rows)

    def take_back(self, count: int) -> None:
        """Nothing is held."""

    def _tokens_of(self, script: str) -> np.ndarray:
        texts = self.vocabulary.texts
        return np.array([t for t, text in enumerate(texts) if text and _is_of(script, text)], int)


def _is_of(script: str, text: bytes) -> bool:
    if script == "bytes":
        return len(text) == 1 and text[0] >= 0x80
    try:
        first = text.decode().strip()[:1]
    except UnicodeDecodeError:
        return script == "bytes"
    if script == "digits":
        return first.isdigit()
    if script == "marks":
        return bool(first) and unicodedata.category(first)[0] in "PSM"
    return bool(script and first) and unicodedata.name(first, "").startswith(script)


def random_model(vocabulary, seed: int) -> tuple[LlamaModel, RandomRuntime]:
    """A model of random logits, and what draws them."""
    runtime = RandomRuntime(vocabulary, seed)
    header = SimpleNamespace(name="random", path="none")
    return LlamaModel(runtime, header, context_length=9**6, template=None, temperature=0.0), runtime
