"""The tree of errors is drawn as it is, and every code is unique."""

import re

import pytest

from paddock import errors
from tests.all_errors import all_errors


def drawn() -> dict[str, str]:
    """Every error of the drawing with the one that it hangs from."""
    tree: dict[str, str] = {}
    trail: list[str] = []
    for line in (errors.__doc__ or "").splitlines():
        branch = re.match(r"^    ((?:[│ ]   )*)(?:[├└]── )?(\w+)", line)
        if branch and ("─" in line or branch[2] == "PaddockError"):
            depth = len(branch[1]) // 4 + ("─" in line)
            trail[depth:] = [branch[2]]
            tree[branch[2]] = trail[depth - 1] if depth else ""
    return tree


def test_the_drawing_shows_every_error_where_it_belongs() -> None:
    actual = {kind.__name__: kind.__bases__[0].__name__ for kind in all_errors()}
    actual["PaddockError"] = ""
    assert drawn() == actual


def test_every_error_has_a_code_of_its_own() -> None:
    codes = [kind.code for kind in all_errors()]
    assert sorted(codes) == sorted(set(codes))
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", code) for code in codes)


def test_every_error_can_be_imported_from_the_module_of_errors() -> None:
    assert {kind.__name__: getattr(errors, kind.__name__) for kind in all_errors()} == {
        kind.__name__: kind for kind in all_errors()
    }


def test_a_name_that_is_not_an_error_of_paddock_is_an_attribute_error() -> None:
    for name in ("MissingError", "missing", "__path__"):
        with pytest.raises(AttributeError, match=name):
            getattr(errors, name)
