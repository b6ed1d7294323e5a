"""Several processes at once, a full disk, and processes that are killed."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import paddock
from paddock import PaddockError
from paddock.installer.file_writer import WriteError
from paddock.named_servers.installations import read_installations
from tests.privileges import as_others_may

BEFORE = json.dumps({"theme": "dark", "mcpServers": {"x": {"command": "/x", "args": []}}}, indent=2)

INSTALL = """
import sys
import paddock
for number in range(3):
    paddock.install("claude-code", "Demo", name=f"server-{sys.argv[1]}-{number}", check=False)
"""

CLIENT = """
# A client that writes its file from time to time, knowing nothing of locks.
import json, os, sys
file, count = sys.argv[1], int(sys.argv[2])
print("ready", flush=True)
for number in range(count):
    with open(file, encoding="utf-8") as old:
        data = json.load(old)
    data["startups"] = number + 1
    with open(file + ".client", "w", encoding="utf-8") as new:
        json.dump(data, new)
    os.replace(file + ".client", file)
"""

FULL = """
import resource, sys
import paddock
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), int(sys.argv[1])))
paddock.install("claude-code", "Demo", check=False)
"""

KILLED = """
# Install and uninstall again and again, each time killed before the next thing that touches a file.
import os, signal, sys
from pathlib import Path
import paddock

home, file = os.environ["HOME"], Path(os.environ["HOME"]) / ".claude.json"
install = lambda: paddock.install("claude-code", "Demo", check=False)
uninstall = lambda: paddock.uninstall("claude-code", "Demo")

def run(act, limit):
    pid = os.fork()
    if pid == 0:
        left = [limit]
        def kill(event, arguments):
            if any(isinstance(one, str | Path) and str(one).startswith(home) for one in arguments):
                left[0] -= 1
                if left[0] < 0:
                    os.kill(os.getpid(), signal.SIGKILL)
        sys.addaudithook(kill)
        act()
        os._exit(0)
    return os.waitpid(pid, 0)[1]

before = file.read_text()
install()
after = file.read_text()
for act in (uninstall, install):
    for limit in range(1000):
        status = run(act, limit)
        assert file.read_text() in (before, after), (act, limit)
        if status == 0:
            break
        assert os.WTERMSIG(status) == signal.SIGKILL, status
        install()
        assert file.read_text() == after, (act, limit)
        uninstall()
        assert file.read_text() == before, (act, limit)
        if act is uninstall:
            install()
    print(limit)
"""


def run(program: str, *arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def wait(process: subprocess.Popen[bytes]) -> bytes:
    _, errors = process.communicate(timeout=50)
    return errors


def test_several_installs_at_once_lose_nothing(home: Path) -> None:
    file = home / ".claude.json"
    file.write_text(BEFORE)
    processes = [run(INSTALL, str(number)) for number in range(4)]
    assert [wait(process) for process in processes] == [b""] * 4
    servers = json.loads(file.read_text())["mcpServers"]
    wanted = {f"server-{process}-{number}" for process in range(4) for number in range(3)}
    assert servers.keys() == {"x", *wanted}
    assert {one.key for one in read_installations()} == wanted
    paddock.uninstall("claude-code")
    assert file.read_text() == BEFORE


def test_a_client_that_writes_at_the_same_time_keeps_what_it_wrote(home: Path) -> None:
    file = home / ".claude.json"
    file.write_text(BEFORE)
    with run(CLIENT, str(file), "200") as client:
        assert client.stdout is not None
        client.stdout.readline()
        paddock.install("claude-code", "Demo", check=False)
        assert wait(client) == b""
    data = json.loads(file.read_text())
    assert (data["startups"], data["theme"]) == (200, "dark")
    # The client may have read before and written after us; what it writes then is its own affair.
    assert data["mcpServers"].keys() - {"Demo"} == {"x"}


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such limit")
@pytest.mark.parametrize("limit", [0, 50, 1000, 3000])
def test_a_full_disk_leaves_the_file_as_it_was(home: Path, limit: int) -> None:
    file = home / ".claude.json"
    # Larger than the limit together with the entry, though not always on its own.
    file.write_text(json.dumps({"history": "x" * max(0, limit - 100)}))
    before = file.read_bytes()
    process = run(FULL, str(limit))
    assert b"paddock.installer.file_writer.WriteError" in wait(process)
    assert process.returncode != 0
    assert file.read_bytes() == before
    assert [path.name for path in home.iterdir() if path.name != ".paddock"] == [".claude.json"]
    assert read_installations() == []


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signal")
@pytest.mark.parametrize("before", [BEFORE, "{}", '{"mcpServers": {"Demo": {"command": "/x"}}}'])
def test_a_process_that_is_killed_at_any_point_leaves_the_old_content_or_the_new(
    home: Path, before: str
) -> None:
    file = home / ".claude.json"
    file.write_text(before)
    replace = ", replace=True" if "Demo" in before else ""
    program = run(KILLED.replace(", check=False", f", check=False{replace}"))
    output, errors = program.communicate(timeout=50)
    assert errors == b""
    # It touches more files than this, so that there were as many moments to be killed at.
    assert [int(number) > 10 for number in output.split()] == [True, True]


def test_a_directory_that_cannot_be_written_is_an_error(home: Path) -> None:
    (home / ".cursor").mkdir(0o500)
    with as_others_may(), pytest.raises(WriteError):
        paddock.install("cursor", "Demo", check=False)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with names")
def test_a_pipe_instead_of_a_file_is_refused(home: Path) -> None:
    pipe = home / ".claude.json"
    os.mkfifo(pipe)
    with pytest.raises(PaddockError, match="not a regular file"):
        paddock.install("claude-code", "Demo", check=False)
    assert pipe.is_fifo()


@pytest.mark.parametrize("is_update", [True, False])
def test_when_one_of_several_files_cannot_be_written_the_others_are_as_they_were(
    home: Path, monkeypatch: pytest.MonkeyPatch, is_update: bool
) -> None:
    """As on Windows, where Claude Desktop has one of two files, or both."""
    monkeypatch.setattr("sys.platform", "win32")
    monkeypatch.setenv("APPDATA", str(home / "roaming"))
    monkeypatch.setenv("LOCALAPPDATA", str(home / "local"))
    inner = "local/Packages/Claude_x/LocalCache/Roaming/Claude/claude_desktop_config.json"
    files = [home / "roaming/Claude/claude_desktop_config.json", home / inner]
    for file in files:
        file.parent.mkdir(parents=True)
        file.write_text("{}")
    if is_update:
        paddock.install("claude-desktop", "Demo", check=False)
    before = [file.read_bytes() for file in files]
    records = read_installations()
    files[1].chmod(0o400)
    with pytest.raises(WriteError), as_others_may():
        paddock.install("claude-desktop", "Demo", env={"A": "b"}, check=False)
    assert [file.read_bytes() for file in files] == before
    assert read_installations() == records
