"""How quickly Wolfram Language is read, beside what else reads such an amount of text.

`python -m benchmarks.wolfram` reads a notebook of 10 MB and as much code, and prints processor time
as a rate and as a ratio: to `json.loads` on the same data as JSON, which is what C can do, and to
the parser of Mathics3 where that is installed. Code is inspected by all rules, and the notebook
becomes markdown, reading included in both. The readers take turns, and the best of each counts.
"""

import argparse
import importlib
import json
import time
from collections.abc import Callable
from typing import Any

from paddock.wolfram import parse
from paddock.wolfram.inspection import inspect_code
from paddock.wolfram.notebooks import notebook_to_markdown, read_notebook

ROUNDS = 5
MEGABYTES = 10
CELL = """Cell[BoxData[
 RowBox[{
  RowBox[{"Plot", "[",
   RowBox[{
    RowBox[{"Sin", "[", "x", "]"}], ",",
    RowBox[{"{",
     RowBox[{"x", ",", "0", ",", "10"}], "}"}]}], "]"}], ";"}]], "Input",
 CellChangeTimes->{{3.9405012345678`*^9, 3.9405012399999*^9}},
 CellLabel->"In[1]:=",ExpressionUUID->"0b0e5a3c-6a5c-4c0e-9a55-1f2f3a4b5c6d"],

Cell[BoxData[
 GraphicsBox[{{}, {{}, {},
   {RGBColor[0.368417, 0.506779, 0.709798], AbsoluteThickness[1.6], LineBox[CompressedData["
1:eJxTTMoPSmNiYGAQBmJxIGYC4v8gIA7ETEDMDMQsQMwKxGxAzA7EHEDMCQ==
"]], LineBox[{{1.0, 2.5}, {3.25, -4.125}}]}}}]], "Output"],

"""
DEFINITION = """forecast[ place_String, n: _Integer : 3, opts: OptionsPattern[ ] ] := Enclose[
    Module[ { days, total = 0 },
        days = ConfirmMatch[ forecast0[ place, n ], { __Association }, "Days" ];
        (* the usual way *)
        If[ total / n >= 30 || ! FreeQ[ days, _Missing ], Throw[ $Failed, $tag ] ];
        days /. { "a" -> 1, x_ :> f[ x, #1 & ] }
    ],
    Function[ #Message ]
];

"""


def notebook(size: int) -> str:
    """A notebook of at least so many characters."""
    return "Notebook[{\n" + CELL * (size // len(CELL) + 1) + 'Cell["", "Text"]}]\n'


def code(size: int) -> str:
    """A package of at least so many characters."""
    return DEFINITION * (size // len(DEFINITION) + 1)


def as_json(size: int) -> str:
    """Nested lists, strings and numbers as in a notebook."""
    cell = ["RowBox", ["Plot", "[", {"x": [0.368417, 0.506779]}, ["Sin", "[", "x", "]"]], 3.9e9]
    line = json.dumps(cell)
    return "[" + ",\n".join([line] * (size // len(line) + 1)) + "]"


def _to_markdown(text: str) -> object:
    return notebook_to_markdown(read_notebook(text))


def _mathics() -> Callable[[str], object] | None:
    """The parser of Mathics3, if it is installed."""
    try:
        parser: Any = importlib.import_module("mathics.core.parser.parser")
        feed: Any = importlib.import_module("mathics.core.parser.feed")
    except ImportError:
        return None

    def read(text: str) -> object:
        lines = feed.MathicsMultiLineFeeder(text, "benchmark")
        found = []
        while not lines.empty():
            found.append(parser.Parser().parse(lines))
        return found

    return read


def _rate(read: Callable[[str], object], text: str) -> float:
    """Megabytes in a second of processor time."""
    begun = time.process_time()
    read(text)
    return len(text) / 1e6 / (time.process_time() - begun)


def main() -> None:
    """Measure, and print a table."""
    options = argparse.ArgumentParser("python -m benchmarks.wolfram", description=__doc__)
    options.add_argument("--megabytes", type=int, default=MEGABYTES)
    size = options.parse_args().megabytes * 1_000_000
    texts = {"notebook": notebook(size), "code": code(size)}
    for name, text in texts.items():
        if parse(text).problems:
            raise SystemExit(f"The {name} was not read rightly")
    readers: dict[tuple[str, str], tuple[Callable[[str], object], str]] = {
        ("json.loads", "the same as JSON"): (json.loads, as_json(size))
    }
    mathics = _mathics()
    for name, text in texts.items():
        readers["paddock.wolfram", name] = parse, text
        if mathics is not None:
            readers["Mathics3", name] = mathics, text
    readers["paddock.wolfram.inspection", "code"] = inspect_code, texts["code"]
    readers["paddock.wolfram.notebooks", "notebook"] = _to_markdown, texts["notebook"]
    rates = dict.fromkeys(readers, 0.0)
    for _ in range(ROUNDS):
        for key, (read, text) in readers.items():
            rates[key] = max(rates[key], _rate(read, text))
    base = rates["json.loads", "the same as JSON"]
    print("| reader | text | MB/s | of json.loads |\n| --- | --- | --- | --- |")
    for (reader, text), rate in rates.items():
        print(f"| {reader} | {text} | {rate:.1f} | {rate / base:.2f} |")


if __name__ == "__main__":
    main()
