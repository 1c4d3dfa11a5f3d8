"""A model in memory with one context, and the tokens in its cache."""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Sequence
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from react_local.errors import ModelError
from react_local.models.context import BATCH, SEQUENCES, common_prefix
from react_local.models.gguf import GGUFHeader
from react_local.models.hardware import Load, gpu_shares, layers_that_fit
from react_local.models.library import (
    build,
    complained,
    interrupt_kept,
    llama,
    load_adapter,
    load_model,
    reason,
)
from react_local.models.options import CACHE_TYPES, RuntimeOptions, check_adapter
from react_local.models.prompt_cache import fingerprint
from react_local.models.rpc import add_servers
from react_local.models.vocabulary import Vocabulary

if TYPE_CHECKING:
    from numpy.typing import NDArray

_TILE = 4
"""Rows that llama.cpp's repacked matrices process at once on a CPU; the remaining rows are done one
by one, and each costs as much as three (measured: 193 ms for 20 rows, 216 ms for 21)."""

_DRAFT = 3
"""Where several rows cost little more than one: with AMX four cost 1.6 times as much (Gemma, two
threads; 1.8 with one). Without, they cost 3 times as much, and drafts would not pay."""

_AMX = "AMX_INT8 = 1"
"""Among the features of a build that uses AMX, which takes any number of rows up to 32 at once
(measured: 152.6 ms for 20 rows, 151.9 ms for 21)."""


