"""Python code in kernels: what comes out, and that nothing is in the way of what follows."""

import ast
import os
import re
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import paddock.kernels
from paddock.kernels.engine import Engine
from paddock.kernels.kernel import EvaluationLimits, EvaluationOutput, EvaluationResult, Kernel
from paddock.kernels.python_engine import make_python_engine
from paddock.kernels.worker.worker_kernel import start_worker

LIMITS = EvaluationLimits(seconds=30)
KERNELS = Path(paddock.kernels.__file__).parent
BACK = "The session is as it was before this evaluation."
Evaluate = Callable[..., EvaluationResult]


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    """The Python that the tests run in, in a directory of its own."""
    return make_python_engine(sys.executable, "3.11", str(tmp_path_factory.mktemp("project")))


@pytest.fixture(scope="module")
def shared(python: Engine) -> Iterator[Kernel]:
    """One kernel for all that leaves it as it was."""
    kernel = python.start(LIMITS)
    yield kernel
    kernel.close()


@pytest.fixture
def evaluate(shared: Kernel) -> Evaluate:
    def run(code: str, limits: EvaluationLimits = LIMITS) -> EvaluationResult:
        return shared.evaluate(textwrap.dedent(code), limits)

    return run


def texts(outcome: EvaluationResult) -> list[str]:
    """The prints and messages."""
    return [output.text for output in outcome.outputs if output.kind != "picture"]


@pytest.mark.parametrize(
    ("code", "result"),
    [
        ("1 + 1", "2"),
        ("x = 5", None),
        ("x = 5\nx + 1", "6"),
        ("x = 5; x;", None),
        ("None", None),
        ("    x = 7\n    x", "7"),
        ("'a' 'b'", "'ab'"),
        ("def f(a: 'int' = 1) -> int:\n    return a\nf()", "1"),
        ("import asyncio\nawait asyncio.sleep(0, 'slept')", "'slept'"),
        ("async def a():\n    yield 1\n[each async for each in a()]", "[1]"),
        (
            "from __future__ import annotations\ndef f(a: nowhere): ...\nf.__annotations__['a']",
            "'nowhere'",
        ),
        ("'\\ud800'", "'\\ud800'"),
        ("b = [1]; _", "[1, 2]"),
        ("import inspect\ndef f(): return 1\ninspect.getsource(f)", "'def f(): return 1\\n'"),
    ],
)
def test_the_value_of_the_last_expression_is_the_result(
    evaluate: Evaluate, code: str, result: str | None
) -> None:
    evaluate("[1, 2]")
    assert evaluate(code).result == result


def test_prints_warnings_and_errors_is_in_their_order(evaluate: Evaluate) -> None:
    code = """\
    import sys, warnings
    print("first")
    print("second", file=sys.stderr)
    warnings.warn("third")
    import os
    os.system("echo fourth")
    print("fifth", end="")
    """
    (output,) = evaluate(code).outputs
    assert re.sub("cell [0-9]+", "cell", output.text).splitlines() == [
        "first",
        "second",
        "<cell>:4: UserWarning: third",
        '  warnings.warn("third")',
        "fourth",
        "fifth",
    ]


def test_a_traceback_shows_the_users_lines_and_of_libraries_the_last(evaluate: Evaluate) -> None:
    evaluate("import json\ndef read(text):\n    return json.loads(text)")
    outcome = evaluate("read('{')")
    (text,) = texts(outcome)
    lines = [line.strip() for line in text.splitlines()]
    assert outcome.status == "failed"
    assert "return json.loads(text)" in lines
    assert "read('{')" in lines
    assert sum(line.startswith("File") for line in lines) == 3
    assert lines[-1].startswith("json.decoder.JSONDecodeError: Expecting property name")


def test_names_from_before_a_failure_are_kept(evaluate: Evaluate) -> None:
    assert evaluate("kept = 1\n1/0").status == "failed"
    assert evaluate("kept").result == "1"


@pytest.mark.parametrize("kind", ["GeneratorExit", "BaseException", "asyncio.CancelledError"])
def test_exceptions_that_are_not_an_errors_fail_like_all_others(
    evaluate: Evaluate, kind: str
) -> None:
    evaluate("import asyncio")
    outcome = evaluate(f"before_it = 8\nraise {kind}")
    assert outcome.status == "failed"
    assert "paddock" not in texts(outcome)[0]
    assert evaluate("before_it").result == "8"


def test_syntax_errors_are_shown_at_their_place(evaluate: Evaluate) -> None:
    (text,) = texts(evaluate("x = (1,\ny ="))
    assert text.splitlines()[-1].startswith("SyntaxError: ")
    (magic,) = texts(evaluate("%timeit 1"))
    assert magic.splitlines()[-1] == (
        "(IPython's %magic, !command and name? are not part of Python and cannot be used.)"
    )


