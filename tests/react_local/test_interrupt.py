"""Ctrl-C while llama.cpp loads: it calls back into Python, where an exception would be lost."""

from __future__ import annotations

import _thread
import signal
import threading

import pytest
from starters import starter_path

from react_local.models.library import interrupt_kept


def test_an_interrupt_is_kept_until_the_end_and_then_raised():
    before = signal.getsignal(signal.SIGINT)
    seen = []

    def interrupted():
        with interrupt_kept() as pressed:
            signal.raise_signal(signal.SIGINT)
            seen.extend(pressed)

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert seen == [signal.SIGINT]
    assert signal.getsignal(signal.SIGINT) is before


def test_without_an_interrupt_nothing_is_raised():
    with interrupt_kept() as pressed:
        pass
    assert not pressed


@pytest.mark.model
@pytest.mark.parametrize("seconds", [0.02, 0.1, 0.3])
def test_loading_is_interrupted(request, seconds):
    from react_local.models.library import llama, load_model

    path = starter_path("gemma", request.config.cache)
    library = llama()
    timer = threading.Timer(seconds, _thread.interrupt_main)

    def until_interrupted():
        timer.start()
        while True:
            library.llama_model_free(load_model(path))

    with pytest.raises(KeyboardInterrupt):
        until_interrupted()
