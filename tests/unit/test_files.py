"""Writing files whole or not at all, one process at a time."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from paddock import PaddockError
from paddock.files import FileBusyError, lock_file, write_atomically

COUNT = """
import sys
from pathlib import Path
from paddock.files import lock_file, write_atomically

counter = Path(sys.argv[1])
for _ in range(20):
    with lock_file(counter):
        write_atomically(counter, str(int(counter.read_text()) + 1).encode())
"""

LEAVE = """
import os, subprocess, sys
from pathlib import Path
from paddock.files import lock_file

with lock_file(Path(sys.argv[1])) as lock:
    child = "import sys; print('started', flush=True); sys.stdin.read()"
    subprocess.Popen([sys.executable, "-c", child], pass_fds=[lock])
    os._exit(1)
"""

WRITE_TOO_MUCH = """
import resource, signal, sys
from pathlib import Path
from paddock.files import write_atomically

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
write_atomically(Path(sys.argv[1]), b"x" * 100_000)
"""


def test_a_file_is_made_with_its_directories_and_readable_by_its_owner_only(tmp_path: Path) -> None:
    file = tmp_path / "a" / "b" / "c.txt"
    write_atomically(file, b"text")
    assert file.read_bytes() == b"text"
    assert file.stat().st_mode & 0o777 == 0o600


def test_the_mode_of_a_file_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "c.txt"
    file.touch(0o640)
    file.chmod(0o640)
    write_atomically(file, b"text", mode=0o600)
    assert file.stat().st_mode & 0o777 == 0o640


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs root")
def test_root_leaves_a_file_to_its_owner(tmp_path: Path) -> None:
    file = tmp_path / "c.txt"
    file.touch(0o600)
    os.chown(file, 1234, 2345)
    write_atomically(file, b"text")
    found = file.stat()
    assert (found.st_uid, found.st_gid, found.st_mode & 0o777) == (1234, 2345, 0o600)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with names")
def test_a_pipe_is_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises((OSError, PaddockError), match="not a regular file"):
        write_atomically(pipe, b"text")
    assert pipe.is_fifo()
    assert [*tmp_path.iterdir()] == [pipe]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    file, link = tmp_path / "file", tmp_path / "link"
    file.touch()
    link.symlink_to(file)
    write_atomically(link, b"text")
    assert link.is_symlink()
    assert file.read_bytes() == b"text"


def test_a_full_disk_leaves_what_was_there_and_nothing_else(tmp_path: Path) -> None:
    file = tmp_path / "c.txt"
    file.write_bytes(b"old")
    ended = subprocess.run(
        [sys.executable, "-c", WRITE_TOO_MUCH, str(file)], capture_output=True, check=False
    )
    assert b"File too large" in ended.stderr
    assert file.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["c.txt"]  # noqa: PTH208 - just the names


def test_processes_that_lock_a_file_lose_nothing(tmp_path: Path) -> None:
    counter = tmp_path / "counter"
    counter.write_text("0", encoding="ascii")
    command = [sys.executable, "-c", COUNT, str(counter)]
    running = [subprocess.Popen(command) for _ in range(3)]
    assert [process.wait() for process in running] == [0, 0, 0]
    assert counter.read_text(encoding="ascii") == "60"


def test_locks_are_not_left_beside_the_file(tmp_path: Path) -> None:
    with lock_file(tmp_path / "c.txt"):
        assert list(tmp_path.iterdir()) == []


def test_a_lock_is_free_again_after_a_failure(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="no"), lock_file(tmp_path / "c.txt"):
        raise OSError("no")
    with lock_file(tmp_path / "c.txt"):
        pass


def test_a_process_that_waits_in_vain_learns_which_process_has_the_lock(tmp_path: Path) -> None:
    file = tmp_path / "c.txt"
    with lock_file(file), pytest.raises(FileBusyError), lock_file(file, seconds=0.01):
        pass


def test_a_child_that_outlives_its_parent_holds_the_lock_for_it(tmp_path: Path) -> None:
    file = tmp_path / "c.txt"
    command = [sys.executable, "-c", LEAVE, str(file)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as parent:
        assert parent.stdin is not None
        assert parent.stdout is not None
        assert parent.stdout.readline() == b"started\n"
        assert parent.wait() == 1
        with pytest.raises(FileBusyError), lock_file(file, seconds=0.01):
            pass
        parent.stdin.close()
        with lock_file(file):
            pass