def test_questions_are_refused_with_what_to_do(evaluate: Evaluate) -> None:
    (text,) = texts(evaluate("input('Name? ')"))
    assert text.splitlines()[-1] == (
        "NoQuestionsError: input('Name? ') cannot be answered: this Python is not interactive. "
        "Put the value into the code instead."
    )
    assert "breakpoint() cannot be used" in texts(evaluate("breakpoint()"))[0]


def test_values_of_the_sessions_own_classes_can_be_pickled(evaluate: Evaluate) -> None:
    code = """\
    import pickle
    class Point:
        def __init__(self, x): self.x = x
    pickle.loads(pickle.dumps(Point(3))).x
    """
    assert evaluate(code).result == "3"


def test_random_numbers_go_on_from_a_seed(evaluate: Evaluate) -> None:
    evaluate("import random\nrandom.seed(1)")
    assert evaluate("random.random()").result == "0.13436424411240122"
    assert evaluate("random.random()").result == "0.8474337369372327"


def test_figures_are_pictures_in_their_places(evaluate: Evaluate) -> None:
    code = """\
    import matplotlib.pyplot as plt
    for count in range(2):
        plt.plot([1, 2, count])
        print("figure", count)
        plt.show()
    figure = plt.figure()
    figure.gca().plot([1, 2])
    """
    outcome = evaluate(code, EvaluationLimits(seconds=60))
    kinds = [output.kind for output in outcome.outputs]
    assert kinds == ["print", "picture", "print", "picture", "picture"]
    assert all(output.data[:4] == b"\x89PNG" for output in outcome.outputs if output.data)
    assert evaluate("import os\nos.environ.get('MPLBACKEND')").result is None
    again = evaluate("figure")
    assert [output.kind for output in again.outputs] == ["picture"]
    assert again.result is None


def test_images_and_rich_values_are_shown_as_what_they_are(evaluate: Evaluate) -> None:
    image = evaluate("from PIL import Image\nImage.new('RGB', (10, 10))")
    assert [output.mime for output in image.outputs] == ["image/png"]
    code = """\
    class Rich:
        def _repr_markdown_(self): return "**bold**"
    class Html:
        def _repr_html_(self): return "<style>x</style><p>a <b>b</b></p><tr><td>c</td></tr>"
    class Drawn:
        def _repr_svg_(self): return "<svg/>"
    class Broken:
        def _repr_png_(self): raise ValueError
        def __repr__(self): return "broken"
    display(Rich()); display(Broken())
    Html()
    """
    outcome = evaluate(code)
    assert texts(outcome) == ["**bold**\nbroken"]
    assert outcome.result == "a b\nc"
    assert evaluate("Drawn()").outputs == (
        EvaluationOutput("picture", data=b"<svg/>", mime="image/svg+xml"),
    )


def test_a_picture_that_is_too_large_is_reported_in_its_place(evaluate: Evaluate) -> None:
    code = """\
    class Large:
        def _repr_png_(self): return b"\\x89PNG\\r\\n\\x1a\\n" + bytes(5 << 20)
    print("before"); display(Large()); print("after")
    """
    assert texts(evaluate(code)) == [
        "before\n[An image of 5.0 MiB was omitted. Make it smaller to see it.]\nafter"
    ]


def test_an_invalid_picture_is_shown_as_text(evaluate: Evaluate) -> None:
    code = """\
    class Mislabelled:
        def _repr_png_(self): return b"no picture"
        def __repr__(self): return "mislabelled"
    Mislabelled()
    """
    outcome = evaluate(code)
    assert (outcome.outputs, outcome.result) == ((), "mislabelled")


def test_a_value_that_cannot_be_shown_fails_and_says_where(evaluate: Evaluate) -> None:
    outcome = evaluate("class Odd:\n    def __repr__(self): return 1 / 0\nOdd()")
    assert outcome.status == "failed"
    assert texts(outcome)[0].splitlines()[-1] == "ZeroDivisionError: division by zero"


def test_data_frames_are_tables_that_are_cut(evaluate: Evaluate) -> None:
    code = "import pandas as pd\npd.DataFrame({'a|b': range(3), 'c': [0.5, None, 2 / 3]})"
    assert evaluate(code, EvaluationLimits(seconds=60)).result == (
        "|  | a\\|b | c |\n| --- | --- | --- |\n| 0 | 0 | 0.5 |\n| 1 | 1 | nan |\n"
        "| 2 | 2 | 0.666667 |\n\nDataFrame of 3 rows, 2 columns (int64, float64)"
    )
    wide = evaluate("pd.DataFrame([[0] * 100] * 1000)").result
    assert wide is not None
    assert len(wide.splitlines()) == 25
    assert len(wide.splitlines()[0].split("|")) == 18
    series = evaluate("pd.Series([1], name='s')").result
    assert series == "|  | s |\n| --- | --- |\n| 0 | 1 |\n\nSeries of 1 row (int64)"


