"""llama.cpp itself: a loaded model with one context, its vocabulary, and what its machine has.

Only the low-level calls of `llama_cpp` are used. Its `Llama` class would hide crashes with the
chatter it silences, and keep a copy of all logits.
"""

from __future__ import annotations

import ctypes
import os
import re
import weakref
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Literal

import numpy as np

from react_local.errors import ModelError
from react_local.models.context import common_prefix
from react_local.models.gguf import GGUFHeader

if TYPE_CHECKING:
    from llguidance import LLTokenizer
    from numpy.typing import NDArray

BATCH = 256
"""Tokens evaluated at a time; an interrupt is heard between two batches."""

_LONGEST_TOKEN = 16_384  # bytes
_BRACKETED = re.compile(rb"<[^<>\s]+>|\[[^\[\]\s]+\]")
_GPU_SHARE = 0.9  # of the free memory, that weights and cache may take
_GPU_SCRATCH = 512 << 20  # bytes for the compute buffers

_complaints: deque[str] = deque(maxlen=8)


@lru_cache(maxsize=1)
def llama() -> ModuleType:
    """The library, started, its log kept from the terminal."""
    import llama_cpp

    llama_cpp.llama_log_set(_log_callback(llama_cpp), ctypes.c_void_p())
    llama_cpp.llama_backend_init()
    return llama_cpp


@lru_cache(maxsize=1)
def _log_callback(library: ModuleType) -> ctypes._FuncPointer:
    warning, error = 3, 4

    @library.llama_log_callback
    def keep(level: int, text: bytes, _: ctypes.c_void_p) -> None:
        if level in (warning, error):
            _complaints.append(text.decode(errors="replace").strip())

    return keep


class Runtime:
    """A model in memory with a context of `context` tokens, and the tokens that it holds.

    Raises:
        ModelError: llama.cpp refuses the file, or there is no memory for the context.
    """

    def __init__(
        self, header: GGUFHeader, context: int, gpu_layers: int | Literal["auto"], threads: int
    ) -> None:
        self.library = llama()
        layers = layers_that_fit(header, context) if gpu_layers == "auto" else gpu_layers
        self.gpu_layers = min(layers, (header.layers or 0) + 1)
        self.model = load_model(header.path, gpu_layers=self.gpu_layers)
        weakref.finalize(self, self.library.llama_model_free, self.model)
        self.context = self._open(context, threads)
        weakref.finalize(self, self.library.llama_free, self.context)
        self.vocabulary = Vocabulary(self.model)
        self.held: list[int] = []
        """The tokens whose cells are in the context's memory."""

    def keep(self, prompt: Sequence[int]) -> int:
        """Cut the memory back to the longest prefix of `prompt` that it holds; its length.

        The last token is never kept, since its logits are wanted. Models that carry a state
        instead of cells (recurrent ones) cannot be cut back: they start anew.
        """
        kept = min(common_prefix(prompt, self.held), max(len(prompt) - 1, 0))
        memory = self.library.llama_get_memory(self.context)
        # What an interrupted call left behind is cut off too.
        beyond = self.library.llama_memory_seq_pos_max(memory, 0) + 1 > kept
        if beyond and not self.library.llama_memory_seq_rm(memory, 0, kept, -1):
            self.library.llama_memory_clear(memory, True)
            kept = 0
        del self.held[kept:]
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


def load_model(
    path: Path, *, gpu_layers: int = 0, vocabulary_only: bool = False
) -> ctypes.c_void_p:
    """llama.cpp's handle of the model at `path`.

    Raises:
        ModelError: llama.cpp refuses the file; the message has its reason.
    """
    library = llama()
    options = library.llama_model_default_params()
    options.n_gpu_layers = gpu_layers
    options.vocab_only = vocabulary_only
    _complaints.clear()
    model = library.llama_model_load_from_file(os.fsencode(path), options)
    if not model:
        reasons = [line.rpartition(": ")[2] for line in _complaints if "error" in line]
        raise ModelError(f"{path} cannot be loaded: {reasons[0] if reasons else 'no reason given'}")
    return model


