"""A model in memory: one context, and the tokens that are in it."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from react_local.errors import ModelError
from react_local.models.context import common_prefix
from react_local.models.gguf import GGUFHeader
from react_local.models.hardware import Load, layers_that_fit
from react_local.models.library import llama, load_model
from react_local.models.vocabulary import Vocabulary

if TYPE_CHECKING:
    import ctypes

    from numpy.typing import NDArray

BATCH = 256
"""Tokens evaluated at a time; an interrupt is heard between two batches."""


class Runtime:
    """A model in memory with a context of `context` tokens, and the tokens that it holds.

    Raises:
        ModelError: llama.cpp refuses the file, or there is no memory for the context.
    """

    def __init__(
        self,
        header: GGUFHeader,
        context: int,
        gpu_layers: int | Literal["auto"],
        threads: int | None,
    ) -> None:
        self.library = llama()
        layers = layers_that_fit(header, context) if gpu_layers == "auto" else gpu_layers
        self.gpu_layers = min(layers, (header.layers or 0) + 1)
        load = Load()
        self.model = load_model(header.path, gpu_layers=self.gpu_layers)
        weakref.finalize(self, self.library.llama_model_free, self.model)
        self.threads = threads or load.idle_cores()
        self.context = self._open(context, self.threads)
        weakref.finalize(self, self.library.llama_free, self.context)
        self.vocabulary = Vocabulary(self.model)
        self.held: list[int] = []
        """The tokens whose cells are in the context's memory."""
        self._ends: list[int] = []
        """How many tokens were held after each batch."""

    def keep(self, prompt: Sequence[int]) -> int:
        """Cut the memory back to the longest prefix of `prompt` that it holds; its length.

        The last token is never kept, since its logits are wanted. A cut goes back to where a
        batch ended: a cell's numbers depend a little on the batch that it was evaluated in, and
        a likeliest token on them, so what came before must not change how batches are cut.
        Models that carry a state instead of cells (recurrent ones) cannot be cut back: they
        start anew.
        """
        kept = min(common_prefix(prompt, self.held), max(len(prompt) - 1, 0))
        if kept < len(self.held):
            kept = max((end for end in self._ends if end <= kept), default=0)
        memory = self.library.llama_get_memory(self.context)
        # What an interrupted call left behind is cut off too.
        beyond = self.library.llama_memory_seq_pos_max(memory, 0) + 1 > kept
        if beyond and not self.library.llama_memory_seq_rm(memory, 0, kept, -1):
            self.library.llama_memory_clear(memory, True)
            kept = 0
        del self.held[kept:]
        self._ends = [end for end in self._ends if end <= kept]
        return kept

    def evaluate(self, tokens: Sequence[int]) -> NDArray[np.float32]:
        """Append `tokens` to the context; the logits after the last, of shape (vocabulary,).

        The array is llama.cpp's own memory: it may be written to, and is good until the next
        call.
        """
        for start in range(0, len(tokens), BATCH):
            part = tokens[start : start + BATCH]
            array = (self.library.llama_token * len(part))(*part)
            status = self.library.llama_decode(
                self.context, self.library.llama_batch_get_one(array, len(part))
            )
            if status != 0:
                raise ModelError(f"llama.cpp cannot evaluate the prompt (status {status})")
            self.held += part
            self._ends.append(len(self.held))
        pointer = self.library.llama_get_logits_ith(self.context, -1)
        return np.ctypeslib.as_array(pointer, (self.vocabulary.size,))

    def _open(self, context: int, threads: int) -> ctypes.c_void_p:
        options = self.library.llama_context_default_params()
        options.n_ctx = context
        options.n_batch = options.n_ubatch = min(BATCH, context)
        options.n_threads = options.n_threads_batch = threads
        options.swa_full = True  # a sliding window's cells must stay, for a prefix to be cut back
        opened = self.library.llama_init_from_model(self.model, options)
        if not opened:
            raise ModelError(
                f"no memory for a context of {context:,} tokens: ask for a smaller one"
            )
        return opened
