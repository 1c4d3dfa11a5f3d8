"""The model: a GGUF file run by llama.cpp, constrained to a grammar by Outlines and llguidance."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import replace
from functools import lru_cache, partial
from importlib import import_module
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from grammars import Grammar
from react_local.errors import ModelError
from react_local.models.base import Generation, Piece, Scores, Tool, ToolCall
from react_local.models.chat import ChatTemplate, TemplateError
from react_local.models.context import check_fits
from react_local.models.decoding import Completion, decode, decode_batch
from react_local.models.gguf import GGUFHeader, check_usable, read_header
from react_local.models.options import RuntimeOptions
from react_local.types import Usage

if TYPE_CHECKING:
    from react_local.models.constraint import Constraint
    from react_local.models.prompt_cache import PromptCache
    from react_local.models.runtime import Runtime
    from react_local.models.vocabulary import Vocabulary

DEFAULT_CONTEXT = 8192
"""The context length in tokens, unless given or the model was trained for fewer."""

_Parts = tuple[list[int], list[int], list[int]]

_GRAMMARS = 64  # compiled ones to keep
_PIECES = 2048  # of prompts, whose tokens to keep
_WORTH_KEEPING = 128  # tokens; for fewer, evaluating them is as fast as reading a file


class LlamaModel:
    """A `LanguageModel` for one GGUF file. Make one with `load`.

    It has one context and keeps track of its content: a prompt that begins like the last one is
    evaluated only from where they differ. Not thread-safe.
    """

    def __init__(
        self,
        runtime: Runtime,
        header: GGUFHeader,
        *,
        context_length: int,
        template: ChatTemplate | None,
        temperature: float,
        prompt_cache: PromptCache | None = None,
    ) -> None:
        self.name = header.name
        self.header = header
        self.context_length = context_length
        self.temperature = temperature
        self.notes: tuple[str, ...] = ()
        """Notes for the user on how the model is run."""
        self._runtime = runtime
        self._template = template
        self._prompt_cache = prompt_cache
        # In a session, most steps have a grammar that was compiled before.
        self._compile = lru_cache(_GRAMMARS)(partial(_compile, runtime.vocabulary))
        # Most pieces of a prompt were in the prompt before.
        self._read = lru_cache(_PIECES)(runtime.vocabulary.read)

    @classmethod
    def load(
        cls,
        path: str | Path,
        *,
        temperature: float = 0.0,
        chat: bool | None = None,
        template: str | None = None,
        prompt_cache: PromptCache | None = None,
        **options: Any,
    ) -> LlamaModel:
        """Load a GGUF file.

        Args:
            path: the file; for a split model, its first part.
            temperature: 0 for the most likely token; above 0, tokens are sampled.
            chat: whether to use a chat template; None decides by the header (`GGUFHeader.is_chat`).
            template: a chat template (Jinja2) to use instead of the file's own.
            prompt_cache: a cache on disk for the states of stable prompt pieces.
            options: the fields of `react_local.models.options.RuntimeOptions`, such as `context`,
                `gpu_layers` and `threads`.

        Raises:
            ModelError: the file is missing, not a complete GGUF file, or not a model that generates
                text; it does not fit the memory; `chat` is true but there is no template; or the
                options are not valid.
        """
        header = read_header(path)
        check_usable(header)
        asked = RuntimeOptions(**options)
        length = _context_length(header, asked)
        source = _template_source(header, chat, template)

        from react_local.models.runtime import Runtime

        with ThreadPoolExecutor(1) as beside:  # importing Outlines takes as long as loading
            importing = beside.submit(import_module, "react_local.models.constraint")
            runtime = Runtime(header, length, asked)
            wait([importing])  # an interrupted wait for the thread's end would take it for ended
        _ = runtime.vocabulary.constraint_tokenizer  # now, rather than before the first token
        spoken = ChatTemplate(source, *runtime.vocabulary.control_names()) if source else None
        return cls(
            runtime,
            header,
            context_length=length,
            template=spoken,
            temperature=temperature,
            prompt_cache=prompt_cache,
        )

    @property
    def is_chat(self) -> bool:
        """Whether prompts are formatted with a chat template."""
        return self._template is not None

    @property
    def options(self) -> RuntimeOptions:
        """The options that it was loaded with."""
        return self._runtime.asked

    @property
    def gpu_layers(self) -> int:
        """The number of layers on the GPU; the output counts as one."""
        return self._runtime.gpu_layers

    @property
    def threads(self) -> int:
        """The number of threads that evaluate prompts and generate."""
        return self._runtime.threads

    def generate(
        self,
        prompt: Sequence[Piece],
        grammar: str,
        *,
        max_tokens: int,
        seed: int = 0,
        on_text: Callable[[str], None] | None = None,
    ) -> Generation:
        """Continue `prompt` with a text of `grammar`. See `LanguageModel.generate`.

        Raises:
            ContextTooSmall: prompt and `max_tokens` exceed `context_length`.
            ValueError: `grammar` does not compile, or does not close within `max_tokens`.
        """
        started = perf_counter()
        spelt = self._fitting(prompt, max_tokens)
        completion = self._completion(self._constraint(grammar), max_tokens, seed, on_text=on_text)
        kept, pending = self._hold(*spelt)
        decode(self._runtime, pending, completion)
        evaluated = sum(map(len, spelt)) - kept
        return _finished(completion, Usage(evaluated, kept, 0, perf_counter() - started))

    def sample(
        self,
        prompt: Sequence[Piece],
        grammar: str,
        n: int,
        *,
        temperature: float,
        seed: int,
        max_tokens: int,
    ) -> list[Generation]:
        """`n` texts of `grammar` after `prompt`, as one batch. See `LanguageModel.sample`.

        Raises:
            ContextTooSmall: prompt and `max_tokens` exceed `context_length`.
            ValueError: `grammar` does not compile, or does not close within `max_tokens`.
        """
        started = perf_counter()
        spelt = self._fitting(prompt, max_tokens)
        constraint = self._constraint(grammar)
        completions = [
            self._completion(constraint.copy(), max_tokens, seed + i, temperature) for i in range(n)
        ]
        kept = self._decode_all(spelt, completions)
        whole, each = sum(map(len, spelt)), (perf_counter() - started) / max(n, 1)
        shared = [Usage(whole - kept, kept, 0, each), *[Usage(0, whole, 0, each)] * (n - 1)]
        return [_finished(*pair) for pair in zip(completions, shared, strict=False)]

    def score(self, prompt: Sequence[Piece], texts: Sequence[str]) -> Scores:
        """The probability of each text after `prompt`. See `LanguageModel.score`.

        Raises:
            ContextTooSmall: prompt and a text exceed `context_length`.
        """
        from react_local.models.scoring import log_probabilities

        started = perf_counter()
        spelt = self._parts(prompt)
        tokens = _joined(spelt)
        read = [self._runtime.vocabulary.read(text) for text in texts]
        check_fits(len(tokens), max(map(len, read), default=0), self.context_length)
        held, _ = self._hold(*spelt)
        found = log_probabilities(self._runtime, tokens, read)
        lengths = tuple(map(len, read))
        evaluated = len(tokens) - held + sum(lengths) - len(lengths)
        return Scores(found, lengths, Usage(evaluated, held, 0, perf_counter() - started))

    def tool_call(self, tools: Sequence[Tool]) -> ToolCall | None:
        """The format of tool calls in its chat template. See `CallsTools.tool_call`."""
        around = self._template.around_call(tools) if self._template else None
        if around is None:
            return None
        return ToolCall(*around, self._runtime.vocabulary.as_grammar(around[0]))

    def count_tokens(self, prompt: Sequence[Piece]) -> int:
        """The number of tokens of `prompt`, including those of the template."""
        return len(self._tokens(prompt))

    def spell(self, tokens: Sequence[int]) -> str:
        """The text of `tokens`, without control tokens and invalid ones."""
        vocabulary = self._runtime.vocabulary
        known = (vocabulary.texts[token] for token in tokens if 0 <= token < vocabulary.size)
        return b"".join(known).decode(errors="replace")

    def _fitting(self, prompt: Sequence[Piece], max_tokens: int) -> _Parts:
        """The prompt's parts, after checking that they fit the context with the text."""
        spelt = self._parts(prompt)
        check_fits(sum(map(len, spelt)), max_tokens, self.context_length)
        return spelt

    def _constraint(self, grammar: str) -> Constraint:
        """A constraint for a text of `grammar`, in its initial state."""
        if not isinstance(grammar, Grammar):
            return self._compile(grammar).copy()
        constraint = self._compile(grammar.shape).copy()
        constraint.excludes = grammar.excludes
        return constraint

    def _completion(
        self,
        constraint: Constraint,
        max_tokens: int,
        seed: int,
        temperature: float | None = None,
        on_text: Callable[[str], None] | None = None,
    ) -> Completion:
        """A completion to be decoded with the model's settings, unless given otherwise."""
        import numpy as np

        return Completion(
            constraint,
            self._runtime.vocabulary.texts,
            max_tokens=max_tokens,
            temperature=self.temperature if temperature is None else temperature,
            random=np.random.default_rng(seed),
            on_text=on_text,
        )

    def _decode_all(self, spelt: _Parts, completions: Sequence[Completion]) -> int:
        """Decode the completions, as a batch if possible; returns the number of cached tokens."""
        kept, pending = self._hold(*spelt)
        if self._runtime.sequences > 1 and completions:
            decode_batch(self._runtime, pending, completions)
            return kept
        for completion in completions:
            decode(self._runtime, self._hold(*spelt)[1], completion)
        return kept

    def _hold(self, stable: list[int], middle: list[int], last: list[int]) -> tuple[int, list[int]]:
        """Evaluate a prompt up to its last part.

        Returns the number of tokens that were cached, and the tokens that are left. Each part ends
        a batch, since the next prompt may differ after it; but a single token, such as the last one
        of a step, is left for the next batch, since alone it costs as much as several there.
        """
        runtime, before, whole = self._runtime, stable + middle, stable + middle + last
        kept = held = runtime.keep(whole)
        if held < len(stable):
            kept, held = self._hold_stable(stable, held), len(stable)
        if held < len(before) - 1:
            runtime.evaluate(before[held:])
            held = len(before)
        return kept, whole[held:]

    def _hold_stable(self, stable: list[int], held: int) -> int:
        """Evaluate the stable part of a prompt, or load it from the cache if that is worth it.

        Returns the number of its tokens that were not evaluated.
        """
        runtime, cache = self._runtime, self._prompt_cache
        if len(stable) - held < _WORTH_KEEPING:
            runtime.evaluate(stable[held:])
            return held
        key = runtime.key(stable)
        state = cache.read(key) if cache else None
        if state is not None and runtime.restore(stable, state):
            return len(stable)
        held = len(runtime.held)
        runtime.evaluate(stable[held:])
        if runtime.is_reproducible:
            state = runtime.state()
            if cache:
                cache.write(key, state)
            # As after reading it later: with a sliding window, a state has only the end.
            if not runtime.restore(stable, state):
                runtime.evaluate(stable)
        return held

    def _tokens(self, prompt: Sequence[Piece]) -> list[int]:
        return _joined(self._parts(prompt))

    def _parts(self, prompt: Sequence[Piece]) -> _Parts:
        """The prompt's tokens in three parts: stable pieces, others, and the last piece.

        The template's text after a piece belongs to that piece.
        """
        vocabulary = self._runtime.vocabulary
        spelt: list[list[int]] = [[]]  # the text before the first piece, then each piece
        stable = 0
        for part in self._spell(prompt):
            if isinstance(part, str):
                spelt[-1] += vocabulary.read_template(part)
                continue
            if part.stable and stable == len(spelt) - 1:
                stable += 1
            spelt.append(list(self._read(part.text) if part.tokens is None else part.tokens))
        bos = vocabulary.bos()
        if bos is not None and next((token for part in spelt for token in part), None) != bos:
            spelt[0].insert(0, bos)
        cut = min(stable + 1, len(spelt) - 1) if stable else 0
        return _joined(spelt[:cut]), _joined(spelt[cut:-1]), spelt[-1]

    def _spell(self, prompt: Sequence[Piece]) -> Sequence[str | Piece]:
        """The prompt formatted with the template, or as plain text without a working one."""
        if self._template is not None:
            try:
                return self._template.spell(prompt)
            except TemplateError as error:
                self.notes += (f"{error}; the prompt is formatted as plain text",)
                self._template = None
        return prompt


