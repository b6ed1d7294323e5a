"""A lazy module is imported by the first use of one of its attributes."""

import sys
from pathlib import Path

import pytest

from paddock.lazy_modules import LazyModule


def test_the_first_use_of_an_attribute_imports_the_module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "seldom_used.py").write_text("answer = 42\n")
    monkeypatch.syspath_prepend(tmp_path)

    module = LazyModule("seldom_used")

    assert "seldom_used" not in sys.modules
    assert module.answer == 42
    assert "seldom_used" in sys.modules


def test_a_missing_attribute_and_a_missing_module_fail_as_usual() -> None:
    with pytest.raises(AttributeError, match="nothing"):
        _ = LazyModule("json").nothing
    with pytest.raises(ModuleNotFoundError, match="not_there"):
        _ = LazyModule("not_there").anything
