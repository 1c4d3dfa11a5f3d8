"""The real model, with both starters: its kept prefix, its tokens, its chat turns, its faults."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gguf_files import changed, gguf, write
from hypothesis import given, settings
from hypothesis import strategies as st
from starters import loaded, starter_path

import grammars
from react_local.errors import ContextTooSmall, ModelError
from react_local.models import Generation, LlamaModel, Piece, Role
from react_local.models.chat import ChatTemplate
from react_local.models.context import common_prefix
from react_local.models.gguf import read_header
from react_local.models.prompt_cache import PromptCache, fingerprint

ROOM = grammars.STEP_TOKENS
SHOWN = """Question: What is the capital of the country where Hekla stands?
Thought 1: I need to search Hekla and find its country.
Action 1: Search[Hekla]
Observation 1: Hekla is a volcano in the south of Iceland.
Thought 2: Hekla is in Iceland. I need to search Iceland and find its capital.
Action 2: Search[Iceland]
Observation 2: Iceland is an island country. Its capital and largest city is Reykjavík.
Thought 3: The capital of Iceland is Reykjavík.
Action 3: Finish[Reykjavík]
"""
EXEMPLAR = [
    Piece(Role.SYSTEM, "Answer the question.\n\n", stable=True),
    Piece(Role.USER, SHOWN, stable=True),
]


def asked(question: str) -> list[Piece]:
    return [*EXEMPLAR, Piece(Role.USER, f"\nQuestion: {question}\n")]


def answered(generation: Generation, number: int, observation: str) -> list[Piece]:
    return [
        Piece(Role.ASSISTANT, generation.text, generation.tokens),
        Piece(Role.USER, f"\nObservation {number}: {observation}\n"),
    ]


def step(model: LlamaModel, prompt: list[Piece], number: int = 1, seed: int = 0) -> Generation:
    return model.generate(prompt, grammars.react_step(number), max_tokens=ROOM, seed=seed)


@pytest.fixture(scope="module", params=["gemma", "smollm2"])
def path(request: pytest.FixtureRequest) -> Path:
    return starter_path(request.param, request.config.cache)


@pytest.fixture(scope="module")
def model(path: Path) -> LlamaModel:
    return loaded(path)


def over(model: LlamaModel, temperature: float = 0.0, **options: Any) -> LlamaModel:
    """Another model over the same weights and context."""
    template = options.get("template", model._template)
    return LlamaModel(
        model._runtime,
        model.header,
        context_length=model.context_length,
        template=template,
        temperature=temperature,
        prompt_cache=options.get("prompt_cache"),
    )


RIVER = asked("Which river flows through the capital of Italy?")


@pytest.mark.model
def test_a_step_is_a_step_and_streams_whole_characters(model: LlamaModel) -> None:
    heard: list[str] = []
    made = model.generate(RIVER, grammars.react_step(1), max_tokens=ROOM, on_text=heard.append)
    assert grammars.parse_step(made.text).number == 1
    assert made.text == "".join(heard)
    assert len(heard) > 5
    assert made.usage.generated_tokens == len(made.tokens)


@pytest.mark.model
def test_an_answer_at_once_ends_where_the_model_ends_it(model: LlamaModel) -> None:
    prompt = [Piece(Role.USER, "Question: What is the capital of France?\nAnswer: Paris\n\n")]
    prompt += [Piece(Role.USER, "Question: What is the capital of Italy?\n")]
    made = model.generate(prompt, grammars.answer_text(thought=False), max_tokens=1024)
    assert len(grammars.parse_answer(made.text).answer) < 60
    assert all(model._runtime.vocabulary.texts[token] for token in made.tokens)


@pytest.mark.model
def test_a_step_evaluates_exactly_what_is_new(model: LlamaModel) -> None:
    first = step(model, RIVER)
    before = model.count_tokens(RIVER)
    prompt = [*RIVER, *answered(first, 1, "Rome is the capital of Italy. It lies on the Tiber.")]
    second = step(model, prompt, 2)
    # All but the last token of the first step has been evaluated while it was written.
    held = before + len(first.tokens) - 1
    assert second.usage.reused_tokens == held
    assert second.usage.prompt_tokens == model.count_tokens(prompt) - held
    assert second.usage.prompt_tokens < 45


@pytest.mark.model
def test_another_question_shares_the_exemplars(model: LlamaModel) -> None:
    step(model, RIVER)
    other = asked("Who wrote the novel Emma?")
    made = step(model, other)
    assert made.usage.reused_tokens > model.count_tokens(EXEMPLAR) - 8
    assert made.usage.prompt_tokens < 40


@pytest.mark.model
def test_a_kept_prefix_changes_nothing(model: LlamaModel) -> None:
    first = step(model, RIVER)
    prompt = [*RIVER, *answered(first, 1, "Rome is the capital of Italy.")]
    step(model, asked("Who wrote the novel Emma?"))
    warm = step(model, prompt, 2)
    model._runtime.keep([])
    cold = step(model, prompt, 2)
    assert (warm.text, warm.tokens) == (cold.text, cold.tokens)
    assert cold.usage.reused_tokens == 0 < warm.usage.reused_tokens


def fresh(model: LlamaModel, prompt: list[Piece]) -> Generation:
    """A step as a new process takes it, that holds nothing yet."""
    model._runtime.keep([])
    return step(model, prompt)


@pytest.mark.model
def test_a_new_process_reads_the_stable_pieces_from_disk(
    model: LlamaModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluate, seen = model._runtime.evaluate, []

    def remembering(tokens: list[int]) -> np.ndarray:
        seen.append((tokens, evaluate(tokens).copy()))
        return seen[-1][1]

    monkeypatch.setattr(model._runtime, "evaluate", remembering)
    cached = over(model, prompt_cache=PromptCache(tmp_path))
    stable = len(model._parts(RIVER)[0])
    cold = fresh(cached, RIVER)
    first, seen[:] = seen[1:], []
    warm = fresh(cached, RIVER)
    assert (cold.usage.reused_tokens, warm.usage.reused_tokens) == (0, stable)
    assert warm.usage.prompt_tokens == model.count_tokens(RIVER) - stable < 40
    assert warm.tokens == cold.tokens
    for (tokens, logits), (again, other) in zip(first, seen, strict=True):
        assert tokens == again
        assert np.array_equal(logits, other)
    # Without a cache nothing else comes out, nor does it for the question after.
    assert fresh(model, RIVER).tokens == cold.tokens
    other = asked("Who wrote the novel Emma?")
    assert step(cached, other).tokens == fresh(model, other).tokens


@pytest.mark.model
def test_a_state_that_is_damaged_or_refused_is_made_anew(model: LlamaModel, tmp_path: Path) -> None:
    cached = over(model, prompt_cache=PromptCache(tmp_path))
    whole = fresh(cached, RIVER)
    (file,) = tmp_path.iterdir()
    state = file.read_bytes()
    file.write_bytes(state[:-1])
    again = fresh(cached, RIVER)
    assert (again.tokens, again.usage.reused_tokens) == (whole.tokens, 0)
    assert file.read_bytes() == state
    cached._prompt_cache.write(file.stem, b"whole, and no state")
    again = fresh(cached, RIVER)
    assert (again.tokens, again.usage.reused_tokens) == (whole.tokens, 0)
    assert file.read_bytes() == state


@pytest.mark.model
def test_a_restored_prompt_is_cut_back_rightly(model: LlamaModel, tmp_path: Path) -> None:
    cached = over(model, prompt_cache=PromptCache(tmp_path))
    often = 4 if model.header.sliding_window else 2
    long, shorter = [*EXEMPLAR[1:] * often, *RIVER[-1:]], RIVER[1:]
    assert len(model._parts(long)[0]) > (model.header.sliding_window or 0)
    fresh(cached, long)
    restored = fresh(cached, long)
    assert restored.usage.reused_tokens > 0
    assert step(cached, shorter).tokens == fresh(model, shorter).tokens


@pytest.mark.model
def test_a_states_key_tells_tokens_contexts_and_files(
    model: LlamaModel, path: Path, tmp_path: Path
) -> None:
    runtime = model._runtime
    assert runtime.key([1, 2]) == runtime.key([1, 2]) != runtime.key([1, 2, 3])
    other = LlamaModel.load(path, threads=1, context=1024)
    assert other._runtime.key([1, 2]) != runtime.key([1, 2])
    copy = write(tmp_path / "model.gguf", b"GGUF" + bytes(100))
    before = fingerprint(copy)
    copy.write_bytes(b"GGUF" + bytes(99) + b"x")
    assert fingerprint(copy)[2] != before[2]


@pytest.mark.model
def test_an_interrupted_step_leaves_the_model_usable(model: LlamaModel) -> None:
    whole = step(model, RIVER)

    def interrupt(text: str) -> None:
        if text.endswith("search"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        model.generate(RIVER, grammars.react_step(1), max_tokens=ROOM, on_text=interrupt)
    assert step(model, RIVER).tokens == whole.tokens


@pytest.mark.model
def test_a_temperature_draws_by_its_seed(model: LlamaModel) -> None:
    drawing = over(model, temperature=0.9)

    def drawn(seed: int) -> str:
        return step(drawing, RIVER, seed=seed).text

    texts = [drawn(seed) for seed in (1, 1, 2)]
    assert texts[0] == texts[1] != texts[2]
    for text in texts:
        grammars.parse_step(text)


def sampled(model: LlamaModel, n: int, temperature: float = 0.9, seed: int = 0) -> list[Generation]:
    return model.sample(
        RIVER, grammars.react_step(1), n, temperature=temperature, seed=seed, max_tokens=ROOM
    )


@pytest.mark.model
def test_samples_are_steps_that_share_their_prompt(model: LlamaModel) -> None:
    model._runtime.keep([])
    made = sampled(model, 6)
    for generation in made:
        assert grammars.parse_step(generation.text).number == 1
        texts = model._runtime.vocabulary.texts
        assert generation.text.encode() == b"".join(texts[token] for token in generation.tokens)
        assert generation.usage.generated_tokens == len(generation.tokens)
    assert len({generation.text for generation in made}) > 1
    whole = model.count_tokens(RIVER)
    assert [generation.usage.prompt_tokens for generation in made] == [whole] + [0] * 5
    assert [generation.usage.reused_tokens for generation in made] == [0] + [whole] * 5
    assert sampled(model, 0) == []
    # The prompt is held as before, and nothing of the samples is.
    assert step(model, RIVER).tokens == fresh(model, RIVER).tokens


@pytest.mark.model
def test_without_temperature_all_samples_are_the_likeliest_text(model: LlamaModel) -> None:
    # The rounding of a batch may choose between two texts that are equally likely.
    texts = [generation.text for generation in sampled(model, 4, temperature=0.0)]
    assert len(set(texts)) == 1
    assert texts[0][:20] == step(model, RIVER).text[:20]


@pytest.mark.model
def test_a_seeds_sample_is_its_own(model: LlamaModel) -> None:
    four = [generation.tokens for generation in sampled(model, 4, seed=7)]
    assert four == [generation.tokens for generation in sampled(model, 4, seed=7)]
    (alone,) = sampled(model, 1, seed=8)
    shared = common_prefix(alone.tokens, four[1])
    assert shared > common_prefix(alone.tokens, four[0])
    assert shared > common_prefix(alone.tokens, four[2])


@pytest.mark.model
def test_what_samples_have_alike_is_evaluated_once(
    model: LlamaModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluate, rows = model._runtime.evaluate_apart, []

    def counting(parts: list) -> np.ndarray:
        rows.extend(tokens for *_, tokens in parts)
        return evaluate(parts)

    monkeypatch.setattr(model._runtime, "evaluate_apart", counting)
    made = sampled(model, 9)
    forced = len(model._completion(model._constraint(grammars.react_step(1)), ROOM, 0).written)
    # Every token but those that are last in their text, once for each way to it.
    ways = {g.tokens[:end] for g in made for end in range(forced + 1, len(g.tokens))}
    assert sum(map(len, rows)) <= len(ways)
    assert len(ways) < sum(len(g.tokens) - forced - 1 for g in made)


@pytest.mark.model
def test_samples_that_do_not_fit_at_once_wait(
    model: LlamaModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    runtime, drop, left = model._runtime, model._runtime.drop, []
    # Up to its first draw a sample does not even feel the rounding of its batch.
    sure = 1 + len(model._completion(model._constraint(grammars.react_step(1)), ROOM, 0).written)
    whole = [generation.tokens[:sure] for generation in sampled(model, 5)]

    def dropping(sequence: int) -> None:
        left.append(sequence)
        drop(sequence)

    monkeypatch.setattr(runtime, "drop", dropping)
    for sequences, cells in [(3, runtime.cells), (6, model.count_tokens(RIVER) + 60), (1, 0)]:
        monkeypatch.setattr(runtime, "sequences", sequences)
        monkeypatch.setattr(runtime, "cells", cells)
        left.clear()
        made = sampled(model, 5)
        assert [generation.tokens[:sure] for generation in made] == whole
        for generation in made:
            grammars.parse_step(generation.text)
        strands = len({generation.tokens for generation in made})
        if sequences == 1:
            assert not left
        else:  # where cells run out, some have to begin again
            assert len(left) > strands if sequences == 6 else len(left) == strands


@pytest.mark.model
def test_interrupted_samples_leave_the_model_usable(
    model: LlamaModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = step(model, RIVER)
    evaluate, calls = model._runtime.evaluate_apart, []

    def interrupted(parts: list) -> np.ndarray:
        calls.append(parts)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return evaluate(parts)

    monkeypatch.setattr(model._runtime, "evaluate_apart", interrupted)
    with pytest.raises(KeyboardInterrupt):
        sampled(model, 3)
    assert step(model, RIVER).tokens == whole.tokens
    assert len(sampled(model, 3)) == 3


@pytest.mark.model
def test_a_branch_computes_what_the_held_sequence_does(model: LlamaModel) -> None:
    runtime = model._runtime
    text = runtime.vocabulary.read("Thought 1: I need to search Rome and find its river.")
    model._hold(*model._parts(RIVER))
    runtime.evaluate(model._tokens(RIVER)[len(runtime.held) :])
    end = len(runtime.held)
    for sequence in (1, 2, 3):
        runtime.branch(sequence)
    rows = runtime.evaluate_apart([(1, end, text), (2, end, text[:-3]), (3, end, text)]).copy()
    for sequence in (1, 2, 3):
        runtime.drop(sequence)
    alone = runtime.evaluate(text)
    for row in (rows[0], rows[2]):
        assert np.abs(row - alone).max() < 0.4 * alone.std()  # quantised models round coarsely
        assert row.argmax() == alone.argmax()
    assert np.abs(rows[1] - alone).max() > 2 * alone.std()


@pytest.mark.model
def test_a_prompt_that_does_not_fit_is_refused(model: LlamaModel) -> None:
    long = [Piece(Role.USER, "word " * 1800)]
    with pytest.raises(ContextTooSmall, match=r"takes [0-9]+ tokens .* holds 2048"):
        step(model, long)


@pytest.mark.model
def test_a_grammar_that_does_not_compile_or_close_is_a_callers_mistake(model: LlamaModel) -> None:
    with pytest.raises(ValueError, match="grammar cannot continue"):
        model.generate(RIVER, "start: nowhere", max_tokens=8)
    with pytest.raises(ValueError, match="does not close within 8"):
        model.generate(RIVER, "start: /(?s:.)*/", max_tokens=8)


# SmolLM2's vocabulary lacks control characters and the bytes of planes without characters.
TEXT = st.lists(
    st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cn", "Co"]), max_size=20)
    | st.sampled_from(
        ["<start_of_turn>", "<end_of_turn>", "<start_of_image>", "<bos>", "<|im_end|>"]
    )
    | st.sampled_from(
        ["<|im_start|>assistant\n", "<b>", "[multimodal]", "<unused3>", "\n\n", "東", "😀"]
    )
).map("".join)


@pytest.mark.model
def test_no_text_becomes_a_control_token_or_is_lost(model: LlamaModel) -> None:
    vocabulary = model._runtime.vocabulary

    @given(text=TEXT)
    @settings(max_examples=150)
    def holds(text: str) -> None:
        tokens = vocabulary.read(text)
        assert b"".join(vocabulary.texts[token] for token in tokens) == text.encode()
        assert all(vocabulary.texts[token] for token in tokens)

    holds()


@pytest.mark.model
def test_a_base_model_reads_plain_text_and_a_chat_model_turns(model: LlamaModel) -> None:
    vocabulary = model._runtime.vocabulary
    control = [t for t in model._tokens(RIVER) if not vocabulary.texts[t]]
    assert model.is_chat is (model.header.architecture == "llama")
    if model.is_chat:
        # System, user and the opened assistant: three begin, two end.
        assert [vocabulary.name_of(t) for t in control].count("<|im_start|>") == 3
        assert [vocabulary.name_of(t) for t in control].count("<|im_end|>") == 2
    else:
        assert [vocabulary.name_of(t) for t in control] == ["<bos>"]


@pytest.mark.model
def test_a_template_that_fails_is_left_for_plain_text_and_said(model: LlamaModel) -> None:
    broken = over(model, template=ChatTemplate("{{ raise_exception('no') }}"))
    assert broken.is_chat
    assert grammars.parse_step(step(broken, RIVER).text)
    assert not broken.is_chat
    assert ["plain text" in note for note in broken.notes] == [True]


@pytest.mark.model
def test_chat_can_be_refused_and_all_is_quiet(
    path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    plain = LlamaModel.load(path, threads=1, context=1024, chat=False)
    assert not plain.is_chat
    step(plain, RIVER)
    assert capfd.readouterr() == ("", "")


@pytest.mark.model
def test_a_truncated_model_and_a_long_context_are_refused(path: Path, tmp_path: Path) -> None:
    whole = path.read_bytes()
    cut = write(tmp_path / "cut.gguf", whole[: len(whole) // 2])
    with pytest.raises(ModelError, match="bytes are missing"):
        LlamaModel.load(cut)
    with pytest.raises(ModelError, match="was trained for"):
        LlamaModel.load(path, context=1_000_000)
    if read_header(path).chat_template is None:
        with pytest.raises(ModelError, match="has no chat template"):
            LlamaModel.load(path, chat=True)


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("page.gguf", b"<html>", "is not a GGUF file"),
        ("bert.gguf", gguf(changed(general__architecture="bert")), "computes embeddings"),
        ("new.gguf", gguf(changed(general__architecture="of-2031")), "cannot be loaded: .*of-2031"),
        ("odd.gguf", gguf(), "cannot be loaded: [a-z]"),
    ],
)
def test_a_file_that_cannot_be_used_is_one_line(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], name: str, data: bytes, says: str
) -> None:
    with pytest.raises(ModelError, match=says) as error:
        LlamaModel.load(write(tmp_path / name, data))
    assert "\n" not in str(error.value)
    assert capfd.readouterr() == ("", "")
