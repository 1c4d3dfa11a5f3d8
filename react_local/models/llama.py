"""The real model: a GGUF file, run by llama.cpp, held to a grammar by Outlines and llguidance."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import lru_cache, partial
from importlib import import_module
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

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
"""Tokens of context, unless said otherwise or the model was trained for fewer."""

_Parts = tuple[list[int], list[int], list[int]]

_GRAMMARS = 64  # kept compiled
_WORTH_KEEPING = 128  # tokens to evaluate, from which on a file is read or written instead


class LlamaModel:
    """A `LanguageModel` over one GGUF file. Make one with `load`.

    It holds one context and remembers what is in it: a prompt that begins like the last one is
    evaluated from where the two part. Not for use from two threads at once.
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
        """What a user should know of how the model is run."""
        self._runtime = runtime
        self._template = template
        self._prompt_cache = prompt_cache
        # Of the questions of a session, most steps have a grammar that was compiled before.
        self._compile = lru_cache(_GRAMMARS)(partial(_compile, runtime.vocabulary))

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
            path: the file; of a split model the first part.
            temperature: 0 takes the likeliest token, above it they are drawn.
            chat: whether to speak in the turns of a chat template; None decides by the header
                (`GGUFHeader.is_chat`).
            template: a chat template (Jinja2) in place of the file's own.
            prompt_cache: where the states of stable prompt pieces are kept for later processes.
            options: how it is run: `context`, `gpu_layers`, `threads` and the other fields of
                `react_local.models.options.RuntimeOptions`.

        Raises:
            ModelError: the file is missing, no GGUF, not whole, not a model that writes text,
                or does not fit the memory; `chat` is asked for without a template; or the options
                cannot be had.
        """
        header = read_header(path)
        check_usable(header)
        asked = RuntimeOptions(**options)
        length = _context_length(header, asked)
        source = _template_source(header, chat, template)

        from react_local.models.runtime import Runtime

        with ThreadPoolExecutor(1) as beside:  # importing Outlines takes as long as loading
            beside.submit(import_module, "react_local.models.constraint")
            runtime = Runtime(header, length, asked)
        _ = runtime.vocabulary.constraint_tokenizer  # now, and not before the first token
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
        """Whether prompts are spelt as the turns of a chat template."""
        return self._template is not None

    @property
    def options(self) -> RuntimeOptions:
        """How it was asked to run."""
        return self._runtime.asked

    @property
    def gpu_layers(self) -> int:
        """Layers on the GPU, the output counting as one."""
        return self._runtime.gpu_layers

    @property
    def threads(self) -> int:
        """Threads that evaluate prompts and generate."""
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
        """How its chat template writes calls. See `CallsTools.tool_call`."""
        around = self._template.around_call(tools) if self._template else None
        if around is None:
            return None
        return ToolCall(*around, self._runtime.vocabulary.as_grammar(around[0]))

    def count_tokens(self, prompt: Sequence[Piece]) -> int:
        """Tokens that `prompt` takes, with the template's own."""
        return len(self._tokens(prompt))

    def spell(self, tokens: Sequence[int]) -> str:
        """The text of `tokens`, without control tokens and tokens that there are not."""
        vocabulary = self._runtime.vocabulary
        known = (vocabulary.texts[token] for token in tokens if 0 <= token < vocabulary.size)
        return b"".join(known).decode(errors="replace")

    def _fitting(self, prompt: Sequence[Piece], max_tokens: int) -> _Parts:
        """The prompt's parts, where they and the text fit the context."""
        spelt = self._parts(prompt)
        check_fits(sum(map(len, spelt)), max_tokens, self.context_length)
        return spelt

    def _constraint(self, grammar: str) -> Constraint:
        """The constraint of a text of `grammar`, at its beginning."""
        return self._compile(grammar).copy()

    def _completion(
        self,
        constraint: Constraint,
        max_tokens: int,
        seed: int,
        temperature: float | None = None,
        on_text: Callable[[str], None] | None = None,
    ) -> Completion:
        """A text to be written as the model is set, unless said otherwise."""
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
        """Finish the completions, in a batch where the memory can branch; tokens that were held."""
        kept, pending = self._hold(*spelt)
        if self._runtime.sequences > 1 and completions:
            decode_batch(self._runtime, pending, completions)
            return kept
        for completion in completions:
            decode(self._runtime, self._hold(*spelt)[1], completion)
        return kept

    def _hold(self, stable: list[int], middle: list[int], last: list[int]) -> tuple[int, list[int]]:
        """Evaluate a prompt up to its last part: tokens that were held, and those to come.

        Each part ends a batch, since there the next prompt may differ.
        """
        runtime, before, whole = self._runtime, stable + middle, stable + middle + last
        kept = held = runtime.keep(whole)
        if held < len(stable):
            kept, held = self._hold_stable(stable, held), len(stable)
        if held < len(before):
            runtime.evaluate(before[held:])
            held = len(before)
        return kept, whole[held:]

    def _hold_stable(self, stable: list[int], held: int) -> int:
        """Hold the stable part of a prompt, by the cache where that is worth it.

        Returns how many of its tokens were not evaluated.
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
            # As whoever reads it will have it: of a sliding window, a state has only the end.
            if not runtime.restore(stable, state):
                runtime.evaluate(stable)
        return held

    def _tokens(self, prompt: Sequence[Piece]) -> list[int]:
        return _joined(self._parts(prompt))

    def _parts(self, prompt: Sequence[Piece]) -> _Parts:
        """The prompt's tokens in its stable pieces, then up to its last piece, then from there on.

        What a template says after a piece belongs to that piece.
        """
        vocabulary = self._runtime.vocabulary
        spelt: list[list[int]] = [[]]  # what stands before the first piece, then each piece
        stable = 0
        for part in self._spell(prompt):
            if isinstance(part, str):
                spelt[-1] += vocabulary.read_template(part)
                continue
            if part.stable and stable == len(spelt) - 1:
                stable += 1
            spelt.append(list(vocabulary.read(part.text) if part.tokens is None else part.tokens))
        bos = vocabulary.bos()
        if bos is not None and next((token for part in spelt for token in part), None) != bos:
            spelt[0].insert(0, bos)
        cut = min(stable + 1, len(spelt) - 1) if stable else 0
        return _joined(spelt[:cut]), _joined(spelt[cut:-1]), spelt[-1]

    def _spell(self, prompt: Sequence[Piece]) -> Sequence[str | Piece]:
        """The prompt in the template's turns, or plain where there is none that works."""
        if self._template is not None:
            try:
                return self._template.spell(prompt)
            except TemplateError as error:
                self.notes += (f"{error}; the prompt is given as plain text",)
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
            f"{header.name} was trained for {trained:,} tokens of context: ask for no more"
        )
    return asked


def _template_source(header: GGUFHeader, chat: bool | None, template: str | None) -> str | None:
    if chat is False or (chat is None and template is None and not header.is_chat):
        return None
    source = template or header.chat_template
    if source is None:
        raise ModelError(f"{header.path} has no chat template: run it without --chat")
    return source
