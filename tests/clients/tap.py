"""Stands between a client and its server, and writes down what they say to each other.

`python tap.py DIRECTORY COMMAND…`: each run writes a file of its own, one line for each message
in the order in which they passed. The server finds the file's name in PADDOCK_TAP.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from types import FrameType
from typing import IO


def pass_on(source: IO[bytes], sink: IO[bytes], record: int, sender: str) -> None:
    """Hand over lines until there are no more, noting each one before it is handed over."""
    for line in source:
        note = json.dumps({"from": sender, "line": line.decode("utf-8", "replace")})
        os.write(record, note.encode() + b"\n")
        try:
            sink.write(line)
            sink.flush()
        except BrokenPipeError:
            break
    with contextlib.suppress(BrokenPipeError):
        sink.close()


def main(directory: str, *command: str) -> int:
    """Run the command and pass on both directions until it ends."""
    path = Path(directory) / f"{os.getpid()}.jsonl"
    record = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    server = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PADDOCK_TAP": str(path)},
    )

    def end(_number: int, _frame: FrameType | None) -> None:
        server.terminate()

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, end)
    assert server.stdin
    assert server.stdout
    threading.Thread(
        target=pass_on, args=(sys.stdin.buffer, server.stdin, record, "client"), daemon=True
    ).start()
    pass_on(server.stdout, sys.stdout.buffer, record, "server")
    code = server.wait()
    os.write(record, json.dumps({"event": "ended", "code": code}).encode() + b"\n")
    os._exit(code)  # a thread may still wait for the client's next word


if __name__ == "__main__":
    main(*sys.argv[1:])