class Runtime:
    """A model in memory with a context of `context` tokens, and the tokens in its cache.

    Raises:
        ModelError: llama.cpp refuses the file, or there is not enough memory for the context.
    """

    def __init__(self, header: GGUFHeader, context: int, options: RuntimeOptions) -> None:
        self.library = llama()
        self._header = header
        self.asked = options
        for name, _ in options.lora:
            check_adapter(Path(name), header)
        add_servers(options.rpc)
        self.gpu_layers = min(_gpu_layers(header, context, options), (header.layers or 0) + 1)
        load = Load()
        self.model = load_model(header.path, **self._placement())
        weakref.finalize(self, self.library.llama_model_free, self.model)
        if options.mlock and complained("failed to mlock"):
            raise ModelError(
                "the weights cannot be locked in memory: raise the limit (ulimit -l), or leave out "
                "--mlock"
            )
        self.threads = options.threads or load.idle_cores()
        self.cells = context
        self.sequences = 1 if self._carries_state else SEQUENCES
        self.tile = 1 if self.gpu_layers or _AMX in build()[-1] else _TILE
        """The number of sequences that is best evaluated together; multiples of it are as good."""
        self.draft = _DRAFT if self.tile == 1 and not self._carries_state else 0
        """The number of tokens that are worth evaluating on the chance that they are right."""
        with interrupt_kept():
            self.context = self._open(context)
        weakref.finalize(self, self.library.llama_free, self.context)
        self._adapt()
        self.vocabulary = Vocabulary(self.model)
        self.held: list[int] = []
        """The tokens whose cells are in the cache."""
        self._ends: list[int] = []
        """The number of cached tokens after each batch."""

    def keep(self, prompt: Sequence[int]) -> int:
        """Cut the cache back to the longest prefix of `prompt` in it, and return its length.

        The last token is never kept, since its logits are needed. A cut goes back to the end of a
        batch: a cell's numbers depend slightly on the batch that it was evaluated in, and the most
        likely token on them, so earlier prompts must not change where batches end. Models with a
        state instead of cells (recurrent ones) cannot be cut back and start over.
        """
        kept = min(common_prefix(prompt, self.held), max(len(prompt) - 1, 0))
        if kept < len(self.held):
            kept = max((end for end in self._ends if end <= kept), default=0)
        memory = self.library.llama_get_memory(self.context)
        # This also removes the remains of an interrupted call.
        beyond = self.library.llama_memory_seq_pos_max(memory, 0) + 1 > kept
        if beyond and not self.library.llama_memory_seq_rm(memory, 0, kept, -1):
            self.library.llama_memory_clear(memory, True)
            kept = 0
        del self.held[kept:]
        self._ends = [end for end in self._ends if end <= kept]
        return kept

    def evaluate(self, tokens: Sequence[int]) -> NDArray[np.float32]:
        """Append `tokens`, and return the logits after the last one, of shape (vocabulary,).

        The array is llama.cpp's own memory: it may be written to, and is valid until the next
        call.
        """
        for start in range(0, len(tokens), BATCH):
            part = tokens[start : start + BATCH]
            array = (self.library.llama_token * len(part))(*part)
            self._decode(self.library.llama_batch_get_one(array, len(part)))
            self.held += part
            self._ends.append(len(self.held))
        pointer = self.library.llama_get_logits_ith(self.context, -1)
        return np.ctypeslib.as_array(pointer, (self.vocabulary.size,))

    def evaluate_each(self, tokens: Sequence[int], last: int | None = None) -> NDArray[np.float32]:
        """Append at most `BATCH` tokens; returns the logits after each of the `last` ones, or all.

        They have the shape (last, vocabulary), and are llama.cpp's own memory as in `evaluate`.
        """
        last = len(tokens) if last is None else last
        array = (self.library.llama_token * len(tokens))(*tokens)
        batch = self.library.llama_batch_get_one(array, len(tokens))
        wanted = (ctypes.c_int8 * len(tokens))(*[0] * (len(tokens) - last), *[1] * last)
        batch.logits = ctypes.cast(wanted, type(batch.logits))
        self._decode(batch)
        self.held += tokens
        self._ends.append(len(self.held))
        pointer = self.library.llama_get_logits(self.context)
        return np.ctypeslib.as_array(pointer, (last, self.vocabulary.size))

    def take_back(self, count: int) -> None:
        """Remove the last `count` tokens, which are fewer than the last batch had."""
        end = len(self.held) - count
        memory = self.library.llama_get_memory(self.context)
        self.library.llama_memory_seq_rm(memory, 0, end, -1)
        del self.held[end:]
        self._ends[-1] = end

    def branch(self, sequence: int, origin: int = 0) -> None:
        """Begin another sequence with the cells of `origin`; 0 is the main sequence."""
        memory = self.library.llama_get_memory(self.context)
        self.library.llama_memory_seq_cp(memory, origin, sequence, -1, -1)

    def drop(self, sequence: int) -> None:
        """Remove another sequence; the main one is not affected."""
        memory = self.library.llama_get_memory(self.context)
        self.library.llama_memory_seq_rm(memory, sequence, -1, -1)

    def evaluate_apart(
        self, parts: Sequence[tuple[int, int, Sequence[int]]]
    ) -> NDArray[np.float32]:
        """Append tokens to other sequences, given as (sequence, position of the first, tokens).

        There may be at most `batch` tokens in all. Returns the logits after each part, of shape
        (parts, vocabulary), in llama.cpp's own memory as in `evaluate`.
        """
        batch, count = self._batch, 0
        for sequence, position, tokens in parts:
            for offset, token in enumerate(tokens):
                batch.token[count] = token
                batch.pos[count] = position + offset
                batch.n_seq_id[count] = 1
                batch.seq_id[count][0] = sequence
                batch.logits[count] = offset == len(tokens) - 1
                count += 1
        batch.n_tokens = count
        self._decode(batch)
        pointer = self.library.llama_get_logits(self.context)
        return np.ctypeslib.as_array(pointer, (len(parts), self.vocabulary.size))

    def _decode(self, batch: ctypes.Structure) -> None:
        if (status := self.library.llama_decode(self.context, batch)) != 0:
            raise ModelError(f"llama.cpp cannot evaluate the prompt (status {status})")

    @cached_property
    def _batch(self) -> ctypes.Structure:
        batch = self.library.llama_batch_init(self.batch, 0, 1)
        weakref.finalize(self, self.library.llama_batch_free, batch)
        return batch

    @cached_property
    def _identity(self) -> str:
        """All that the numbers in the cache depend on, except the tokens. Threads do not count."""
        options = {name: getattr(self._options, name) for name, *_ in self._options._fields_}
        numbers = {
            name: value
            for name, value in options.items()
            if isinstance(value, int | float) and not name.startswith("n_threads")
        }
        adapters = [(fingerprint(Path(name)), scale) for name, scale in self.asked.lora]
        weights = (
            fingerprint(self._header.path),
            self.gpu_layers,
            self.asked.tensor_split,
            self.asked.main_gpu,
            adapters,
        )
        return repr((build(), weights, self.asked.rpc, sorted(numbers.items())))

    def key(self, tokens: Sequence[int]) -> str:
        """The key of the state after evaluating `tokens`."""
        digest = blake2b(self._identity.encode(), digest_size=20)
        digest.update(np.asarray(tokens, np.int32).tobytes())
        return digest.hexdigest()

    @property
    def is_reproducible(self) -> bool:
        """Whether the cache is as if its tokens had been evaluated at once."""
        return self._ends == _usual_ends(len(self.held))

    def state(self) -> bytes:
        """The content of the cache, as far as it is still needed."""
        size = self.library.llama_state_seq_get_size(self.context, 0)
        room = (ctypes.c_uint8 * size)()
        taken = self.library.llama_state_seq_get_data(self.context, room, size, 0)
        return bytes(memoryview(room)[:taken])

    def restore(self, tokens: Sequence[int], state: bytes) -> bool:
        """Load `state`, saved after `tokens`. False if that fails; the cache is then empty."""
        self.keep([])
        memory = self.library.llama_get_memory(self.context)
        data = ctypes.cast(state, ctypes.POINTER(ctypes.c_uint8))
        if not self.library.llama_state_seq_set_data(self.context, data, len(state), 0):
            self.library.llama_memory_clear(memory, True)
            return False
        self.held = list(tokens)
        # If the first cells of a sliding window are gone, the cache cannot be cut back.
        whole = self.library.llama_memory_seq_pos_min(memory, 0) == 0
        self._ends = _usual_ends(len(tokens)) if whole else [len(tokens)]
        return True

    @property
    def _carries_state(self) -> bool:
        """Whether the model has a state instead of cells; each sequence would need its own."""
        library = self.library
        return library.llama_model_is_recurrent(self.model) or library.llama_model_is_hybrid(
            self.model
        )

    def _placement(self) -> dict[str, Any]:
        """The placement of the weights, as llama.cpp's model parameters."""
        asked, mode = self.asked, self.library
        modes = {
            (True, False): mode.LLAMA_LOAD_MODE_AUTO,
            (True, True): mode.LLAMA_LOAD_MODE_MMAP_MLOCK,
            (False, False): mode.LLAMA_LOAD_MODE_NONE,
            (False, True): mode.LLAMA_LOAD_MODE_MLOCK,
        }
        shares = gpu_shares(asked)
        placement = {
            "n_gpu_layers": self.gpu_layers,
            "load_mode": modes[asked.mmap, asked.mlock],
        }
        if asked.main_gpu is not None:
            one = mode.LLAMA_SPLIT_MODE_NONE
            return {**placement, "split_mode": one, "main_gpu": asked.main_gpu}
        # Kept alive, since llama.cpp reads it later.
        self._shares = (ctypes.c_float * mode.llama_max_devices())(*shares)
        return {**placement, "tensor_split": self._shares}

    def _adapt(self) -> None:
        """Apply the LoRA adapters to the weights."""
        asked = self.asked.lora
        handles = [load_adapter(Path(name), self.model) for name, _ in asked]
        if handles:
            adapters = (self.library.llama_adapter_lora_p_ctypes * len(handles))(*handles)
            scales = (ctypes.c_float * len(handles))(*(scale for _, scale in asked))
            self.library.llama_set_adapters_lora(self.context, adapters, len(handles), scales)

    def _open(self, context: int) -> ctypes.c_void_p:
        options = self.library.llama_context_default_params()
        options.n_ctx = context
        options.n_batch = options.n_ubatch = self.batch = min(BATCH, context)
        options.n_seq_max = self.sequences
        options.kv_unified = True  # sequences share the cells of common prefixes
        asked = self.asked
        options.n_threads = self.threads
        options.n_threads_batch = asked.threads_batch or self.threads
        flash = asked.flash_attention(self._header, self.gpu_layers)
        options.flash_attn_type = {"auto": -1, "off": 0, "on": 1}[flash]
        options.type_k = CACHE_TYPES[asked.cache_type_k][0]
        options.type_v = CACHE_TYPES[asked.cache_type_v][0]
        options.swa_full = True  # cells outside a sliding window are needed to cut back to a prefix
        self._options = options
        opened = self.library.llama_init_from_model(self.model, options)
        if not opened:
            raise ModelError(
                f"no memory for a context of {context:,} tokens ({reason()}): ask for a smaller "
                "one, or use a smaller model"
            )
        return opened


def _gpu_layers(header: GGUFHeader, context: int, options: RuntimeOptions) -> int:
    if options.gpu_layers == "auto":
        return layers_that_fit(header, options, options.cache_bytes(header, context))
    return options.gpu_layers


def _usual_ends(tokens: int) -> list[int]:
    """The ends of batches if this many tokens are evaluated at once from the beginning."""
    return [*range(BATCH, tokens, BATCH), tokens] if tokens else []
