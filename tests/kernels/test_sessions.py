"""Sessions: what lasts from call to call, and from one server to the next."""

import dataclasses
import os
import stat
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from paddock.files import FileBusyError, lock_file
from paddock.kernels.engine import Capability, Engine
from paddock.kernels.kernel import (
    EvaluationControl,
    EvaluationLimits,
    EvaluationResult,
    KernelError,
)
from paddock.kernels.sessions import RetentionPolicy, SessionManager
from paddock.kernels.wolfram.line_evaluator import evaluate_line
from tests.kernels.processes import Watched, next_line, run_program

LIMITS = EvaluationLimits(seconds=30)
FULL = (
    "The session could not be saved (File too large); "
    "it continues, but will be lost when the server ends."
)


class Call(EvaluationResult, frozen=True, kw_only=True):
    """The result of a call, with the state of its session."""

    session: str
    how: str
    line: int
    session_notes: tuple[str, ...]


def call(sessions: SessionManager, engine: Engine, session: str | None, code: str) -> Call:
    """Evaluate one expression as a tool would."""
    with sessions.open_session(session, engine) as found:
        line = found.next_line
        outcome = found.evaluate(code, LIMITS)
        return Call(
            outcome.status,
            outcome.result,
            outcome.outputs,
            notes=outcome.notes,
            session=found.id,
            how=found.status,
            line=line,
            session_notes=tuple(found.notes),
        )


def test_a_call_without_an_id_gets_a_new_session(sessions: SessionManager, engine: Engine) -> None:
    first = call(sessions, engine, None, "x = 5")
    assert (first.how, first.line, first.result) == ("new", 1, "5")
    assert len(first.session) == 8
    assert first.session[0].isalpha()
    second = call(sessions, engine, first.session, "x")
    assert (second.how, second.line, second.result) == ("continued", 2, "5")
    other = call(sessions, engine, None, "x")
    assert (other.session != first.session, other.how, other.result) == (True, "new", "x")


@pytest.mark.parametrize("session", ["", "1abc", "a/b", "../x", "a" * 65, "a b", "ä"])
def test_an_id_that_no_session_can_have_gets_a_new_one(
    sessions: SessionManager, engine: Engine, session: str
) -> None:
    found = call(sessions, engine, session, "1")
    assert (found.how, found.session != session) == ("new", True)


def test_an_id_that_nothing_is_known_of_is_used(sessions: SessionManager, engine: Engine) -> None:
    first = call(sessions, engine, "Mine_1", "x = 5")
    assert (first.session, first.how) == ("Mine_1", "reused")
    assert call(sessions, engine, "Mine_1", "x").how == "continued"


def test_definitions_lines_and_history_are_there_after_a_restart(
    open_sessions: Callable[[], SessionManager], engine: Engine
) -> None:
    before = open_sessions()
    call(before, engine, "mine", 'x = "five"')
    call(before, engine, "mine", "f[n_] := {x, n}")
    call(before, engine, "mine", "1/0")
    before.close()
    after = open_sessions()
    found = call(after, engine, "mine", "f[3]")
    assert (found.how, found.line, found.result) == ("resumed-new-kernel", 4, '{"five", 3}')
    with after.open_session("mine", engine) as session:
        assert [(entry.line, entry.code, entry.result) for entry in session.entries] == [
            (1, 'x = "five"', '"five"'),
            (2, "f[n_] := {x, n}", "Null"),
            (3, "1/0", "ComplexInfinity"),
            (4, "f[3]", '{"five", 3}'),
        ]
        assert session.entries[2].outputs[0].text.startswith("Power::infy: ")


def test_expressions_of_one_input_have_one_line(sessions: SessionManager, engine: Engine) -> None:
    with sessions.open_session(None, engine) as session:
        session.evaluate("1", LIMITS, source="1\n%")
        session.evaluate("(1)", LIMITS, line=1, source="1\n%")
        assert session.next_line == 2
        assert session.evaluate_unrecorded("2", LIMITS).result == "2"
        assert session.next_line == 2
        assert [(entry.code, entry.source) for entry in session.entries] == [
            ("1", "1\n%"),
            ("(1)", "1\n%"),
        ]


