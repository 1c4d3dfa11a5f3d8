#!/usr/bin/env python
"""Benchmark of the engine: ratios within one run, which are comparable between machines.

Times are the process's own processor time, the minimum of several runs, so that other work on the
machine does not count; with more than one thread they include the threads' waiting.

    scripts/bench_engine.py --model gemma --model smollm2

For each model: constrained decoding compared with free decoding and with llama.cpp's own grammars
(GBNF) for the same format; the prompts of the second to the sixth step compared with Outlines'
stock generator, which evaluates all of them again; the first token cold, from the cache on disk,
and warm; samples in a batch compared with one by one; decoding without drafts from the prompt
compared with drafts; tokens evaluated per step; and the cost of a grammar and a mask.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from functools import partial
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
from react_local.models.decoding import decode
from react_local.models.prompt_cache import PromptCache
from react_local.models.registry import resolve
from react_local.types import Trajectory
from wiki_index import sample

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
FOUND = """
Observation {}: Rome, called Roma in Italian and once in Latin, is where Italy is governed, and \
no Italian town has more people: some 2.8 million. The region around it is Lazio, whose seat it is \
as well. A bishop, the pope, resides in a state of his own inside the walls. Its river, the Tiber, \
comes down from the Apennines, bends under two dozen bridges and reaches the sea at Ostia.
"""
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


def decode_constrained(
    model: LlamaModel, prompt: Sequence[Piece], number: int, drafted: int = 0
) -> float:
    """Processor seconds a token of one step, with the compilation of its grammar.

    Without drafts, unless told otherwise: as free decoding and GBNF, with which it is compared.
    """
    prepare(model, prompt)
    usual, model._runtime.draft = model._runtime.draft, drafted
    started = process_time()
    completion = model._completion(
        model._constraint(grammars.react_step(number)), grammars.STEP_TOKENS, 0
    )
    decode(model._runtime, [], completion)
    spent = process_time() - started
    model._runtime.draft = usual
    return spent / len(completion.written)


# The form of `grammars.react_step(2)` as far as GBNF has words for it: no limits of length, and
# labels are not barred from thoughts.
GBNF = r"""
root ::= "Thought 2: " thought "\nAction 2: " name "[" words "]"
thought ::= word (" " word)*
word ::= [^ \x00-\x1f\x7f]+
name ::= "Search" | "Lookup" | "Finish"
words ::= plain (" " plain)*
plain ::= [^ \x00-\x1f\x7f\[\]]+
"""


def decode_by_gbnf(model: LlamaModel, prompt: Sequence[Piece]) -> float:
    """Processor seconds a token of the second step, held to its form by llama.cpp itself."""
    runtime, library = model._runtime, model._runtime.library
    prepare(model, prompt)
    started = process_time()
    chain = library.llama_sampler_chain_init(library.llama_sampler_chain_default_params())
    vocabulary = library.llama_model_get_vocab(runtime.model)
    held = library.llama_sampler_init_grammar(vocabulary, GBNF.encode(), b"root")
    library.llama_sampler_chain_add(chain, held)
    library.llama_sampler_chain_add(chain, library.llama_sampler_init_greedy())
    tokens = 0
    while tokens < grammars.STEP_TOKENS:
        token = library.llama_sampler_sample(chain, runtime.context, -1)
        if library.llama_vocab_is_eog(vocabulary, token):
            break
        runtime.evaluate([token])
        tokens += 1
    spent = process_time() - started
    library.llama_sampler_free(chain)
    return spent / tokens


def later_prompts(model: LlamaModel) -> dict[str, object]:
    """What the prompts of the second to the last step cost here, and by Outlines' stock generator.

    Both have taken the step before; the stock generator is asked for one token, and evaluates the
    exemplars anew for it. Nothing that Outlines or its tokenizer make once is counted.
    """
    prompt = REACT.prompt(Trajectory("Which river flows through Rome?", "react"), exemplars.load())
    stock, here, whole, evaluated = [], [], [], []
    generator = stock_generator(model)
    for number in range(1, STEPS):
        before = len(model._tokens(prompt))
        step = model.generate(prompt, grammars.react_step(number), max_tokens=grammars.STEP_TOKENS)
        told = Piece(Role.USER, FOUND.format(number))
        prompt = [*prompt, Piece(Role.ASSISTANT, step.text, step.tokens), told]
        tokens = model._tokens(prompt)
        held = before + len(step.tokens) - 1

        def ours(
            prompt: Sequence[Piece] = prompt, held: Sequence[int] = tokens[: held + 1]
        ) -> None:
            model._runtime.keep(held)
            prepare(model, prompt)

        here.append(timed(ours, 5))
        stock.append(timed(generator("".join(piece.text for piece in prompt)), 2))
        whole.append(len(tokens))
        evaluated.append(len(tokens) - held)
    return {
        "second prompt, Outlines' stock / here": round(stock[0] / here[0], 1),
        "later prompts, Outlines' stock / here": round(sum(stock) / sum(here), 1),
        "later prompts, tokens, all / evaluated": round(sum(whole) / sum(evaluated), 1),
        "later prompts, tokens of each, all": whole,
        "later prompts, tokens of each, evaluated": evaluated,
    }


def stock_generator(model: LlamaModel) -> Callable[[str], Callable[[], object]]:
    """Outlines' own way with the same file: from a prompt to what asks it for one token."""
    import outlines
    from llama_cpp import Llama

    options = {"n_threads": model.threads, "n_threads_batch": model.threads}
    raw = Llama(str(model.header.path), n_ctx=4096, verbose=False, **options)
    generator = outlines.Generator(
        outlines.from_llamacpp(raw, chat_mode=False), outlines.types.CFG("start: /[A-Z][a-z]*/")
    )

    def ask(text: str) -> object:
        generator.logits_processor.reset()
        return generator(text, max_tokens=1)

    ask("Rome")
    return lambda text: partial(ask, text)


