"""Every engine answers the corpus as its list of known gaps says: no worse, and no better.

An entry that an engine gets wrong is a defect, unless it is listed. One that is listed and works
is to be taken off the list, so that lists only shrink.
"""

from collections.abc import Callable, Iterator

import pytest

from paddock.kernels.kernel import EvaluationLimits, EvaluationResult, Kernel
from paddock.kernels.wolfram.engines import choose_engine
from paddock.kernels.wolfram.line_evaluator import evaluate_code
from paddock.kernels.wolfram.line_history import LineHistory
from tests.engines.corpus import ENGINES, Entry, read_corpus, read_gaps

CORPUS = read_corpus()
CASES = [(engine, section) for engine in ENGINES for section in CORPUS]
PATIENCE = 30.0
SHORT = 0.5
"""Seconds for code that never ends."""
GAP_PATIENCE = 3.0
"""Seconds for code that is known to go wrong, which may mean that it does not end."""
MEMORY = 1 << 30
SLOW_TO_START = ("mathics",)
FORGET = 'ClearAll["Global`*"]'

GiveKernel = Callable[[str], Kernel]


@pytest.fixture(scope="module")
def give_kernel() -> Iterator[GiveKernel]:
    """A kernel in which nothing is defined; slow ones are used again."""
    kernels: dict[str, Kernel] = {}

    def give(engine: str) -> Kernel:
        found = kernels.pop(engine, None)
        if found is not None and engine not in SLOW_TO_START:
            found.close()
        if found is None or not found.is_alive:
            found = choose_engine(engine).engine.start(EvaluationLimits())
        else:
            assert found.evaluate(FORGET, EvaluationLimits()).status == "done"
        kernels[engine] = found
        return found

    yield give
    for kernel in kernels.values():
        kernel.close()


def answered(kernel: Kernel, entries: list[Entry], gaps: list[str]) -> list[EvaluationResult]:
    """The answers to a section, which is one session."""
    history = LineHistory({}, {})
    answers: list[EvaluationResult] = []
    for entry in entries:
        limits = EvaluationLimits(seconds=_seconds(entry, gaps), memory_bytes=MEMORY)
        evaluation = evaluate_code(kernel.evaluate, entry.code, history, limits)
        answers.append(evaluation)
        history = LineHistory(
            {**history.inputs, history.line: entry.code},
            {**history.results, history.line: evaluation.result or "Null"},
            history.line + 1,
        )
    return answers


def _seconds(entry: Entry, gaps: list[str]) -> float:
    if "timed-out" in entry.facts:
        return SHORT
    return GAP_PATIENCE if entry.name in gaps else PATIENCE


@pytest.mark.parametrize(("engine", "section"), CASES)
def test_an_engine_answers_as_its_gaps_say(
    engine: str, section: str, give_kernel: GiveKernel
) -> None:
    entries = CORPUS[section]
    gaps = read_gaps(engine).get(section, [])
    answers = answered(give_kernel(engine), entries, gaps)
    faults = {
        entry.name: fault
        for entry, answer in zip(entries, answers, strict=True)
        if (fault := entry.fault(answer)) is not None
    }

    unexpected = {name: fault for name, fault in faults.items() if name not in gaps}
    closed = [name for name in gaps if name not in faults]

    assert unexpected == {}
    assert closed == [], f"these work now: take them off tests/engines/gaps/{engine}.txt"


@pytest.mark.parametrize("engine", ENGINES)
def test_known_gaps_are_entries_of_the_corpus(engine: str) -> None:
    unknown = [
        name
        for section, names in read_gaps(engine).items()
        for name in names
        if name not in [entry.name for entry in CORPUS.get(section, [])]
    ]

    assert unknown == []


def test_the_corpus_is_large_and_no_entry_of_a_section_is_there_twice() -> None:
    assert sum(map(len, CORPUS.values())) >= 250
    assert [
        section
        for section, entries in CORPUS.items()
        if len({entry.name for entry in entries}) < len(entries)
    ] == []