def test_an_evaluation_that_was_reverted_counts_as_a_line_and_is_not_repeated(
    open_sessions: Callable[[], SessionManager], engine: Engine
) -> None:
    before = open_sessions()
    call(before, engine, "mine", "x = 5")
    with before.open_session("mine", engine) as session:
        assert (
            session.evaluate("x = 6; While[True]", EvaluationLimits(seconds=0.3)).status
            == "timed-out"
        )
    assert call(before, engine, "mine", "x").result == "5"
    before.close()
    found = call(open_sessions(), engine, "mine", "x")
    assert (found.line, found.result, found.note) == (4, "5", "")


def test_a_server_that_is_killed_mid_call_loses_that_call_only(
    sessions: SessionManager, engine: Engine
) -> None:
    program = """
from paddock.kernels.wolfram.engines import find_woxi
from paddock.kernels.kernel import EvaluationControl, EvaluationLimits
from paddock.kernels.sessions import SessionManager
sessions = SessionManager()
with sessions.open_session("mine", find_woxi()) as session:
    for number in range(20):
        session.evaluate(f"x[{number}] = {number}", EvaluationLimits())
    code, limits = "x[0] = 1000; While[True]", EvaluationLimits()
    session.evaluate(code, limits, EvaluationControl(on_progress=lambda _: print(flush=True)))
"""
    with run_program(program) as server:
        next_line(server)
        server.kill()
    found = call(sessions, engine, "mine", "Total[Table[x[n], {n, 0, 19}]]")
    assert (found.how, found.line, found.result) == ("resumed-new-kernel", 21, "190")


def test_two_processes_take_turns_in_one_session(sessions: SessionManager, engine: Engine) -> None:
    program = """
import sys
from paddock.kernels.wolfram.engines import find_woxi
from paddock.kernels.kernel import EvaluationLimits
from paddock.kernels.sessions import SessionManager
sessions = SessionManager()
print(flush=True)
for line in sys.stdin:
    with sessions.open_session("mine", find_woxi()) as session:
        outcome = session.evaluate(line, EvaluationLimits())
        print(session.status, session.next_line, outcome.result, flush=True)
sessions.close()
"""
    with run_program(program) as other:
        next_line(other)

        def ask(code: str) -> str:
            assert other.stdin is not None
            print(code, file=other.stdin, flush=True)
            return next_line(other)

        assert call(sessions, engine, "mine", "x = 1").line == 1
        assert ask("x = x + 1") == "resumed-new-kernel 3 2"
        found = call(sessions, engine, "mine", "x = x + 1")
        assert (found.how, found.line, found.result) == ("resumed", 3, "3")
        assert ask("x = x + 1") == "resumed 5 4"


def test_what_has_effects_is_never_repeated(
    open_sessions: Callable[[], SessionManager], engine: Engine, tmp_path: Path
) -> None:
    """One server evaluates; another goes on; both are killed, and a third goes on."""
    file = tmp_path / "effects"
    first, second = open_sessions(), open_sessions()
    call(second, engine, "mine", "x = 1")
    value = call(
        first, engine, "mine", f'Run["echo one >> {file}"]; r = RandomInteger[10^9]'
    ).result
    assert call(second, engine, "mine", "r").result == value
    call(first, engine, "mine", f'note[text_] := Run["echo " <> text <> " >> {file}"]')
    call(first, engine, "mine", 'note["two"]')
    found = call(second, engine, "mine", "{r, x}")
    assert (found.result, found.note) == (f"{{{value}, 1}}", "")
    assert file.read_text() == "one\ntwo\n"
    third = open_sessions()
    found = call(third, engine, "mine", 'note["three"]; {r, x}')
    assert (found.result, found.note) == (f"{{{value}, 1}}", "")
    assert file.read_text() == "one\ntwo\nthree\n"


