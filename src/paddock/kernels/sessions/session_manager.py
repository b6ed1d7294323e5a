"""Names of sessions: short, safe in a path and in a context of the Wolfram Language.

Opening sessions: which one a call gets, alone, and what happens to those that are not in use.

Errors of this bookkeeping never change a result; they become notes.
"""

from __future__ import annotations

import atexit
import contextlib
import re
import secrets
import string
import threading
import time
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from paddock.directories import get_data_directory
from paddock.files import DataDirectoryError, FileBusyError, lock_file, write_atomically
from paddock.kernels.kernel import (
    PROGRESS_INTERVAL_SECONDS,
    KernelError,
    ignore_progress,
    never_cancelled,
)
from paddock.kernels.pool import KernelPool
from paddock.kernels.sessions.journal import BrokenJournalError, read_saved_state
from paddock.kernels.sessions.retention import (
    RetentionPolicy,
    delete_expired_sessions,
    delete_saved_state,
    find_free_broken_path,
)
from paddock.kernels.sessions.session import EvaluationSession

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from paddock.kernels.engine import Engine
    from paddock.kernels.kernel import EvaluationLimits, Kernel
    from paddock.kernels.sessions.session import SessionStatus


SESSION_ID_LENGTH = 8
_SESSION_ID_PATTERN = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")
_FIRST_ID_CHARACTERS = string.ascii_lowercase
_ID_CHARACTERS = string.ascii_lowercase + string.digits
"""No upper case: some file systems do not tell it from lower case."""


def generate_session_id() -> str:
    """An id that nobody guesses: a letter, then letters and digits."""
    rest = (secrets.choice(_ID_CHARACTERS) for _ in range(SESSION_ID_LENGTH - 1))
    return secrets.choice(_FIRST_ID_CHARACTERS) + "".join(rest)


def is_valid_session_id(session_id: str) -> bool:
    """Whether a session may have this id."""
    return _SESSION_ID_PATTERN.fullmatch(session_id) is not None


MAX_KERNELS = 16
MAX_LICENSED_KERNELS = 2
"""Kernels at once of an engine that does not run in any number."""
BUSY_TIMEOUT_SECONDS = 60.0
"""How long a session that is in use elsewhere is waited for."""
SAVE_DELAY_SECONDS = 0.25
"""How long after a call its definitions are saved, so that calls in a row do not wait for it."""
_LOCK_TIMEOUT_SECONDS = 0.1
_FILE_LOCK_POLL_SECONDS = 0.05


