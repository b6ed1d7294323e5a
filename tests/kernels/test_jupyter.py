"""Jupyter kernels: ipykernel as it is installed here, and behind a real Jupyter server."""

import contextlib
import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import urllib3

from paddock import Peer, Server, connect
from paddock.kernels.child.process_tree import list_descendants
from paddock.kernels.jupyter.engine import make_jupyter_engine
from paddock.kernels.kernel import EvaluationControl, EvaluationLimits, Kernel, KernelError
from paddock.toolkits.python.tools import python_evaluator_tool
from tests.kernels.processes import Watched, next_line, run_program, watch
from tests.ports import free_port

LIMITS = EvaluationLimits(seconds=60, network=True)
TOKEN = "only-for-these-tests"  # noqa: S105 - of a server that only these tests start
STAYS = "Changes made until then were kept: Jupyter kernels cannot be rolled back."
GONE = "The kernel has ended, and all its definitions are lost."
SERVER = """
from paddock.kernels.jupyter.engine import make_jupyter_engine
from paddock.kernels.kernel import EvaluationLimits
from paddock.kernels.child.process_tree import list_descendants
limits = EvaluationLimits(network=True)
kernel = make_jupyter_engine("python3", "", ".").start(limits)
kernel.evaluate("import subprocess; subprocess.Popen(['setsid', 'sleep', '1000'])", limits)
print(kernel.describe()["guard"], *list_descendants(kernel.describe()["guard"]), flush=True)
input()
"""


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A Jupyter server of its own, and its address."""
    place = tmp_path_factory.mktemp("gateway")
    port = free_port()
    options = [f"--port={port}", "--ServerApp.ip=127.0.0.1", f"--IdentityProvider.token={TOKEN}"]
    command = [sys.executable, "-m", "jupyter_server", *options, "--no-browser", "--allow-root"]
    process = subprocess.Popen(
        [*command, f"--ServerApp.root_dir={place}"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"HOME": str(place), "JUPYTER_CONFIG_DIR": str(place)},
    )
    assert process.stderr is not None
    said = []
    for line in process.stderr:
        said.append(line)
        if "is running at" in line:
            break
    assert "is running at" in said[-1], "".join(said)
    _wait_until_listening(port, process)
    # What it goes on to say must not fill the pipe.
    reading = threading.Thread(target=process.stderr.read, daemon=True)
    reading.start()
    yield f"http://127.0.0.1:{port}"
    process.terminate()
    process.wait(30)
    reading.join(30)
    process.stderr.close()


def _wait_until_listening(port: int, process: subprocess.Popen[str]) -> None:
    """Wait until connections are accepted, which is after the server has said that it runs."""
    while process.poll() is None:
        with contextlib.suppress(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port)).close()
            return
        time.sleep(0.05)
    raise AssertionError("the server has ended")


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    """An installed kernel."""
    kernel = make_jupyter_engine("python3", "", str(tmp_path_factory.mktemp("work"))).start(LIMITS)
    yield kernel
    kernel.close()


@pytest.fixture(scope="module")
def there(gateway: str) -> Iterator[Kernel]:
    """A kernel of the server."""
    kernel = make_jupyter_engine("python3", "", ".", gateway, TOKEN).start(LIMITS)
    yield kernel
    kernel.close()


@pytest.fixture(params=["here", "there"])
def kernel(request: pytest.FixtureRequest) -> Kernel:
    """Either."""
    found: Kernel = request.getfixturevalue(request.param)
    return found


def test_values_prints_and_pictures_are_reported_in_their_order(kernel: Kernel) -> None:
    code = "from PIL import Image\nprint('a')\ndisplay(Image.new('L', (9, 9)))\nprint('b')\n6 * 7"
    outcome = kernel.evaluate(code, LIMITS)
    assert (outcome.status, outcome.result) == ("done", "42")
    assert [(output.kind, output.text) for output in outcome.outputs] == [
        *(("print", "a"), ("picture", ""), ("print", "b")),
    ]
    assert outcome.outputs[1].data.startswith(b"\x89PNG")


def test_an_exception_is_reported_without_colours(kernel: Kernel) -> None:
    outcome = kernel.evaluate("1/0", LIMITS)
    assert outcome.status == "failed"
    (output,) = outcome.outputs
    assert output.text.splitlines()[-1] == "ZeroDivisionError: division by zero"
    assert "\x1b" not in output.text


def test_what_takes_too_long_is_interrupted_and_stays(kernel: Kernel) -> None:
    outcome = kernel.evaluate(
        "x = 5\nwhile True: pass", EvaluationLimits(seconds=0.5, network=True)
    )
    assert outcome.status == "timed-out"
    assert outcome.note == f"The evaluation took longer than 0.5 s and was stopped. {STAYS}"
    assert kernel.evaluate("x", LIMITS).result == "5"


def test_a_cancelled_call_is_interrupted(kernel: Kernel) -> None:
    is_cancelled = threading.Event()
    outcome = kernel.evaluate(
        "import time\ntime.sleep(1000)",
        LIMITS,
        EvaluationControl(is_cancelled.is_set, lambda _seconds: is_cancelled.set()),
    )
    assert outcome.status == "cancelled"
    assert kernel.evaluate("1", LIMITS).result == "1"


def test_a_flood_is_cut_and_that_is_reported(kernel: Kernel) -> None:
    outcome = kernel.evaluate(
        "print('x' * 1000)", EvaluationLimits(seconds=60, output_bytes=100, network=True)
    )
    assert sum(len(output.text) for output in outcome.outputs) <= 100
    assert outcome.note.endswith("bytes of output beyond the limit of 100 were dropped.")


@pytest.mark.parametrize("place", ["here", "there"])
def test_a_kernel_that_ends_is_reported_as_ended(place: str, gateway: str) -> None:
    address, token = (gateway, TOKEN) if place == "there" else ("", "")
    kernel = make_jupyter_engine("python3", "", ".", address, token).start(LIMITS)
    outcome = kernel.evaluate("import os\nos._exit(3)", LIMITS)
    assert outcome.status == "crashed"
    assert outcome.note == f"The kernel crashed, or the code ended it. {GONE}"
    assert not kernel.is_alive
    assert kernel.evaluate("1", LIMITS).status == "crashed"


def test_one_that_does_not_heed_an_interrupt_is_ended() -> None:
    kernel = make_jupyter_engine("python3", "", ".").start(LIMITS)
    code = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass"
    outcome = kernel.evaluate(code, EvaluationLimits(seconds=0.5, network=True))
    assert outcome.status == "timed-out"
    assert outcome.note.endswith(GONE)
    assert not kernel.is_alive


def kernels_at(gateway: str) -> str:
    headers = {"Authorization": f"token {TOKEN}"}
    return urllib3.request("GET", f"{gateway}/api/kernels", headers=headers).data.decode()


def test_a_kernel_at_a_server_is_deleted_in_the_end(gateway: str) -> None:
    kernel = make_jupyter_engine("python3", "", ".", gateway, TOKEN).start(LIMITS)
    name = str(kernel.describe()["id"])
    assert name in kernels_at(gateway)
    kernel.close()
    assert name not in kernels_at(gateway)


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_killing_the_server_ends_an_installed_kernel_and_what_it_started() -> None:
    with run_program(SERVER) as server:
        processes = watch(int(word) for word in next_line(server).split())
        assert len(processes) >= 3
        server.kill()
        assert all(process.is_gone() for process in processes)


def test_it_is_confined_as_far_as_a_program_with_sockets_can_be(here: Kernel) -> None:
    guard = here.describe()["guard"]
    assert isinstance(guard, int)
    (process,) = list_descendants(guard)[:1]
    assert Watched(process).is_running()
    status = Path(f"/proc/{process}/status").read_text()
    assert re.search(r"NoNewPrivs:\s*1", status)


def test_there_is_no_jupyter_kernel_without_network() -> None:
    with pytest.raises(KernelError, match="cannot be used without network"):
        make_jupyter_engine("python3", "", ".").start(EvaluationLimits())


def test_a_name_that_no_kernel_has_is_reported_with_those_that_there_are() -> None:
    with pytest.raises(KernelError, match="Installed kernels: python3"):
        make_jupyter_engine("pyhton3", "", ".").start(LIMITS)


@pytest.mark.parametrize("token", ["", "wrong"])
def test_a_server_that_refuses_is_reported(gateway: str, token: str) -> None:
    with pytest.raises(KernelError, match="403"):
        make_jupyter_engine("python3", "", ".", gateway, token).start(LIMITS)


def test_a_server_that_is_not_there_is_reported() -> None:
    with pytest.raises(KernelError, match=re.escape("cannot be started at http://127.0.0.1:9")):
        make_jupyter_engine("python3", "", ".", "http://127.0.0.1:9", "").start(LIMITS)
    with pytest.raises(KernelError, match="expected http or https"):
        make_jupyter_engine("python3", "", ".", "file:///etc/passwd", "").start(LIMITS)


def peer_with(**options: object) -> Peer:
    server = Server("s", tools=[python_evaluator_tool])
    return connect(server.set_tool_options({"PythonEvaluator": options}))


def test_the_tool_continues_with_the_kernel_of_a_session(
    gateway: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PADDOCK_JUPYTER_TOKEN", TOKEN)
    with peer_with(AllowNetwork=True, JupyterGateway=gateway) as peer:
        first = peer.call(
            "PythonEvaluator", code="x = 41\nget_ipython().__class__", kernel="python3"
        )
        assert "ipykernel.zmqshell.ZMQInteractiveShell" in first.text
        assert f"Evaluated by the Jupyter kernel python3 at {gateway}." in first.text
        assert TOKEN not in first.text
        session = re.search(r'session="(\w+)"', first.text)
        assert session is not None
        again = peer.call("PythonEvaluator", code="x + 1", session=session[1])
        assert again.text.startswith("Out[2]: 42")


def test_the_tool_does_not_start_one_unless_that_is_allowed() -> None:
    with peer_with() as peer:
        result = peer.call("PythonEvaluator", code="1", kernel="python3")
        assert result.is_error
        assert "AllowNetwork" in result.text
