"""The page on engines names what exists, and its program prints the one that is used."""

import re
import runpy

import pytest

from paddock import engines
from paddock.kernels.wolfram.engines import ENGINE_VARIABLE
from paddock.kernels.wolfram.kernel_locator import KERNEL_VARIABLE
from tests.docs.pages import ROOT

PAGE = (ROOT / "docs" / "how-to" / "engines.md").read_text(encoding="utf-8")
PROGRAM = ROOT / "docs_src" / "how_to" / "engines.py"


def test_the_page_has_a_row_for_each_engine() -> None:
    table = PAGE.partition("## The engines\n")[2].partition("\n\n|")[0]
    assert re.findall(r"^\| `(\w+)` \|", table, flags=re.M) == [one.name for one in engines()]


@pytest.mark.parametrize("variable", [ENGINE_VARIABLE, KERNEL_VARIABLE])
def test_the_page_names_the_variables(variable: str) -> None:
    assert variable in PAGE


def test_the_program_prints_the_engine_that_is_used(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(ENGINE_VARIABLE, "none")
    runpy.run_path(str(PROGRAM))
    (engine,) = [one for one in engines() if one.is_chosen]
    assert capsys.readouterr().out == (
        f"No engine {engine.version}: selected by PADDOCK_WOLFRAM_ENGINE\n"
    )
