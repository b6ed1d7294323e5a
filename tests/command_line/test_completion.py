"""What a shell completes: commands, options, and names as they are on this computer."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.command_line.program import Program

SHELLS = {
    "bash": "add to ~/.bashrc:",
    "zsh": "add to ~/.zshrc, after compinit:",
    "fish": "run:  paddock completion fish >",
    "powershell": "add to the file that $PROFILE names:",
}


def completed(paddock: Program, *words: str) -> list[str]:
    """What is offered for the last of some words."""
    said = paddock(
        environment={
            "_PADDOCK_COMPLETE": "bash_complete",
            "COMP_WORDS": " ".join(["paddock", *words]),
            "COMP_CWORD": str(len(words)),
        }
    )
    assert (said.code, said.err) == (0, "")
    return [line.partition(",")[2] for line in said.out.splitlines()]


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["inst"], ["install"]),
        (["servers", "--j"], ["--json"]),
        (["show", "dem"], ["Demo"]),
        (["serve", "De"], ["Demo"]),
        (["call", "De"], ["Demo"]),
        (["install", "claude-c"], ["claude-code"]),
        (["install", "claude-code", "Dem"], ["Demo"]),
        (["doctor", "curs"], ["cursor"]),
        (["create", "Mine", "--tool", "DemoD"], ["DemoDice"]),
        (["edit", "Mine", "--add-prompt", "D"], ["DemoTour"]),
        (["completion", "f"], ["fish"]),
    ],
)
def test_commands_options_and_names_are_completed(
    paddock: Program, words: list[str], offered: list[str]
) -> None:
    assert completed(paddock, *words) == offered


def test_a_server_of_ones_own_is_completed(paddock: Program) -> None:
    paddock("create", "Mine", "--tool", "DemoDice")
    assert completed(paddock, "delete", "M") == ["Mine"]


def test_a_broken_server_does_not_keep_others_from_being_completed(paddock: Program) -> None:
    (paddock.data / "servers").mkdir(parents=True)
    (paddock.data / "servers" / "Dented.toml").write_text("tools = [", encoding="utf-8")
    assert completed(paddock, "delete", "De") == ["Dented", "Demo"]


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_is_printed_and_how_to_install_it_said(paddock: Program, shell: str) -> None:
    said = paddock("completion", shell)
    assert said.code == 0
    assert "_PADDOCK_COMPLETE" in said.out
    assert said.err.startswith(f"To enable it in every {shell}, {SHELLS[shell]}")


def test_the_shell_is_the_one_in_use(paddock: Program) -> None:
    said = paddock("completion", environment={"SHELL": "/usr/bin/fish"})
    assert said.out == paddock("completion", "fish").out
    unknown = paddock("completion", environment={"SHELL": "/bin/tcsh"})
    assert (unknown.code, unknown.err.splitlines()[-1]) == (
        2,
        "Hint: name the shell: paddock completion bash|zsh|fish|powershell",
    )


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash_completes_with_the_script(paddock: Program, tmp_path: Path) -> None:
    program = tmp_path / "bin" / "paddock"
    program.parent.mkdir()
    line = " ".join(paddock.command)
    program.write_text(f'#!/bin/sh\nexec {line} "$@"\n', encoding="utf-8")
    program.chmod(0o700)
    path = f"{program.parent}{os.pathsep}{paddock.environment['PATH']}"
    script = """
        eval "$(paddock completion bash 2>/dev/null)"
        COMP_WORDS=(paddock show De) COMP_CWORD=2
        _paddock_completion paddock
        echo "${COMPREPLY[@]}"
    """
    done = subprocess.run(
        ["bash", "-c", script],
        env={**paddock.environment, "PATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "Demo\n"