HOSTILE = {
    "prints for ever": ("while True: print('x' * 1000)", "timed-out"),
    "computes for ever": ("while True: pass", "timed-out"),
    "ignores interrupts": (
        "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass",
        "timed-out",
    ),
    "catches interrupts": (
        "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
        "timed-out",
    ),
    "ends itself": ("import os\nos._exit(3)", "quit"),
    "exits": ("raise SystemExit(2)", "quit"),
    "kills itself": ("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", "crashed"),
    "crashes": ("import ctypes\nctypes.string_at(0)", "crashed"),
    "stops itself": ("import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)", "timed-out"),
    "overflows its stack": ("import faulthandler\nfaulthandler._stack_overflow()", "crashed"),
    "takes all memory": ("x = []\nwhile True: x.append(bytearray(1 << 24))", "out-of-memory"),
    "closes descriptors": ("import os\nos.closerange(0, 800)", "crashed"),
    "closes all descriptors": ("import os\nos.closerange(0, 5000)", "crashed"),
    "writes to descriptors": (
        (
            "import os\nfor each in range(3, 40):\n    try: os.write(each, b'garbage' * 9)\n"
            "    except OSError: pass\nwhile True: pass"
        ),
        "crashed",
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_code_that_does_not_end_well_is_reverted(evaluate: Evaluate, name: str) -> None:
    code, status = HOSTILE[name]
    evaluate("kept = 'before'")
    seconds = 1.5 if status == "timed-out" else 30
    outcome = evaluate(
        f"kept = 'after'\n{code}", EvaluationLimits(seconds=seconds, memory_bytes=1 << 29)
    )
    assert outcome.status == status
    assert outcome.note.endswith(BACK)
    assert evaluate("print('again'); kept").result == "'before'"


TRICKY = {
    "forks": "import os\npid = os.fork()\nif pid: os.waitpid(pid, 0)\nelse: print('child')",
    "forks and fails": "import os\npid = os.fork()\nif pid: os.waitpid(pid, 0)\nelse: 1/0",
    "deletes its directory": (
        "import os, tempfile\nplace = tempfile.mkdtemp()\nos.chdir(place)\nos.rmdir(place)"
    ),
    "closes its streams": "import sys\nsys.stdout.close()\nsys.stderr.close()",
    "closes its output": "import os\nos.close(1)\nos.close(2)",
    "replaces its output": "import sys, io\nsys.stdout = io.StringIO()\nsys.stderr = None",
    "replaces builtins": (
        "import builtins\nfor name in ('len', 'repr', 'isinstance', 'print', '__import__', 'open',"
        " 'compile', 'eval', 'type', 'Exception', 'str'):\n    setattr(builtins, name, None)"
    ),
    "clears the builtins": "import builtins\nvars(builtins).clear()",
    "clears the modules": "import sys\nsys.modules.clear()",
    "puts in other modules": "import sys\nfor name in list(sys.modules): sys.modules[name] = 5",
    "limits recursion": "import sys\nsys.setrecursionlimit(60)",
    "traces": "import sys\ndef trace(*args): 1/0\nsys.setprofile(trace)",
    "deletes its names": "globals().clear()",
    "changes signals": (
        "import signal\nfor each in (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD):\n"
        "    signal.signal(each, signal.SIG_IGN)"
    ),
    "recurses": "def f(): return f()\nf()",
    "raises what it should not": "raise BaseException('odd')",
    "raises a group": "raise ExceptionGroup('g', [ValueError(1), TypeError(2)])",
    "raises what has no text": "class E(Exception):\n    def __str__(self): 1/0\nraise E",
    "lowers its limits": "import resource\nresource.setrlimit(resource.RLIMIT_NOFILE, (20, 20))",
    "changes what tells failures": "import traceback\ntraceback.TracebackException = None\n1/0",
    "kills its parent": "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)",
    "leaves generators": "def g():\n    try: yield\n    finally: 1/0\nnext(g())",
}


@pytest.mark.parametrize("name", TRICKY)
def test_code_that_breaks_its_own_process_leaves_one_that_works(python: Engine, name: str) -> None:
    kernel = python.start(LIMITS)
    try:
        outcome = kernel.evaluate(TRICKY[name], LIMITS)
        assert outcome.status in {"done", "failed"}, outcome
        after = kernel.evaluate("print('again', len([1]))\nimport json\njson.dumps(5)", LIMITS)
        assert (after.status, after.result, texts(after)[-1:]) == ("done", "'5'", ["again 1"])
        stopped = kernel.evaluate("while True: pass", EvaluationLimits(seconds=0.3))
        assert (stopped.status, stopped.note.endswith(BACK)) == ("timed-out", True)
    finally:
        kernel.close()


def test_what_was_set_back_is_reported(evaluate: Evaluate) -> None:
    assert texts(evaluate("import builtins\nbuiltins.len = None")) == [
        "Changed by the code, and restored: builtins.len"
    ]
    assert texts(evaluate("import os\nos.close(1)")) == [
        "Closed by the code, and reopened: standard output"
    ]


def test_who_puts_an_answer_instead_of_input_keeps_it(python: Engine) -> None:
    kernel = python.start(LIMITS)
    try:
        put = kernel.evaluate("import builtins\nbuiltins.input = lambda *_: '5'", LIMITS)
        assert texts(put) == []
        assert kernel.evaluate("input('Number? ')", LIMITS).result == "'5'"
    finally:
        kernel.close()


def test_threads_go_on_and_then_nothing_is_reverted(python: Engine) -> None:
    kernel = python.start(LIMITS)
    try:
        kernel.evaluate(
            "import threading\nevent = threading.Event()\n"
            "thread = threading.Thread(target=event.wait, name='worker')\nthread.start()",
            LIMITS,
        )
        outcome = kernel.evaluate("x = 1\nwhile True: pass", EvaluationLimits(seconds=0.3))
        assert outcome.status == "timed-out"
        assert outcome.note.endswith(
            "Changes made until then were kept: the process could not be rolled back "
            "because threads are still running in the background (worker)."
        )
        assert kernel.evaluate("x, thread.is_alive()", LIMITS).result == "(1, True)"
        kernel.evaluate("event.set()\nthread.join()", LIMITS)
        assert kernel.evaluate(
            "x = 2\nwhile True: pass", EvaluationLimits(seconds=0.3)
        ).note.endswith(BACK)
        assert kernel.evaluate("x", LIMITS).result == "1"
    finally:
        kernel.close()


def test_programs_that_were_started_can_be_waited_for_later(python: Engine) -> None:
    kernel = python.start(LIMITS)
    try:
        program = "['sh', '-c', 'read x; exit 3']"
        kernel.evaluate(f"import subprocess\nchild = subprocess.Popen({program}, stdin=-1)", LIMITS)
        assert kernel.evaluate("child.poll()", LIMITS).result is None
        assert kernel.evaluate("child.communicate(b'\\n'); child.wait()", LIMITS).result == "3"
    finally:
        kernel.close()


def test_libraries_with_threads_of_their_own_are_not_forked_in_the_middle(
    python: Engine,
) -> None:
    kernel = python.start(LIMITS)
    try:
        code = "import numpy\nm = numpy.ones((600, 600))\n(m @ m)[0, 0]"
        for _ in range(3):
            assert kernel.evaluate(code, LIMITS).result == "np.float64(600.0)"
    finally:
        kernel.close()


def test_there_is_no_network_unless_it_is_allowed(python: Engine) -> None:
    code = "import socket\nsocket.socket().getsockname()"
    for network, status in ((False, "failed"), (True, "done")):
        kernel = python.start(EvaluationLimits(network=network))
        try:
            assert kernel.evaluate(code, EvaluationLimits(network=network)).status == status
        finally:
            kernel.close()


def test_an_error_for_want_of_the_network_says_what_can_be_done(evaluate: Evaluate) -> None:
    code = "from urllib.request import urlopen\nurlopen('http://127.0.0.1:9')"
    (told,) = texts(evaluate(code))
    assert told.endswith("The operator of the server can enable it: option AllowNetwork.)")


def test_without_forks_what_is_stopped_ends_the_kernel(python: Engine) -> None:
    module = "paddock.kernels.child.python.interpreter"
    directory = Path(python.directory)
    kernel = start_worker(
        "python", module, LIMITS, python=sys.executable, is_forkless=True, directory=directory
    )
    try:
        outcome = kernel.evaluate("import os\nprint('a')\nos.getcwd()", LIMITS)
        assert (outcome.result, texts(outcome)) == (repr(python.directory), ["a"])
        state = kernel.dump_state()
        outcome = kernel.evaluate("while True: pass", EvaluationLimits(seconds=0.3))
        assert (outcome.status, kernel.is_alive) == ("timed-out", False)
    finally:
        kernel.close()
    assert state is not None
    other = python.start(LIMITS)
    try:
        other.restore(state)
        assert other.evaluate("os.name", LIMITS).result == repr(os.name)
    finally:
        other.close()


def test_child_modules_compile_with_python_3_8_and_import_the_standard_library_only() -> None:
    # `_typeshed`-like imports under TYPE_CHECKING are never executed and may name anything.
    for file in (KERNELS / "child").rglob("*.py"):
        tree = ast.parse(file.read_text(), str(file), feature_version=(3, 8))
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("paddock"):
                assert (node.module or "").startswith("paddock.kernels.child"), (file, node.module)