class Vocabulary:
    """Text to tokens and back, for one loaded model."""

    def __init__(self, model: ctypes.c_void_p) -> None:
        self._library = llama()
        self._handle = self._library.llama_model_get_vocab(model)
        self.size = self._library.llama_vocab_n_tokens(self._handle)

    @cached_property
    def texts(self) -> list[bytes]:
        """What each token writes, in UTF-8 that may begin and end inside a character.

        Empty for control tokens, and for those that only look like text but that models are
        taught to read as control (``<think>``, ``<start_of_image>``).
        """
        read, handle = self._library.llama_token_to_piece, self._handle
        buffer = ctypes.create_string_buffer(_LONGEST_TOKEN)
        texts = [
            buffer[: max(read(handle, token, buffer, _LONGEST_TOKEN, 0, False), 0)]
            for token in range(self.size)
        ]
        for token, text in enumerate(texts):
            if text[:1] in (b"<", b"[") and self._is_control_like(token, text):
                texts[token] = b""
        return texts

    @cached_property
    def constraint_tokenizer(self) -> LLTokenizer:
        """The vocabulary as llguidance takes it, byte for byte: no token is lost."""
        from llguidance import LLTokenizer

        marked = [text or b"\xff<%d>" % token for token, text in enumerate(self.texts)]
        library = self._library.llama_cpp._lib
        return LLTokenizer.from_llamacpp(
            tokens=marked,
            vocab_ptr=self._handle,
            tokenize_fptr=ctypes.cast(library.llama_tokenize, ctypes.c_void_p).value,
            eos_token=self._library.llama_vocab_eos(self._handle),
            slices=[],  # they serve unbounded strings, and cost half a second at 262,144 tokens
        )

    def bos(self) -> int | None:
        """The token that begins every text, where the vocabulary asks for one."""
        if not self._library.llama_vocab_get_add_bos(self._handle):
            return None
        return self._library.llama_vocab_bos(self._handle)

    def name_of(self, token: int) -> str:
        """How templates spell a control token; empty for a token that there is not."""
        text = self._library.llama_vocab_get_text(self._handle, token) if token >= 0 else b""
        return text.decode(errors="replace")

    def control_names(self) -> tuple[str, str]:
        """The spelling of the tokens that begin and end a text."""
        bos = self._library.llama_vocab_bos(self._handle)
        return self.name_of(bos), self.name_of(self._library.llama_vocab_eos(self._handle))

    def read_template(self, text: str) -> list[int]:
        """Tokens of a template's own text, its control tokens among them."""
        return self._tokenise(text.encode(), special=True)

    def read(self, text: str) -> list[int]:
        """Tokens of text as plain text: none of them is a control token."""
        tokens = []
        for part in self._unforged(text.encode(errors="replace")):
            tokens += self._tokenise(part, special=False)
        return tokens

    def _unforged(self, text: bytes) -> list[bytes]:
        """`text` cut inside whatever llama.cpp would take for one of its control-like tokens."""
        cuts = [m.start() + 1 for m in _BRACKETED.finditer(text) if m[0] in self._control_like]
        return [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]

    @cached_property
    def _control_like(self) -> frozenset[bytes]:
        """Texts of user-defined tokens in brackets, which are parsed from any text."""
        return frozenset(
            self._library.llama_vocab_get_text(self._handle, token)
            for token, text in enumerate(self.texts)
            if not text
        )

    def _is_control_like(self, token: int, text: bytes) -> bool:
        attributes = self._library.llama_vocab_get_attr(self._handle, token)
        user_defined = attributes & self._library.LLAMA_TOKEN_ATTR_USER_DEFINED
        return bool(user_defined and _BRACKETED.fullmatch(text))

    def _tokenise(self, text: bytes, *, special: bool) -> list[int]:
        # Some vocabularies put a blank before any text. A line break before it, which is a
        # token of its own there, takes that blank and is dropped again with it.
        prefix = self._prefix
        tokens = self._call(prefix[0] + text, special)
        return tokens[prefix[1] :]

    @cached_property
    def _prefix(self) -> tuple[bytes, int]:
        plain, broken = self._call(b"a", False), self._call(b"\na", False)
        if b"".join(self.texts[token] for token in plain) == b"a":
            return b"", 0
        head = self._call(b"\n", False)
        return (b"\n", len(head)) if broken[: len(head)] == head else (b"", 0)

    def _call(self, text: bytes, special: bool) -> list[int]:
        room = len(text) + 8
        while True:
            array = (self._library.llama_token * room)()
            count = self._library.llama_tokenize(
                self._handle, text, len(text), array, room, False, special
            )
            if count >= 0:
                return array[:count]
            room = -count


@dataclass(frozen=True)
class Gpu:
    """A device that this build of llama.cpp can put layers on; memory in bytes."""

    name: str
    free: int
    total: int


def gpus() -> list[Gpu]:
    """The GPUs that llama.cpp sees; none where it was built without GPU support."""
    if not llama().llama_supports_gpu_offload():
        return []
    from llama_cpp._ggml import libggml

    libggml.ggml_backend_dev_get.restype = ctypes.c_void_p
    libggml.ggml_backend_dev_description.restype = ctypes.c_char_p
    found = []
    for index in range(libggml.ggml_backend_dev_count()):
        device = ctypes.c_void_p(libggml.ggml_backend_dev_get(ctypes.c_size_t(index)))
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        libggml.ggml_backend_dev_memory(device, ctypes.byref(free), ctypes.byref(total))
        if libggml.ggml_backend_dev_type(device) == 1:  # GGML_BACKEND_DEVICE_TYPE_GPU
            name = libggml.ggml_backend_dev_description(device).decode(errors="replace")
            found.append(Gpu(name, free.value, total.value))
    return found


def layers_that_fit(header: GGUFHeader, context: int) -> int:
    """How many layers of a model, with their part of the cache, the GPUs have memory for.

    An estimate from the file's size: the output counts as one layer more, and layers as equal.
    """
    free = sum(max(int(gpu.free * _GPU_SHARE) - _GPU_SCRATCH, 0) for gpu in gpus())
    layers = (header.layers or 0) + 1
    each = (header.file_size + (header.cache_bytes(context) or 0)) / layers
    return min(layers, int(free / each)) if each else 0


def physical_cores() -> int:
    """Physical cores that this process may use: by affinity, hyper-threads and cgroup quota."""
    allowed = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else None
    if allowed is None:
        return max((os.cpu_count() or 2) // 2, 1)
    siblings = "/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list"
    try:
        cores = len({Path(siblings.format(cpu)).read_text() for cpu in allowed})
    except OSError:
        cores = len(allowed)
    try:
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text().split()
        cores = min(cores, max(int(quota) // int(period), 1))
    except (OSError, ValueError):  # no cgroup, or "max": no quota
        pass
    return max(cores, 1)
