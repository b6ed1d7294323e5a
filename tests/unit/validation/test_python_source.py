"""What a Python file defines is seen without running it."""

import pytest

from paddock.validation.subject import PythonSource

TEXT = """
import os.path, json as js
from x import one, two as three
def function(): inner = 1
async def coroutine(): pass
class Kind: attribute = 1
a = b = 1
(c, d), e = pair
f: int = 1
if a:
    g = 1
else:
    h = 1
try:
    import i
except ImportError as error:
    j = None
with open("x") as k:
    pass
for l in m:
    pass
match a:
    case 1:
        n = 1
_hidden = (o := 1)
"""


def test_names_are_found_wherever_they_are_bound() -> None:
    plain = set("abcdefghijkln") | {"o"}
    words = {"os", "js", "one", "three", "function", "coroutine", "Kind"}
    assert PythonSource(TEXT).public_names == plain | words


@pytest.mark.parametrize("text", ["from x import *", "def __getattr__(name): ..."])
def test_a_file_may_define_more_than_can_be_seen(text: str) -> None:
    source = PythonSource(text)
    assert source.has_dynamic_names
    assert source.can_define("anything")


@pytest.mark.parametrize("text", ["def", "\x00", "(" * 100_000])
def test_what_is_not_python_is_a_syntax_error(text: str) -> None:
    with pytest.raises(SyntaxError):
        PythonSource(text)