class _SessionSlot:
    """A session of this process, and who may use it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.session: EvaluationSession | None = None
        self.last_used_at = 0.0
        self.waiting_calls = 0
        self.had_kernel = False
        self.was_empty = True
        self.is_broken = False
        """Whether something of it could not be read at the beginning of this call."""


class SessionManager:
    """The sessions in a directory, and the kernels of those that are in use here."""

    def __init__(
        self,
        directory: Path | None = None,
        *,
        pool: KernelPool | None = None,
        keeping: RetentionPolicy | None = None,
        maximum_kernels: int = MAX_KERNELS,
    ) -> None:
        self.directory = Path(get_data_directory(), "sessions") if directory is None else directory
        self.retention = RetentionPolicy() if keeping is None else keeping
        self.pool = KernelPool() if pool is None else pool
        self._max_kernels = maximum_kernels
        self._slots: dict[str, _SessionSlot] = {}
        self._engine_names_by_session: dict[str, str] = {}
        """Sessions that have a kernel, and of which engine."""
        self._save_due_times: dict[str, float] = {}
        self._condition = threading.Condition()
        self._saver: threading.Thread | None = None
        self._is_closed = False

    @contextlib.contextmanager
    def open_session(
        self,
        session_id: str | None,
        engine: Engine,
        *,
        seconds: float = BUSY_TIMEOUT_SECONDS,
        is_cancelled: Callable[[], bool] = never_cancelled,
        on_wait: Callable[[float], None] = ignore_progress,
    ) -> Iterator[EvaluationSession]:
        """The session for a call, which has it to itself until the end of the block.

        Without an id, or with one that no session can have, it is a fresh one under a new id. A
        session that another process uses is waited for so many seconds.

        Raises:
            FileBusyError: when another process uses it for too long.
            KernelError: when the call is cancelled while it waits.
        """
        is_given = session_id is not None and is_valid_session_id(session_id)
        found = session_id if is_given and session_id is not None else generate_session_id()
        waiting = _SessionWait(seconds, is_cancelled, on_wait)
        place = self._claim_slot(found)
        try:
            with contextlib.ExitStack() as stack:
                waiting.acquire_lock(place.lock)
                stack.callback(place.lock.release)
                session = self._prepare_session(found, engine, place, stack, waiting)
                session.status = _get_session_status(session, place, is_given=is_given)
                try:
                    yield session
                finally:
                    self._finish_call(place, session)
        finally:
            self._release_slot(found, place)

    def get_saved_engine_name(self, session_id: str) -> str | None:
        """The name of the engine that has saved the state of a session, if there is one."""
        if not is_valid_session_id(session_id):
            return None
        found = read_saved_state(self.directory / f"{session_id}.state")
        return None if found is None else found.engine

    def prune(self) -> list[str]:
        """Delete old sessions and give their ids; those that are open here stay."""
        with self._condition:
            current = frozenset(self._slots)
        return delete_expired_sessions(self.directory, self.retention, current)

    def close(self) -> None:
        """Save what is not saved yet, and end all kernels."""
        with self._condition:
            self._is_closed = True
            self._condition.notify_all()
            places = list(self._slots.values())
        for place in places:
            is_ours = place.lock.acquire(timeout=1.0)
            if place.session is not None:
                if is_ours:
                    _save_state(place.session)
                place.session.close_kernel()
            if is_ours:
                place.lock.release()
        self.pool.close()

    def _claim_slot(self, session_id: str) -> _SessionSlot:
        with self._condition:
            place = self._slots.setdefault(session_id, _SessionSlot())
            place.waiting_calls += 1
            return place

    def _release_slot(self, session_id: str, place: _SessionSlot) -> None:
        """Forget a session that has nothing here which is not in its file."""
        with self._condition:
            place.waiting_calls -= 1
            session = place.session
            if session is not None and session.has_kernel:
                return
            self._engine_names_by_session.pop(session_id, None)
            self._condition.notify_all()
            if place.waiting_calls == 0 and (session is None or session.is_journal_saved):
                self._slots.pop(session_id, None)

    def _prepare_session(
        self,
        session_id: str,
        engine: Engine,
        place: _SessionSlot,
        stack: contextlib.ExitStack,
        waiting: _SessionWait,
    ) -> EvaluationSession:
        session = place.session
        if session is None:
            session = EvaluationSession(session_id, engine, self.directory, self._start_kernel)
            place.session = session
        session.notes = session.pop_notices()
        place.had_kernel = session.has_kernel
        place.was_empty = not session.entries
        try:
            waiting.lock_file(session.journal_path, stack)
        except DataDirectoryError as error:
            session.notes.append(f"Other processes are not kept from this session: {error}.")
        session.switch_engine(engine)
        place.is_broken = not self._read_new_entries(session)
        return session

    def _read_new_entries(self, session: EvaluationSession) -> bool:
        """Read what others have done; whether all that there is could be read."""
        try:
            unreadable = session.read_new_entries()
        except FileNotFoundError:
            session.restart_journal()
        except BrokenJournalError as error:
            session.notes.append(self._move_broken_journal(session, str(error)))
            session.restart_journal()
            return False
        except OSError as error:
            why = error.strerror or error
            session.notes.append(f"What was saved of this session cannot be read: {why}.")
            return False
        else:
            if unreadable:
                session.notes.append(self._repair_journal(session, unreadable))
                return False
        return True

    def _repair_journal(self, session: EvaluationSession, unreadable: tuple[int, ...]) -> str:
        """Go on without the lines that cannot be read, and keep the file as it was."""
        path = session.journal_path
        numbers = ", ".join(str(number) for number in unreadable)
        which = f"{'line' if len(unreadable) == 1 else 'lines'} {numbers}"
        text = f"In the file of this session {which} cannot be read and was left out"
        try:
            aside = find_free_broken_path(path)
            write_atomically(aside, path.read_bytes())
            session.repair_journal()
        except OSError as error:
            return f"{text}; it stays as it is: {error.strerror or error}."
        return f"{text}. The file as it was is {aside}."

    def _move_broken_journal(self, session: EvaluationSession, why: str) -> str:
        path = session.journal_path
        aside = find_free_broken_path(path)
        try:
            path.replace(aside)
        except OSError as error:
            return f"The file of this session is broken: {why}; it stays: {error}."
        delete_saved_state(self.directory, session.id)  # nothing says what it is the state of
        return f"The file of this session is broken: {why}. It was moved to {aside}."

    def _finish_call(self, place: _SessionSlot, session: EvaluationSession) -> None:
        """Leave a session so that others can go on with it."""
        session.finish_call()
        place.last_used_at = time.monotonic()
        with self._condition:
            self._save_due_times[session.id] = place.last_used_at + SAVE_DELAY_SECONDS
            if self._saver is None and not self._is_closed:
                self._saver = threading.Thread(
                    target=self._run_saver, name="paddock-sessions", daemon=True
                )
                self._saver.start()

    def _start_kernel(
        self,
        session_id: str,
        engine: Engine,
        limits: EvaluationLimits,
        is_cancelled: Callable[[], bool],
    ) -> Kernel:
        """Start a kernel when there is room for one."""
        self._reserve_kernel(session_id, engine, is_cancelled)
        try:
            return self.pool.acquire(engine, limits)
        except KernelError:
            with self._condition:
                self._engine_names_by_session.pop(session_id, None)
                self._condition.notify_all()
            raise

    def _reserve_kernel(
        self, session_id: str, engine: Engine, is_cancelled: Callable[[], bool]
    ) -> None:
        is_scarce = "many" not in engine.capabilities
        while True:
            with self._condition:
                others = [
                    name
                    for each, name in self._engine_names_by_session.items()
                    if each != session_id
                ]
                is_full = len(others) >= self._max_kernels
                is_used_up = is_scarce and others.count(engine.name) >= MAX_LICENSED_KERNELS
                if not is_full and not is_used_up:
                    self._engine_names_by_session[session_id] = engine.name
                    return
            if self._close_idle_kernel(engine.name if is_used_up else None):
                continue
            if is_cancelled():
                raise KernelError("the call was cancelled while it waited for a kernel")
            with self._condition:
                self._condition.wait(_LOCK_TIMEOUT_SECONDS)

    def _close_idle_kernel(self, engine_name: str | None) -> bool:
        """End the kernel of the session, of that engine, that has not been used for longest."""
        with self._condition:
            places = [
                (name, self._slots.get(name))
                for name, engine in self._engine_names_by_session.items()
                if engine_name in {None, engine}
            ]
        idle = [(name, place) for name, place in places if place and not place.waiting_calls]
        for name, place in sorted(idle, key=lambda item: item[1].last_used_at):
            if not place.lock.acquire(
                timeout=_LOCK_TIMEOUT_SECONDS
            ):  # its definitions may be being saved
                continue
            try:
                if place.session is not None:
                    _save_state(place.session)
                    place.session.close_kernel()
                with self._condition:
                    self._engine_names_by_session.pop(name, None)
                    if place.waiting_calls == 0 and (
                        place.session is None or place.session.is_journal_saved
                    ):
                        self._slots.pop(name, None)
            finally:
                place.lock.release()
            return True
        return False

    def _run_saver(self) -> None:
        """Save the definitions of sessions some time after their last call, and delete old ones."""
        while True:
            with self._condition:
                now = time.monotonic()
                due = [name for name, when in self._save_due_times.items() if when <= now]
                if not due:
                    if self._is_closed:
                        return
                    # Nobody wakes this up: a call shall not wait for two threads to take turns.
                    self._condition.wait(SAVE_DELAY_SECONDS)
                    continue
                for name in due:
                    del self._save_due_times[name]
            for name in due:
                self._save_session(name)
            self.prune()

    def _save_session(self, session_id: str) -> None:
        place = self._slots.get(session_id)
        if place is None or place.session is None or not place.lock.acquire(blocking=False):
            return  # a call is using it, which has it saved afterwards
        try:
            is_done = _save_state(place.session, lambda: place.waiting_calls > 0)
        finally:
            place.lock.release()
        if not is_done and place.waiting_calls == 0:
            with self._condition:
                self._save_due_times.setdefault(session_id, time.monotonic() + SAVE_DELAY_SECONDS)


class _SessionWait:
    """Waits for a session that is in use, as long as the call that wants it may and will."""

    def __init__(
        self, seconds: float, is_cancelled: Callable[[], bool], on_wait: Callable[[float], None]
    ) -> None:
        self._seconds = seconds
        self._is_cancelled = is_cancelled
        self._on_wait = on_wait
        self._started_at = time.monotonic()
        self._last_report_at = self._started_at

    def acquire_lock(self, lock: threading.Lock) -> None:
        """Wait for another call in this process, which has its own limit."""
        while not lock.acquire(timeout=_LOCK_TIMEOUT_SECONDS):
            self._check_and_report()

    def lock_file(self, path: Path, stack: contextlib.ExitStack) -> None:
        """Wait for another process."""
        while True:
            try:
                stack.enter_context(lock_file(path, seconds=0))
            except FileBusyError:
                if time.monotonic() - self._started_at >= self._seconds:
                    seconds = f"{self._seconds:g} s"
                    raise FileBusyError(
                        f"the session has been evaluating in another server for {seconds}",
                        where=str(path),
                        hint="try again later, or use another session",
                    ) from None
                self._check_and_report()
                time.sleep(_FILE_LOCK_POLL_SECONDS)
            else:
                return

    def _check_and_report(self) -> None:
        if self._is_cancelled():
            raise KernelError("the call was cancelled while it waited for its session")
        now = time.monotonic()
        if now - self._last_report_at >= PROGRESS_INTERVAL_SECONDS:
            self._last_report_at = now
            self._on_wait(now - self._started_at)


def _get_session_status(
    session: EvaluationSession, place: _SessionSlot, *, is_given: bool
) -> SessionStatus:
    if not session.entries:
        is_unknown = is_given and place.was_empty and not place.had_kernel
        return "reused" if is_unknown and not place.is_broken else "new"
    if not place.had_kernel:
        return "resumed-new-kernel"
    return "resumed" if session.is_kernel_behind else "continued"


def _save_state(
    session: EvaluationSession, is_cancelled: Callable[[], bool] = never_cancelled
) -> bool:
    """Save the definitions if need be; false when another process has the session just now.

    What goes wrong is told in the next call.
    """
    state = session.dump_state(is_cancelled=is_cancelled)
    if state is None:
        return True
    try:
        with lock_file(session.journal_path, seconds=0):
            session.queue_notice(session.save_state(state))
    except FileBusyError:
        return False
    except DataDirectoryError:
        session.queue_notice(session.save_state(state))
    return True


@cache
def get_shared_session_manager() -> SessionManager:
    """The sessions of this process, in the user's directory; closed when it ends."""
    found = SessionManager()
    atexit.register(found.close)
    return found
