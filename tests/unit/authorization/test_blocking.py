"""Checks of tokens that hang: who waits for them, and what ends regardless."""

import subprocess
import sys

PROGRAM = """
import asyncio, threading
from paddock import Authorization

begun = threading.Event()

def hangs(token):
    begun.set()
    threading.Event().wait()

async def main():
    authorization = Authorization(hangs, resource="https://example.org/mcp")
    waiting = [
        asyncio.ensure_future(authorization.authenticate([f"Bearer {number}"]))
        for number in range(40)
    ]
    await asyncio.to_thread(begun.wait)
    for one in waiting:
        one.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)

asyncio.run(main())
print("over", flush=True)
"""


def test_a_check_that_never_ends_does_not_keep_the_program_from_ending() -> None:
    program = [sys.executable, "-c", PROGRAM]
    ended = subprocess.run(program, capture_output=True, text=True, timeout=30, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "over\n", "")
