"""A program that takes the command line of a Wolfram kernel and speaks as `driver.wl` does.

It is run as a program of its own, knows a few inputs by heart, and holds to the protocol that is
written down at the top of the driver.
"""

import base64
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

PIXEL = base64.b64encode(b"\x89PNG\r\n\x1a\n a picture").decode()


class StopError(Exception):
    """Someone wants the evaluation to stop."""


class StandIn:
    """What the driver would be in a kernel."""

    def __init__(self) -> None:
        self.mark = ""
        self.id = 0
        self.variables: dict[str, str] = {}

    def say(self, kind: str, **fields: Any) -> None:
        print(self.mark, json.dumps({"id": self.id, "kind": kind, **fields}), flush=True)

    def end(self, status: str = "done", result: str | None = None) -> None:
        self.say("end", status=status, result=result, microseconds=1500, bytes=1 << 20)

    def handle(self, request: dict[str, Any]) -> None:
        self.id = request["id"]
        if request["do"] == "hello":
            self.mark = request["mark"]
            number = os.environ.get("WOLFRAM_STAND_IN_NUMBER", "14.1")
            version = f"{number}.0 for Stand-In"
            self.say("hello", version=version, number=number, system="S", process=os.getpid())
        elif request["do"] == "evaluate":
            self.evaluate(request)
        elif request["do"] == "save":
            Path(request["file"]).write_text(json.dumps(self.variables), encoding="utf-8")
            self.end()
        elif request["do"] == "restore":
            self.variables = json.loads(Path(request["file"]).read_text(encoding="utf-8"))
            self.end()

    def evaluate(self, request: dict[str, Any]) -> None:
        code = request["code"]
        assigned = re.fullmatch(r"(\w+) = (\w+)", code)
        if assigned:
            self.variables[assigned[1]] = assigned[2]
            self.end(result=assigned[2])
        elif code in self.variables:
            self.end(result=self.variables[code])
        elif code in KNOWN:
            KNOWN[code](self, request)
        else:
            self.end(result=code)


def one_plus_one(kernel: StandIn, _request: dict[str, Any]) -> None:
    kernel.end(result="2")


def print_and_complain(kernel: StandIn, _request: dict[str, Any]) -> None:
    kernel.say("print", text="first")
    kernel.say("message", text="Power::infy: Infinite expression 0^(-1) encountered.")
    kernel.say("print", text="last")
    kernel.end(result="ComplexInfinity")


def draw(kernel: StandIn, _request: dict[str, Any]) -> None:
    kernel.say("picture", data=PIXEL, mime="image/png")
    kernel.end(result="-Graphics-")


def run_echo(kernel: StandIn, _request: dict[str, Any]) -> None:
    subprocess.run(["echo", "from a shell"], check=True)
    kernel.end(result="0")


def be_slow(kernel: StandIn, request: dict[str, Any]) -> None:
    """An endless loop: the driver's own time limit, or an interrupt, ends it."""
    try:
        time.sleep(request["seconds"])
    except StopError:
        print("Interrupt> ", end="")
        kernel.end(result="$Aborted")
    else:
        kernel.end("timed-out")


def be_stuck(_kernel: StandIn, _request: dict[str, Any]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    time.sleep(600)


def leave_a_process(kernel: StandIn, _request: dict[str, Any]) -> None:
    child = subprocess.Popen(
        ["sleep", "600"], stdout=subprocess.DEVNULL, start_new_session=sys.platform == "linux"
    )
    kernel.end(result=str(child.pid))


def say_limits(kernel: StandIn, request: dict[str, Any]) -> None:
    kernel.end(result=f"{{{request['seconds']}, {request['memory']}, {request['characters']}}}")


def say_environment(kernel: StandIn, _request: dict[str, Any]) -> None:
    kernel.end(result=" ".join(sorted(os.environ)))


def say_much(kernel: StandIn, _request: dict[str, Any]) -> None:
    for _ in range(100):
        kernel.say("print", text="x" * 100)
    kernel.end(result="Null")


KNOWN = {
    "1 + 1": one_plus_one,
    "Print[first]; 1/0; Print[last]": print_and_complain,
    "Plot[x, {x, 0, 1}]": draw,
    'Run["echo from a shell"]': run_echo,
    "While[True]": be_slow,
    "Stuck[]": be_stuck,
    "Quit[]": lambda _kernel, _request: sys.exit(0),
    "Crash[]": lambda _kernel, _request: os.kill(os.getpid(), signal.SIGKILL),
    "Hog[]": lambda kernel, _request: kernel.end("out-of-memory"),
    'Run["sleep 600 &"]': leave_a_process,
    "Limits[]": say_limits,
    "Environment[]": say_environment,
    "Do[Print[x], 100]": say_much,
}


def interrupted(*_: object) -> None:
    raise StopError


def main() -> None:
    """Be a kernel, if the command line is right."""
    options, code = sys.argv[1:-1], sys.argv[-1]
    if os.environ.get("WOLFRAM_STAND_IN_IS_UNLICENSED"):
        print("No valid password found.")
        print("Wolfram kernels have to be activated.")
        sys.exit(1)
    if options != ["-noinit", "-noprompt", "-run"] or "PaddockDriver`run[]" not in code:
        sys.exit(f"not the command line of a kernel: {sys.argv[1:]}")
    signal.signal(signal.SIGINT, interrupted)
    kernel = StandIn()
    while True:
        try:
            line = sys.stdin.readline()
            if not line:
                return
            if line.startswith("{"):  # and not the answer to an interrupt menu
                kernel.handle(json.loads(line))
        except StopError:
            continue


if __name__ == "__main__":
    main()
