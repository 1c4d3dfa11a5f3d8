#!/usr/bin/env python
"""What the engine costs: ratios within one run, so that they hold on any machine.

Times are the process's own processor time, the least of some runs, so that whatever else runs on
the machine does not count; with more than one thread they include the threads' waiting.

    scripts/bench_engine.py --model gemma --model smollm2

For each model: constrained against free decoding of the same tokens, the second step with its
prefix kept against a cold one, tokens evaluated a step, and what a grammar and a mask cost.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

import click
import numpy as np

import grammars
from react_local import exemplars
from react_local.home import Home
from react_local.methods.cot import COT
from react_local.methods.react import REACT
from react_local.models import LlamaModel, Piece, Role
from react_local.models.constraint import Constraint
from react_local.models.drafts import write
from react_local.models.prompt_cache import PromptCache
from react_local.models.registry import resolve
from react_local.types import Trajectory

STEPS = 6
TRIED = ("Vienna", "Danube", "Black Sea", "Austria", "Donau", "River")
SHOWN = """Question: In which country does the river end that flows through Basel?
Thought 1: I need to search Basel and find its river.
Action 1: Search[Basel]
Observation 1: Basel is a city in Switzerland on the Rhine, where it bends to the north.
Thought 2: The river is the Rhine. I need to search Rhine and find where it ends.
Action 2: Search[Rhine]
Observation 2: The Rhine rises in the Alps and flows into the North Sea in the Netherlands.
Thought 3: The Rhine ends in the Netherlands.
Action 3: Finish[Netherlands]

