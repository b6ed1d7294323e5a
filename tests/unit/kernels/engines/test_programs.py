"""Where a Wolfram kernel is looked for."""

from pathlib import Path

import pytest

from paddock.kernels.wolfram.kernel_locator import (
    KERNEL_VARIABLE,
    OperatingSystem,
    SearchLocations,
    find_kernel_program,
    get_missing_program,
)

PLAYER = "Contents/Resources/Wolfram Player.app/Contents/MacOS"


def program(path: Path) -> Path:
    """A file that can be run."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n", "utf-8")
    path.chmod(0o755)
    return path


def machine(
    root: Path, system: OperatingSystem = "linux", environment: dict[str, str] | None = None
) -> SearchLocations:
    known = {"PATH": str(root / "bin"), **(environment or {})}
    return SearchLocations(system, known, root / "home", root)


def found(places: SearchLocations) -> Path | None:
    program = find_kernel_program(places)
    return program.path if program is not None else None


def test_a_machine_without_a_kernel_has_none(tmp_path: Path) -> None:
    assert find_kernel_program(machine(tmp_path)) is None


@pytest.mark.parametrize(
    ("system", "place"),
    [
        ("linux", "usr/local/Wolfram/WolframEngine/14.1/Executables/WolframKernel"),
        ("linux", "usr/local/Wolfram/Mathematica/12.0/Executables/MathKernel"),
        ("linux", "opt/Wolfram/Wolfram/14.2/Executables/wolfram"),
        ("linux", "home/Wolfram/WolframEngine/13.3/Executables/WolframKernel"),
        ("macos", "Applications/Mathematica.app/Contents/MacOS/WolframKernel"),
        (
            "macos",
            f"Applications/Wolfram Engine.app/{PLAYER}/WolframKernel",
        ),
        ("macos", "home/Applications/Wolfram.app/Contents/MacOS/WolframKernel"),
        ("windows", "Program Files/Wolfram Research/Wolfram Engine/14.1/wolfram"),
    ],
)
def test_a_kernel_is_found_in_the_usual_place(
    system: OperatingSystem, place: str, tmp_path: Path
) -> None:
    kernel = program(tmp_path / place)
    places = machine(tmp_path, system, {"ProgramFiles": str(tmp_path / "Program Files")})
    assert found(places) == kernel


def test_the_newest_installation_is_taken(tmp_path: Path) -> None:
    base = tmp_path / "usr/local/Wolfram"
    program(base / "Mathematica/9.0/Executables/WolframKernel")
    newest = program(base / "WolframEngine/14.1/Executables/WolframKernel")
    program(base / "Mathematica/13.3/Executables/WolframKernel")
    assert found(machine(tmp_path)) == newest


def test_what_is_on_the_path_comes_before_the_usual_places(tmp_path: Path) -> None:
    program(tmp_path / "usr/local/Wolfram/Wolfram/14.2/Executables/WolframKernel")
    kernel = program(tmp_path / "bin/wolfram")
    assert found(machine(tmp_path)) == kernel


def test_wolframscript_is_taken_when_there_is_nothing_else(tmp_path: Path) -> None:
    script = program(tmp_path / "bin/wolframscript")
    assert found(machine(tmp_path)) == script
    kernel = program(tmp_path / "opt/Wolfram/Wolfram/14.2/Executables/WolframKernel")
    assert found(machine(tmp_path)) == kernel


def test_the_user_names_a_kernel(tmp_path: Path) -> None:
    program(tmp_path / "bin/wolfram")
    kernel = program(tmp_path / "elsewhere/kernel")
    places = machine(tmp_path, environment={KERNEL_VARIABLE: str(kernel)})
    named = find_kernel_program(places)
    assert named is not None
    assert (named.path, named.origin) == (kernel, f"named by {KERNEL_VARIABLE}")
    assert get_missing_program(places) == ""


def test_no_other_kernel_is_taken_for_one_that_the_user_names_and_that_is_not_there(
    tmp_path: Path,
) -> None:
    program(tmp_path / "bin/wolfram")
    places = machine(tmp_path, environment={KERNEL_VARIABLE: str(tmp_path / "gone")})
    assert find_kernel_program(places) is None
    assert get_missing_program(places) == str(tmp_path / "gone")


def test_the_version_is_in_a_file_of_the_installation(tmp_path: Path) -> None:
    installation = tmp_path / "usr/local/Wolfram/Wolfram/current"
    program(installation / "Executables/WolframKernel")
    (installation / ".VersionID").write_text("14.1.0.0 (build 7)\n", "utf-8")
    kernel = find_kernel_program(machine(tmp_path))
    assert kernel is not None
    assert kernel.version == "14.1.0.0"


def test_the_version_may_be_in_the_name_of_a_directory_that_a_link_leads_to(tmp_path: Path) -> None:
    kernel = program(tmp_path / "usr/local/Wolfram/Wolfram/14.2/Executables/WolframKernel")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/WolframKernel").symlink_to(kernel)
    linked = find_kernel_program(machine(tmp_path))
    assert linked is not None
    assert (linked.origin, linked.version) == ("on the PATH", "14.2")


def test_a_version_that_does_not_show_is_empty(tmp_path: Path) -> None:
    program(tmp_path / "bin/wolfram")
    kernel = find_kernel_program(machine(tmp_path))
    assert kernel is not None
    assert kernel.version == ""
