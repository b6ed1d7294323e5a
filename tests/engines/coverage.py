"""The page of the documentation on what each engine can do, written from the corpus.

Write it again with `python -m tests.engines.coverage > docs/reference/engine-coverage.md`; a test
compares.
"""

import sys
from collections.abc import Iterator

from tests.engines.corpus import ENGINES, Entry, read_corpus, read_gaps

TITLES = {"woxi": "Woxi", "mathics": "Mathics3"}
HEAD = """# What each engine can do

<!-- python -m tests.engines.coverage > docs/reference/engine-coverage.md -->

If you want to choose an engine for the Wolfram Language, look up here what each engine can do. The tables list inputs
of [WolframLanguageEvaluator](wolfram-tools.md#wolframlanguageevaluator), the answers of the Wolfram Language, and the
engines that give the same answers. To see which engines are on your machine, run:

```sh
paddock engines
```

Paddock's test suite keeps the tables up to date, because it evaluates all inputs with every engine. A test fails if
an engine gives a wrong answer to an input that is marked "yes", or a right answer to an input that is marked "no".
Paddock's authors wrote the expected answers without access to a Wolfram kernel. The Wolfram engine has not been
tested, so it is not in the table.

An engine's answer counts as right if its value, the names of its messages, its printed text and the way the evaluation
ends all match the expected answer. If the expected answer is "picture", the answer must contain an image, but the tests
do not compare the content of the image.
"""


def page() -> str:
    """The whole page."""
    corpus = read_corpus()
    gaps = {engine: read_gaps(engine) for engine in ENGINES}
    lines = [HEAD, *_overview(corpus, gaps)]
    for section, entries in corpus.items():
        missed = {engine: set(gaps[engine].get(section, ())) for engine in ENGINES}
        lines += ["", f"## {section}", "", *_table(entries, missed)]
    return "\n".join([*lines, ""])


def _overview(
    corpus: dict[str, list[Entry]], gaps: dict[str, dict[str, list[str]]]
) -> Iterator[str]:
    yield from _header("subject", "inputs")
    for section, entries in corpus.items():
        counts = [len(entries) - len(gaps[engine].get(section, ())) for engine in ENGINES]
        yield _row([section, str(len(entries)), *map(str, counts)])
    total = sum(map(len, corpus.values()))
    right = [total - sum(map(len, gaps[engine].values())) for engine in ENGINES]
    yield _row(["all", str(total), *(f"{count} ({100 * count // total} %)" for count in right)])


def _table(entries: list[Entry], missed: dict[str, set[str]]) -> Iterator[str]:
    yield from _header("input", "answer")
    for entry in entries:
        marks = ["no" if entry.name in missed[engine] else "yes" for engine in ENGINES]
        yield _row([_code(entry.name), _answer(entry), *marks])


def _header(*first: str) -> Iterator[str]:
    titles = [*first, *(TITLES[engine] for engine in ENGINES)]
    yield _row(titles)
    yield "|" + "---|" * len(titles)


def _answer(entry: Entry) -> str:
    value = entry.near or (entry.values[0] if entry.values else "")
    parts = [*entry.facts, *(f"prints {_code(text)}" for text in entry.prints)]
    parts += [_code(name) for name in entry.messages]
    if value and not {"timed-out", "out-of-memory"} & {*entry.facts}:
        parts.append(_code(value))
    return ", ".join(parts)


def _code(text: str) -> str:
    """Code that can is in a table, whatever is in it."""
    fence = "``" if "`" in text else "`"
    space = " " if fence == "``" else ""
    escaped = text.replace("|", "\\|")
    return f"{fence}{space}{escaped}{space}{fence}"


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    sys.stdout.write(page())