def test_what_has_effects_and_was_not_saved_is_left_out_and_told(
    open_sessions: Callable[[], SessionManager], engine: Engine
) -> None:
    before = open_sessions()
    for code in ("x = 5", "r = RandomInteger[{7, 7}]", "y = r + x"):
        call(before, engine, "mine", code)
    before.close()
    (before.directory / "mine.state").unlink()
    found = call(open_sessions(), engine, "mine", "{x, r, y}")
    assert (found.result, found.note) == (
        "{5, r, 5 + r}",
        (
            "Evaluations with side effects are not replayed; definitions that only they contain "
            "are missing (evaluations of line 2). "
            "The replay gave different results (evaluations of line 3)."
        ),
    )


def test_repeating_can_be_cancelled_and_continues_in_the_next_call(
    open_sessions: Callable[[], SessionManager], engine: Engine
) -> None:
    before = open_sessions()
    call(before, engine, "mine", "n = 0; While[n < 2*10^5, n++]; n")
    call(before, engine, "mine", "x = n + 1")
    before.close()
    (before.directory / "mine.state").unlink(missing_ok=True)
    after = open_sessions()
    with after.open_session("mine", engine) as session:
        asked = iter([False] * 2)
        outcome = session.evaluate("x", LIMITS, EvaluationControl(lambda: next(asked, True)))
        assert outcome.status == "cancelled"
    assert call(after, engine, "mine", "x").result == "200001"


def test_saving_gives_way_to_calls_and_reading_saves_nothing(
    sessions: SessionManager, engine: Engine
) -> None:
    state = sessions.directory / "mine.state"
    call(sessions, engine, "mine", "r = RandomInteger[10^9]")
    saved = state.stat().st_mtime_ns
    for code in ("r", "r + 1", "f[x_] := x + r", "f[1]"):
        call(sessions, engine, "mine", code)
    with sessions.open_session("mine", engine) as session:
        assert session.dump_state() is None
        session.evaluate("h = RandomReal[1, 10^5]; 1", LIMITS)
        assert session.dump_state(is_cancelled=lambda: True) is None
        assert session.evaluate("Length[h]", LIMITS).result == "100000"
        assert state.stat().st_mtime_ns == saved
    sessions.close()
    assert state.stat().st_mtime_ns > saved


def test_long_texts_are_not_kept(sessions: SessionManager, engine: Engine) -> None:
    call(sessions, engine, "mine", 'Print[StringRepeat["a", 10^6]]; StringRepeat["b", 2*10^6]')
    assert (sessions.directory / "mine.jsonl").stat().st_size < 50_000
    with sessions.open_session("mine", engine) as session:
        (entry,) = session.entries
        assert (entry.is_cut, len(entry.result or ""), len(entry.outputs[0].text)) == (
            True,
            10_000,
            10_000,
        )
        assert evaluate_line(session, "Head[%]", LIMITS).result == "Missing"


def test_a_session_in_use_elsewhere_is_waited_for_with_progress(
    sessions: SessionManager, engine: Engine
) -> None:
    program = """
import sys
from paddock.kernels.wolfram.engines import find_woxi
from paddock.kernels.sessions import SessionManager
with SessionManager().open_session("mine", find_woxi()):
    print(flush=True)
    sys.stdin.readline()
"""
    with run_program(program) as other:
        next_line(other)
        with (
            pytest.raises(FileBusyError, match="in use by another server"),
            sessions.open_session("mine", engine, seconds=0),
        ):
            pass
        with (
            pytest.raises(KernelError, match="cancelled"),
            sessions.open_session("mine", engine, control=EvaluationControl(lambda: True)),
        ):
            pass

        def end_other(_seconds: float) -> None:
            assert other.stdin is not None
            print(file=other.stdin, flush=True)

        with sessions.open_session(
            "mine", engine, control=EvaluationControl(on_progress=end_other)
        ) as session:
            assert session.status == "reused"


def test_calls_of_one_session_wait_for_each_other(sessions: SessionManager, engine: Engine) -> None:
    call(sessions, engine, "mine", "x = 0")
    with ThreadPoolExecutor(8) as threads:
        calls = [threads.submit(call, sessions, engine, "mine", "x = x + 1") for _ in range(16)]
    assert sorted(int(found.result().result or 0) for found in calls) == list(range(1, 17))