"""
ASKED = "Question: Which sea does the river of Vienna flow into?\n"
OBSERVED = "\nObservation {}: The Danube flows through Vienna, and through nine countries more.\n"


def run(model: LlamaModel) -> tuple[list[Piece], list]:
    """Six steps under their grammars: the final prompt and the generations."""
    prompt, made = [Piece(Role.USER, SHOWN + ASKED)], []
    for number in range(1, STEPS + 1):
        tried = [(s.action, s.argument) for s in (grammars.parse_step(g.text) for g in made)]
        grammar = grammars.react_step(number, actions=("Search", "Lookup"), tried=tried)
        generation = model.generate(prompt, grammar, max_tokens=grammars.STEP_TOKENS)
        made.append(generation)
        prompt.append(Piece(Role.ASSISTANT, generation.text, generation.tokens))
        prompt.append(Piece(Role.USER, OBSERVED.format(number)))
    return prompt, made


def prepare(model: LlamaModel, prompt: Sequence[Piece]) -> np.ndarray:
    """Evaluate what the model does not hold of `prompt`, as it does itself; the logits."""
    _, pending = model._hold(*model._parts(prompt))
    return model._runtime.evaluate(pending)


def decode_freely(model: LlamaModel, prompt: Sequence[Piece], tokens: int) -> float:
    """Processor seconds a token of greedy decoding without a grammar, the prompt being held."""
    logits = prepare(model, prompt)
    started = process_time()
    for _ in range(tokens):
        logits = model._runtime.evaluate([int(logits.argmax())])
    return (process_time() - started) / tokens


def decode_constrained(model: LlamaModel, prompt: Sequence[Piece], number: int) -> float:
    """Processor seconds a token of one step, with the compilation of its grammar."""
    prepare(model, prompt)
    started = process_time()
    draft = model._draft(model._constraint(grammars.react_step(number)), grammars.STEP_TOKENS, 0)
    write(model._runtime, [], draft)
    return (process_time() - started) / len(draft.written)


def first_tokens(model: LlamaModel) -> dict[str, object]:
    """Processor seconds to the first token after all exemplars: cold, and with the disk cache."""
    prompt = REACT.prompt(Trajectory("Which river flows through Rome?", "react"), exemplars.load())
    seconds = []
    with TemporaryDirectory() as directory:
        model._prompt_cache = PromptCache(Path(directory))
        for _ in range(3):
            model._runtime.keep([])
            heard: list[float] = []
            started = process_time()
            model.generate(
                prompt,
                grammars.react_step(1),
                max_tokens=grammars.STEP_TOKENS,
                on_text=lambda text, heard=heard: heard.append(process_time()),
            )
            seconds.append(heard[1] - started)  # the label before it is forced
        size = sum(path.stat().st_size for path in Path(directory).iterdir())
        model._prompt_cache = None
    cold, warm = seconds[0], min(seconds[1:])
    return {
        "first token cold / disk-warm": round(cold / warm, 1),
        "first token disk-warm ms": round(warm * 1000, 1),
        "exemplar tokens": len(model._parts(prompt)[0]),
        "state MB": round(size / 1e6, 1),
    }


def samples(model: LlamaModel, n: int = 21) -> dict[str, object]:
    """Samples of a chain of thought as a batch against one by one, in seconds a token."""
    prompt = COT.prompt(Trajectory("Which river flows through Rome?", "cot"), exemplars.load())

    def drawn(counts: Sequence[int]) -> tuple[float, float]:
        """Processor and clock seconds a token."""
        model._hold(*model._parts(prompt))
        processor, clock, tokens = process_time(), perf_counter(), 0
        for seed, count in zip(range(0, n, n // len(counts)), counts, strict=True):
            made = model.sample(
                prompt, COT.grammar(1), count, temperature=0.7, seed=seed, max_tokens=COT.max_tokens
            )
            tokens += sum(len(generation.tokens) for generation in made)
        return (process_time() - processor) / tokens, (perf_counter() - clock) / tokens

    one_by_one, batch = drawn([1] * n), drawn([n])
    return {
        f"{n} samples, one by one / batch": round(one_by_one[0] / batch[0], 2),
        f"{n} samples, one by one / batch, by the clock": round(one_by_one[1] / batch[1], 2),
    }


def timed(work: Callable[[], object], times: int) -> float:
    """Milliseconds of the least disturbed of some times."""
    seconds = []
    for _ in range(times):
        started = process_time()
        work()
        seconds.append(process_time() - started)
    return min(seconds) * 1000


def measure(model: LlamaModel, repeats: int) -> dict[str, object]:
    prompt, made = run(model)
    prompt = prompt[:3]  # before the second step
    free, held = [], []
    for _ in range(repeats):  # interleaved, so that a loaded machine is so for both
        free.append(decode_freely(model, prompt, 32))
        held.append(decode_constrained(model, prompt, 2))
    model._runtime.keep([])
    cold = timed(lambda: (model._runtime.keep([]), prepare(model, prompt)), repeats)
    kept = timed(lambda: prepare(model, prompt), repeats)
    tried = [("Search", name) for name in TRIED]
    tokenizer = model._runtime.vocabulary.constraint_tokenizer
    return {
        "constrained / free speed": round(min(free) / min(held), 3),
        "free tokens/s": round(1 / min(free), 1),
        "cold / kept prompt": round(cold / kept, 1),
        **first_tokens(model),
        **samples(model),
        "evaluated a step": [g.usage.prompt_tokens for g in made],
        "reused a step": [g.usage.reused_tokens for g in made],
        "generated a step": [g.usage.generated_tokens for g in made],
        "grammar ms": round(timed(lambda: Constraint(grammars.react_step(2), tokenizer), 20), 2),
        "grammar ms, 6 tried": round(
            timed(lambda: Constraint(grammars.react_step(2, tried=tried), tokenizer), 20), 2
        ),
        "mask ms in a thought": round(mask_ms(tokenizer, model), 2),
    }


def mask_ms(tokenizer: object, model: LlamaModel) -> float:
    """Milliseconds of a whole mask, as it is made where the model's own choice is refused."""
    constraint = Constraint(grammars.react_step(2), tokenizer)
    text = "Thought 2: The Danube flows through Vienna, so I need to search Danube and its mouth."
    tokens = model._runtime.vocabulary.read(text)
    logits = np.zeros((1, model._runtime.vocabulary.size), np.float32)
    spent = []
    for token in tokens:
        started = process_time()
        constraint._bias_logits_numpy(None, logits)
        spent.append(process_time() - started)
        constraint.accept([token])
    return sum(spent) / len(spent) * 1000


@click.command(help=__doc__)
@click.option("--model", "names", multiple=True, required=True, help="A path or a name.")
@click.option("--repeats", default=5, show_default=True)
@click.option("--threads", default=1, show_default=True)
def main(names: Sequence[str], repeats: int, threads: int) -> None:
    for name in names:
        model = LlamaModel.load(resolve(name, Home.find().models), threads=threads)
        print(json.dumps({"model": model.name, **measure(model, repeats)}, indent=1), flush=True)


if __name__ == "__main__":
    main()
