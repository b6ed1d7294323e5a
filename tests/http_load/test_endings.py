"""A server that is reported to end: while it begins, and while it works."""

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

from tests.http_load.live import PATIENCE, Raw, call_bytes

ROOT = Path(__file__).parents[2]


def start(tmp_path: Path, program: str) -> "subprocess.Popen[str]":
    file = tmp_path / "program.py"
    file.write_text(textwrap.dedent(program), encoding="utf-8")
    return subprocess.Popen(
        [sys.executable, str(file)],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])},
    )


def line_of(process: "subprocess.Popen[str]") -> str:
    assert process.stderr is not None
    return process.stderr.readline()


def ended(process: "subprocess.Popen[str]") -> tuple[int, str]:
    _, said = process.communicate(timeout=PATIENCE)
    return process.returncode, said


def test_a_signal_while_the_lifespan_is_entered_ends_it_cleanly(tmp_path: Path) -> None:
    process = start(
        tmp_path,
        """
        import asyncio, sys
        from contextlib import asynccontextmanager
        from paddock import Server

        @asynccontextmanager
        async def lifespan(server):
            try:
                print("waiting", file=sys.stderr, flush=True)
                await asyncio.Event().wait()
                yield
            finally:
                print("cleaned up", file=sys.stderr, flush=True)

        Server("s", lifespan=lifespan).run(http="127.0.0.1:0")
        """,
    )
    assert line_of(process) == "waiting\n"
    process.send_signal(signal.SIGTERM)
    assert ended(process) == (0, "cleaned up\n")


def test_a_signal_right_after_it_said_that_it_serves_ends_it_cleanly(tmp_path: Path) -> None:
    process = start(
        tmp_path,
        """
        import sys
        from contextlib import contextmanager
        from paddock import Server

        @contextmanager
        def lifespan(server):
            yield
            print("cleaned up", file=sys.stderr, flush=True)

        Server("s", lifespan=lifespan).run(http="127.0.0.1:0")
        """,
    )
    assert line_of(process).startswith("Serving s at http://127.0.0.1:")
    process.send_signal(signal.SIGTERM)
    assert ended(process) == (0, "cleaned up\n")


def test_an_answer_that_is_on_its_way_arrives_although_the_server_ends(tmp_path: Path) -> None:
    process = start(
        tmp_path,
        """
        from paddock import Server

        server = Server("s")

        @server.tool
        def large() -> str:
            return "x" * 30_000_000

        server.run(http="127.0.0.1:0")
        """,
    )
    port = int(line_of(process).rpartition(":")[2].partition("/")[0])
    with Raw(port) as line:
        line.send(call_bytes("large"))
        status, headers = line.head()  # the rest fills all buffers that there are
        process.send_signal(signal.SIGTERM)
        got = len(line.buffered)
        for _ in range(100):  # slower than the time that an idle connection gets
            got += len(line.socket.recv(65536))
            line.pause(0.01)
        while part := line.socket.recv(1_000_000):
            got += len(part)
    assert (status, got) == (200, int(headers["content-length"]))
    assert ended(process) == (0, "")
