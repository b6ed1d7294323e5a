"""Which engine is chosen, and why."""

from importlib.util import find_spec
from pathlib import Path

import pytest

from paddock.kernels.wolfram.engines import (
    ENGINE_VARIABLE,
    EngineError,
    choose_engine,
    find_engines,
)
from paddock.kernels.wolfram.kernel_locator import KERNEL_VARIABLE, SearchLocations

HAS_WOXI = find_spec("woxi") is not None


def machine(root: Path, **environment: str) -> SearchLocations:
    return SearchLocations("linux", {"PATH": str(root), **environment}, root, root)


def kernel(root: Path) -> Path:
    program = root / "WolframKernel"
    program.write_text("#!/bin/sh\n", "utf-8")
    program.chmod(0o755)
    return program


def test_engines_are_listed_in_the_order_of_preference(tmp_path: Path) -> None:
    names = [engine.name for engine in find_engines(machine(tmp_path))]
    assert names == ["wolfram", "woxi", "mathics", "none"]


def test_an_engine_that_is_not_here_says_how_to_get_it(tmp_path: Path) -> None:
    wolfram = find_engines(machine(tmp_path))[0]
    assert (wolfram.location, wolfram.version) == ("", "")
    assert "https://www.wolfram.com/engine" in wolfram.install_hint


def test_a_real_kernel_is_the_first_choice(tmp_path: Path) -> None:
    program = kernel(tmp_path)
    choice = choose_engine(locations=machine(tmp_path))
    assert (choice.engine.name, choice.reason) == ("wolfram", "the preferred engine")
    assert choice.engine.location == f"{program} (on the PATH)"


@pytest.mark.skipif(not HAS_WOXI, reason="woxi is not installed")
def test_woxi_is_the_choice_without_one(tmp_path: Path) -> None:
    choice = choose_engine(locations=machine(tmp_path))
    assert choice.engine.name == "woxi"
    assert choice.reason == "the preferred one of the installed engines (Wolfram kernel not found)"


def test_the_environment_chooses(tmp_path: Path) -> None:
    kernel(tmp_path)
    choice = choose_engine(locations=machine(tmp_path, **{ENGINE_VARIABLE: "None"}))
    assert (choice.engine.name, choice.reason) == ("none", f"selected by {ENGINE_VARIABLE}")


def test_a_setting_counts_more_than_the_environment(tmp_path: Path) -> None:
    kernel(tmp_path)
    places = machine(tmp_path, **{ENGINE_VARIABLE: "wolfram"})
    choice = choose_engine("none", locations=places)
    assert (choice.engine.name, choice.reason) == ("none", "selected by the option Engine")


@pytest.mark.parametrize("setting", [None, "", "Automatic", "automatic"])
def test_an_automatic_setting_leaves_it_to_the_environment(
    setting: str | None, tmp_path: Path
) -> None:
    places = machine(tmp_path, **{ENGINE_VARIABLE: "none"})
    assert choose_engine(setting, locations=places).engine.name == "none"


def test_a_word_that_is_not_an_engine_is_answered_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="no engine 'mathcs'") as told:
        choose_engine("mathcs", locations=machine(tmp_path))
    assert told.value.hint == "did you mean mathics?"


def test_an_engine_that_is_not_here_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="'wolfram', which the option Engine names, is not on"):
        choose_engine("wolfram", locations=machine(tmp_path))


def test_a_kernel_that_is_named_and_not_there_is_reported(tmp_path: Path) -> None:
    places = machine(tmp_path, **{KERNEL_VARIABLE: "/gone"})
    told = f"'/gone', which {KERNEL_VARIABLE} names, is not a program"
    assert told in choose_engine(locations=places).reason
    with pytest.raises(EngineError, match=told):
        choose_engine("wolfram", locations=places)