def first_tokens(model: LlamaModel) -> dict[str, object]:
    """Processor seconds to the first token after all exemplars: cold, from disk, and warm."""
    prompt = REACT.prompt(Trajectory("Which river flows through Rome?", "react"), exemplars.load())

    def first_token() -> float:
        heard: list[float] = []
        started = process_time()
        model.generate(
            prompt,
            grammars.react_step(1),
            max_tokens=grammars.STEP_TOKENS,
            on_text=lambda text: heard.append(process_time()),
        )
        return heard[1] - started  # the label before it is forced

    def anew() -> float:
        model._runtime.keep([])
        return first_token()

    with TemporaryDirectory() as directory:
        model._prompt_cache = PromptCache(Path(directory))
        cold, from_disk = anew(), min(anew() for _ in range(3))
        warm = min(first_token() for _ in range(2))
        size = sum(path.stat().st_size for path in Path(directory).iterdir())
        model._prompt_cache = None
    return {
        "first token cold / disk-warm": round(cold / from_disk, 1),
        "first token cold / warm": round(cold / warm, 1),
        "first token disk-warm ms": round(from_disk * 1000, 1),
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


def drafts(model: LlamaModel, length: int = 3, every: int = 8) -> dict[str, object]:
    """First steps of some of the sample's questions, without drafts and with them."""
    shown, spent = exemplars.load(), [0.0, 0.0]
    for record in sample.questions()[::every]:
        prompt = REACT.prompt(Trajectory(record["question"], "react"), shown)
        for place, drafted in enumerate((0, length)):
            spent[place] += decode_constrained(model, prompt, 1, drafted)
    return {f"time a token, without drafts / with {length} tokens": round(spent[0] / spent[1], 2)}


def at_once(model: LlamaModel, prompt: Sequence[Piece]) -> dict[int, float]:
    """Milliseconds of one evaluation of this many tokens at once, with the logits after each."""
    prepare(model, prompt)
    runtime, spent = model._runtime, {}
    token, end = runtime.held[-1], len(runtime.held)
    for rows in (1, 2, 4, 8, 20, 21):
        sequences = range(1, rows + 1)
        for sequence in sequences:
            runtime.branch(sequence)
        ends = iter(range(end, end + 9))

        def evaluate(sequences: range = sequences, ends: Iterator[int] = ends) -> None:
            at = next(ends)
            runtime.evaluate_apart([(sequence, at, [token]) for sequence in sequences])

        spent[rows] = round(timed(evaluate, 4), 1)
        for sequence in sequences:
            runtime.drop(sequence)
    return spent


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
    free, held, gbnf = [], [], []
    for _ in range(repeats):  # interleaved, so that a loaded machine is so for both
        free.append(decode_freely(model, prompt, 32))
        held.append(decode_constrained(model, prompt, 2))
        gbnf.append(decode_by_gbnf(model, prompt))
    model._runtime.keep([])
    cold = timed(lambda: (model._runtime.keep([]), prepare(model, prompt)), repeats)
    kept = timed(lambda: prepare(model, prompt), repeats)
    tried = [("Search", name) for name in TRIED]
    tokenizer = model._runtime.vocabulary.constraint_tokenizer
    return {
        "constrained / free speed": round(min(free) / min(held), 3),
        "constrained / llama.cpp's GBNF speed": round(min(gbnf) / min(held), 2),
        "free tokens/s": round(1 / min(free), 1),
        "cold / kept prompt": round(cold / kept, 1),
        **later_prompts(model),
        **first_tokens(model),
        **samples(model),
        **drafts(model),
        "ms for this many tokens at once": at_once(model, prompt),
        "evaluated a step": [g.usage.prompt_tokens for g in made],
        "reused a step": [g.usage.reused_tokens for g in made],
        "generated a step": [g.usage.generated_tokens for g in made],
        "grammar ms": round(timed(lambda: Constraint(grammars.react_step(2), tokenizer), 20), 2),
        "grammar ms, 6 tried, shape compiled before": round(
            timed(lambda: model._constraint(grammars.react_step(2, tried=tried)), 20), 2
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
@click.option(
    "--model", "names", multiple=True, required=True, help="A path or a name; repeatable."
)
@click.option("--repeats", default=3, show_default=True)
@click.option("--threads", default=1, show_default=True)
def main(names: Sequence[str], repeats: int, threads: int) -> None:
    for name in names:
        model = LlamaModel.load(resolve(name, Home.find().models), threads=threads)
        print(json.dumps({"model": model.name, **measure(model, repeats)}, indent=1), flush=True)


if __name__ == "__main__":
    main()