def _compile(vocabulary: Vocabulary, grammar: str) -> Constraint:
    from react_local.models.constraint import Constraint

    return Constraint(grammar, vocabulary.constraint_tokenizer)


def _finished(completion: Completion, usage: Usage) -> Generation:
    usage = replace(usage, generated_tokens=len(completion.written))
    return Generation(completion.text, tuple(completion.written), usage)


def _joined(parts: Iterable[Sequence[int]]) -> list[int]:
    return [token for part in parts for token in part]


def _context_length(header: GGUFHeader, options: RuntimeOptions) -> int:
    trained, asked = header.context_length or DEFAULT_CONTEXT, options.context
    if asked == "auto":
        from react_local.models.hardware import context_that_fits

        asked = context_that_fits(header, options)
    if asked is None:
        return min(trained, DEFAULT_CONTEXT)
    if not 0 < asked <= trained:
        raise ModelError(
            f"{header.name} was trained for {trained:,} tokens of context: use a smaller --ctx"
        )
    return asked


def _template_source(header: GGUFHeader, chat: bool | None, template: str | None) -> str | None:
    if chat is False or (chat is None and template is None and not header.is_chat):
        return None
    source = template or header.chat_template
    if source is None:
        raise ModelError(f"{header.path} has no chat template: run it without --chat")
    return source