def test_fifty_sessions_at_once(sessions: SessionManager, engine: Engine) -> None:
    begun = threading.Barrier(50)

    def use(number: int) -> list[str | None]:
        begun.wait()
        mine = f"session{number}"
        call(sessions, engine, mine, f"x = {number}")
        return [call(sessions, engine, mine, "x").result for _ in range(3)]

    with ThreadPoolExecutor(50) as threads:
        found = list(threads.map(use, range(50)))
    assert found == [[str(number)] * 3 for number in range(50)]


def test_a_kernel_that_was_killed_is_replaced_and_the_user_told(
    sessions: SessionManager, engine: Engine
) -> None:
    call(sessions, engine, "mine", "x = 5")
    with sessions.open_session("mine", engine) as session:
        guard = session.describe()["guard"]
        assert isinstance(guard, int)
    Watched(guard).kill()
    found = call(sessions, engine, "mine", "x")
    assert (found.result, found.how) == ("5", "resumed-new-kernel")


def test_a_kernel_that_is_killed_during_an_evaluation_is_replaced(
    sessions: SessionManager, engine: Engine
) -> None:
    call(sessions, engine, "mine", "x = 5")
    with sessions.open_session("mine", engine) as session:
        guard = session.describe()["guard"]
        assert isinstance(guard, int)
        watched = Watched(guard)
        outcome = session.evaluate(
            "x = 6; While[True]",
            LIMITS,
            EvaluationControl(
                on_progress=lambda _: watched.kill() if watched.is_running() else None
            ),
        )
        assert outcome.status == "crashed"
        assert outcome.note == (
            "The kernel has ended. "
            "The next evaluation uses a new kernel with the definitions from before this one."
        )
        assert session.evaluate("x", LIMITS).result == "5"


def test_leave_to_use_the_network_keeps_the_definitions(
    sessions: SessionManager, engine: Engine
) -> None:
    with sessions.open_session(None, engine) as session:
        session.evaluate("x = 5", LIMITS)
        assert session.describe()["network"] is False
        assert session.evaluate("x", EvaluationLimits(network=True)).result == "5"
        assert session.describe()["network"] is True


def test_kernels_of_idle_sessions_are_closed_when_there_are_too_many(engine: Engine) -> None:
    sessions = SessionManager(max_kernels=2)
    try:
        for name in ("one", "two", "three"):
            call(sessions, engine, name, f'x = "{name}"')
        assert call(sessions, engine, "three", "x").how == "continued"
        found = call(sessions, engine, "one", "x")
        assert (found.how, found.result, found.line) == ("resumed-new-kernel", '"one"', 2)
    finally:
        sessions.close()


def test_kernels_that_need_licences_are_few(sessions: SessionManager, engine: Engine) -> None:
    capabilities: frozenset[Capability] = frozenset({"state", "rollback", "evaluation"})
    licensed = dataclasses.replace(engine, name="licensed", capabilities=capabilities)
    call(sessions, engine, "free", "x = 0")
    for name in ("one", "two", "three"):
        call(sessions, licensed, name, f'x = "{name}"')
    assert call(sessions, licensed, "one", "x").how == "resumed-new-kernel"
    assert call(sessions, engine, "free", "x").how == "continued"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
def test_no_one_else_may_read_a_session(sessions: SessionManager, engine: Engine) -> None:
    call(sessions, engine, "mine", "x = RandomInteger[9]")
    sessions.close()
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in sessions.directory.iterdir()}
    assert modes == {"mine.jsonl": 0o600, "mine.state": 0o600}


def test_a_torn_last_line_is_ignored(
    open_sessions: Callable[[], SessionManager], engine: Engine
) -> None:
    before = open_sessions()
    call(before, engine, "mine", "x = 5")
    call(before, engine, "mine", "x = 6")
    before.close()
    file = before.directory / "mine.jsonl"
    file.write_bytes(file.read_bytes()[:-10])
    found = call(open_sessions(), engine, "mine", "x")
    assert (found.line, found.result, found.session_notes) == (2, "5", ())
    assert file.read_bytes().count(b"\n") == 3


