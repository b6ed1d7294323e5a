"""Docstrings put into real code: nothing else changes, or nothing at all."""

import ast
from pathlib import Path

import pytest

import paddock
from paddock.toolkits.python.docstring_edits import list_symbols, parse_source, replace_docstring

PACKAGE = Path(paddock.__file__).parent
FILES = (
    "files.py",
    "errors.py",
    "toolkits/paths.py",
    "kernels/handler_calls.py",
    "authoring/tool.py",
)
TEXT = 'Says "so" in C:\\new.\n\nArgs:\n    one: Has """ in it,\n        and goes on.'


@pytest.mark.parametrize("file", FILES)
def test_every_symbol_can_have_another_docstring_or_none(file: str) -> None:
    code = (PACKAGE / file).read_text(encoding="utf-8")
    for symbol in list(list_symbols(parse_source(code, file))):
        changed = replace_docstring(code, symbol.name, TEXT, file)
        assert replace_docstring(changed, symbol.name, TEXT, file) == changed
        without = replace_docstring(changed, symbol.name, None, file)
        found = [
            one for one in list_symbols(parse_source(without, file)) if one.name == symbol.name
        ]
        assert found[0].docstring is None
        if symbol.docstring is not None:
            again = replace_docstring(changed, symbol.name, symbol.docstring, file)
            assert ast.dump(ast.parse(again)) == ast.dump(ast.parse(code))


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("", '"""All."""\n'),
        ("#!/bin/sh", '#!/bin/sh\n"""All."""\n'),
        ("# a\n\n# b\nx = 1\n", '# a\n"""All."""\n\n# b\nx = 1\n'),
        ("x = 1", '"""All."""\n\nx = 1'),
        (
            "from __future__ import annotations\n",
            '"""All."""\n\nfrom __future__ import annotations\n',
        ),
        ('"Old." "er."\nx = 1\n', '"""All."""\nx = 1\n'),
        ("\ufeffx = 1\n", '\ufeff"""All."""\n\nx = 1\n'),
    ],
)
def test_that_of_a_module_is_before_its_code(code: str, expected: str) -> None:
    assert replace_docstring(code, "", "All.", "a.py") == expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("class A: x = 1; y = 2\n", 'class A:\n    """All."""\n    x = 1; y = 2\n'),
        ("class A:\n\tx = 1\n", 'class A:\n\t"""All."""\n\tx = 1\n'),
        (
            "class A:  # why\n    # so\n    x = 1\n",
            'class A:  # why\n    """All."""\n    # so\n    x = 1\n',
        ),
        ("class A(\n    B,\n): ...", 'class A(\n    B,\n):\n    """All."""\n    ...'),
        (
            "class A:\n    @b\n    def c(self): ...\n",
            'class A:\n    """All."""\n    @b\n    def c(self): ...\n',
        ),
        ("class A: \\\n    x = 1\n", 'class A:\n    """All."""\n    x = 1\n'),
    ],
)
def test_that_of_a_class_stands_first_in_it(code: str, expected: str) -> None:
    assert replace_docstring(code, "A", "All.", "a.py") == expected