@pytest.mark.parametrize("content", [b"", b"nonsense\n", b'{"schema":9}\n', b"\xff" * 5000])
def test_a_broken_file_is_moved_aside_and_told(
    sessions: SessionManager, engine: Engine, content: bytes
) -> None:
    sessions.directory.mkdir(parents=True)
    file = sessions.directory / "mine.jsonl"
    file.write_bytes(content)
    found = call(sessions, engine, "mine", "x = 5")
    assert (found.how, found.line, found.result) == ("new" if content else "reused", 1, "5")
    assert len(found.session_notes) == (1 if content else 0)
    if content:
        aside = file.with_name("mine.jsonl.broken")
        assert aside.read_bytes() == content
        assert str(aside) in found.session_notes[0]
    assert call(sessions, engine, "mine", "x").how == "continued"


def test_a_broken_line_is_left_out_and_told_and_the_rest_is_kept(
    open_sessions: Callable[[], SessionManager], engine: Engine
) -> None:
    before = open_sessions()
    for code in ("r = RandomInteger[10^9]", "x = 5", "y = RandomInteger[10^9] + r", "{r, y}"):
        known = call(before, engine, "mine", code)
    before.close()
    file = before.directory / "mine.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    broken = b"".join([*lines[:2], b'{"line":2,"co\xff\n', *lines[3:]])
    file.write_bytes(broken)
    after = open_sessions()
    found = call(after, engine, "mine", "{r, y}")
    assert (found.how, found.line, found.result) == ("resumed-new-kernel", 5, known.result)
    aside = file.with_name("mine.jsonl.broken")
    assert found.session_notes == (
        (
            "Line 3 of this session's journal could not be read and was removed. "
            f"The original file was copied to {aside}."
        ),
    )
    assert aside.read_bytes() == broken
    assert call(after, engine, "mine", "x").session_notes == ()
    after.close()
    file.write_bytes(b"nonsense\n" + file.read_bytes())
    again = open_sessions()
    found = call(again, engine, "mine", "{r, y}")
    assert (found.line, found.result) == (7, known.result)
    assert aside.read_bytes() == broken
    assert file.with_name("mine.jsonl.broken2").exists()


@pytest.mark.parametrize("line", [-5, 0, 10**12])
def test_a_line_number_that_cannot_be_is_not_believed(
    sessions: SessionManager, engine: Engine, line: int
) -> None:
    call(sessions, engine, "mine", "x = 5")
    file = sessions.directory / "mine.jsonl"
    other = f'{{"line":{line},"code":"x = 6","status":"done"}}\n'
    file.write_bytes(file.read_bytes() + other.encode())
    found = call(sessions, engine, "mine", "x")
    assert (found.line, found.result, len(found.session_notes)) == (2, "5", 1)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such pipes")
@pytest.mark.parametrize("ending", ["jsonl", "state"])
def test_a_pipe_instead_of_a_file_is_not_waited_for(
    sessions: SessionManager, engine: Engine, ending: str
) -> None:
    sessions.directory.mkdir(parents=True)
    os.mkfifo(sessions.directory / f"mine.{ending}")
    assert call(sessions, engine, "mine", "x = RandomInteger[{5, 5}]").result == "5"
    found = call(sessions, engine, "mine", "x")
    assert found.result == "5"
    assert found.note + " ".join(found.session_notes)


def test_a_state_of_evaluations_that_were_lost_is_not_believed(
    open_sessions: Callable[[], SessionManager], engine: Engine
) -> None:
    before = open_sessions()
    call(before, engine, "mine", "x = 5; y = RandomInteger[]")
    call(before, engine, "mine", "x = 7; y = RandomInteger[]")
    before.close()
    file, state = before.directory / "mine.jsonl", before.directory / "mine.state"
    kept = state.read_bytes()
    file.write_bytes(file.read_bytes()[:-20])
    after = open_sessions()
    call(after, engine, "mine", "x = 100; fresh = 1; y = RandomInteger[]")
    after.close()
    state.write_bytes(kept)
    found = call(open_sessions(), engine, "mine", "{x, fresh}")
    assert (found.line, found.result) == (3, "{x, fresh}")
    assert "lines 1, 2" in found.note


def test_a_broken_state_is_made_good_by_the_journal(
    open_sessions: Callable[[], SessionManager], engine: Engine
) -> None:
    before = open_sessions()
    call(before, engine, "mine", "x = 5")
    before.close()
    (before.directory / "mine.state").write_bytes(b"nonsense")
    assert call(open_sessions(), engine, "mine", "x").result == "5"


def test_a_session_goes_on_when_its_file_was_deleted(
    sessions: SessionManager, engine: Engine
) -> None:
    call(sessions, engine, "mine", "x = 5")
    file = sessions.directory / "mine.jsonl"
    before = file.read_bytes()
    file.unlink()
    found = call(sessions, engine, "mine", "x")
    assert (found.how, found.line, found.result) == ("continued", 2, "5")
    assert file.read_bytes().startswith(before)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
def test_a_full_disk_changes_no_result_and_is_reported(
    sessions: SessionManager, engine: Engine
) -> None:
    program = """
import resource, signal, sys
from paddock.kernels.wolfram.engines import find_woxi
from paddock.kernels.kernel import EvaluationLimits
from paddock.kernels.sessions import SessionManager
engine, sessions = find_woxi(), SessionManager()
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
def call(code):
    with sessions.open_session("mine", engine) as session:
        outcome = session.evaluate(code, EvaluationLimits())
        print(session.status, outcome.result, outcome.note, sep="|", flush=True)
call("x = 5")
size = (sessions.directory / "mine.jsonl").stat().st_size
limits = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (size + 20, limits[1]))
call("x = 6")
resource.setrlimit(resource.RLIMIT_FSIZE, limits)
call("x = x + 1")
sessions.close()
"""
    with run_program(program) as server:
        told = [next_line(server) for _ in range(3)]
    assert told == [
        "reused|5|",
        f"continued|6|{FULL}",
        "continued|7|",
    ]
    found = call(sessions, engine, "mine", "x")
    assert (found.line, found.result) == (4, "7")


def test_a_directory_that_cannot_be_used_changes_no_result(tmp_path: Path, engine: Engine) -> None:
    (tmp_path / "file").write_text("")
    sessions = SessionManager(tmp_path / "file" / "sessions")
    try:
        first = call(sessions, engine, None, "x = 5")
        assert (first.result, first.how) == ("5", "new")
        assert "could not be saved" in first.note
        assert call(sessions, engine, first.session, "x").result == "5"
    finally:
        sessions.close()


@pytest.mark.parametrize(
    ("keeping", "left"),
    [
        (RetentionPolicy(max_age_seconds=1000), {"new", "newer", "current"}),
        (RetentionPolicy(max_sessions=1), {"newer", "current"}),
        (RetentionPolicy(max_total_bytes=2500), {"newer", "new", "current"}),
        (RetentionPolicy(None, None, None), {"old", "new", "newer", "current"}),
    ],
)
def test_old_sessions_are_deleted_but_never_one_in_use(
    engine: Engine, keeping: RetentionPolicy, left: set[str]
) -> None:
    sessions = SessionManager(retention=keeping)
    try:
        call(sessions, engine, "current", "x = 5")
        now = (sessions.directory / "current.jsonl").stat().st_mtime
        for name, age in {"old": 5000, "new": 500, "newer": 100}.items():
            file = sessions.directory / f"{name}.jsonl"
            with lock_file(file):  # which leaves a file, as each call does
                file.write_bytes(b"x" * 1000)
            os.utime(file, (now - age, now - age))
        (sessions.directory / "other.txt").write_text("mine")
        assert set(sessions.prune()) == {"old", "new", "newer"} - left
        locks = list((sessions.directory.parent / "locks").iterdir())
        assert len(locks) == len(left)
        names = {path.stem for path in sessions.directory.iterdir()}
        assert names == left | {"other"}
    finally:
        sessions.close()
