"""Session manager: opens sessions for calls, assigns kernels, and saves idle sessions.

Errors in this bookkeeping never change an evaluation's result. They become notes.
"""

from __future__ import annotations

import atexit
import contextlib
import re
import secrets
import string
import threading
import time
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from paddock.directories import get_data_directory
from paddock.files import DataDirectoryError, FileBusyError, lock_file
from paddock.kernels.kernel import (
    DEFAULT_CONTROL,
    EvaluationControl,
    EvaluationWatch,
    KernelError,
    never_cancelled,
)
from paddock.kernels.pool import KernelPool
from paddock.kernels.sessions.journal import read_saved_state
from paddock.kernels.sessions.retention import RetentionPolicy, delete_expired_sessions
from paddock.kernels.sessions.session import EvaluationSession

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.kernels.engine import Engine
    from paddock.kernels.kernel import CancelCheck, EvaluationLimits, Kernel

SESSION_ID_LENGTH = 8
_SESSION_ID_PATTERN = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")
_FIRST_ID_CHARACTERS = string.ascii_lowercase
_ID_CHARACTERS = string.ascii_lowercase + string.digits
"""Only lower case, because some file systems ignore case."""
MAX_KERNELS = 16
MAX_LICENSED_KERNELS = 2
"""Limit for engines without the capability `many`, whose kernels occupy licences."""
BUSY_TIMEOUT_SECONDS = 60.0
"""How long to wait for a session that another process is using."""
SAVE_DELAY_SECONDS = 0.25
"""Delay before the state is saved, so that calls in quick succession do not wait for it."""
_LOCK_TIMEOUT_SECONDS = 0.1
_FILE_LOCK_POLL_SECONDS = 0.05


def generate_session_id() -> str:
    """Return a new, unguessable session ID.

    It begins with a letter and consists of letters and digits.
    """
    characters = (secrets.choice(_ID_CHARACTERS) for _ in range(SESSION_ID_LENGTH - 1))
    return secrets.choice(_FIRST_ID_CHARACTERS) + "".join(characters)


def is_valid_session_id(session_id: str) -> bool:
    """Return whether an ID is safe in a file name and in a Wolfram Language context."""
    return _SESSION_ID_PATTERN.fullmatch(session_id) is not None


class _SessionSlot:
    """A session's slot in the manager, with the lock that a call holds while using the session.

    It exists before the session is created, so calls can wait for a session that is starting.
    """

    def __init__(self, session_id: str) -> None:
        self.session_id = session_id
        self.lock = threading.Lock()
        self.session: EvaluationSession | None = None
        self.last_used_at = 0.0
        self.pending_calls = 0
        """Number of calls that use the session or wait for it."""
        self.kernel_engine = ""
        """Name of the engine whose kernel the session has or is starting."""
        self.save_at = float("inf")
        """Time at which to save the session in the background, as a value of `time.monotonic`."""

    def has_unsaved_entries(self) -> bool:
        """Return whether some evaluations exist in memory only.

        This is the case if the journal, the file that records them, could not be written.
        """
        return self.session is not None and not self.session.is_journal_saved


class SessionManager:
    """Sessions in a directory, and the kernels of those that this process uses.

    A session is protected by two locks: its slot's lock excludes other calls in this process, and
    its journal file's lock excludes other processes.
    """

    def __init__(
        self,
        directory: Path | None = None,
        *,
        pool: KernelPool | None = None,
        retention: RetentionPolicy | None = None,
        max_kernels: int = MAX_KERNELS,
    ) -> None:
        self.directory = Path(get_data_directory(), "sessions") if directory is None else directory
        self.retention = RetentionPolicy() if retention is None else retention
        self.pool = KernelPool() if pool is None else pool
        self._max_kernels = max_kernels
        self._slots: dict[str, _SessionSlot] = {}
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
        control: EvaluationControl = DEFAULT_CONTROL,
    ) -> Iterator[EvaluationSession]:
        """Open a session for the exclusive use of one call.

        Other calls in this process and in other processes wait until the session is closed.

        Args:
            session_id: The ID of a session, which need not exist. If the ID is missing or invalid,
                the session is new and gets a new ID.
            engine: The engine to evaluate with.
            seconds: How long to wait while another process is using the session.
            control: Callbacks that let the caller cancel the wait and follow its progress.

        Raises:
            FileBusyError: Another process has been using the session for too long.
            KernelError: The call was cancelled while it was waiting.
        """
        is_requested = session_id is not None and is_valid_session_id(session_id)
        if session_id is None or not is_requested:
            session_id = generate_session_id()
        wait = _SessionWait(seconds, control)
        with contextlib.ExitStack() as stack:
            slot = stack.enter_context(self._claim_slot(session_id))
            wait.acquire_lock(slot.lock)
            stack.callback(slot.lock.release)
            if slot.session is None:
                start_kernel = partial(self._start_kernel, slot)
                slot.session = EvaluationSession(session_id, engine, self.directory, start_kernel)
            try:
                wait.lock_file(slot.session.journal_path, stack)
            except DataDirectoryError as error:
                # A file lock that cannot be created does not prevent the call.
                note = f"The session is not locked against other processes: {error}."
                slot.session.notes.append(note)
            slot.session.begin_call(engine, is_requested=is_requested)
            stack.callback(self._finish_call, slot, slot.session)
            yield slot.session

    def get_saved_engine_name(self, session_id: str) -> str | None:
        """Return the name of the engine that saved a session's state, or None if it has none."""
        if not is_valid_session_id(session_id):
            return None
        state = read_saved_state(self.directory / f"{session_id}.state")
        return None if state is None else state.engine

    def prune(self) -> list[str]:
        """Delete stored sessions beyond the retention limits, except open ones.

        Returns:
            The IDs of the deleted sessions.
        """
        with self._condition:
            open_session_ids = frozenset(self._slots)
        return delete_expired_sessions(self.directory, self.retention, open_session_ids)

    def close(self) -> None:
        """Save all sessions and end all kernels."""
        with self._condition:
            self._is_closed = True
            self._condition.notify_all()
            slots = list(self._slots.values())
        for slot in slots:
            # If a call still holds the lock after a second, its kernel is ended regardless. Its
            # session is not saved, because the evaluation is incomplete.
            is_locked = slot.lock.acquire(timeout=1.0)
            if slot.session is not None:
                if is_locked:
                    _save_state(slot.session)
                slot.session.close_kernel()
            if is_locked:
                slot.lock.release()
        self.pool.close()

    @contextlib.contextmanager
    def _claim_slot(self, session_id: str) -> Iterator[_SessionSlot]:
        """Provide a session's slot, creating it if it does not exist.

        The slot is not deleted while a call has claimed it.
        """
        with self._condition:
            slot = self._slots.setdefault(session_id, _SessionSlot(session_id))
            slot.pending_calls += 1
        try:
            yield slot
        finally:
            with self._condition:
                slot.pending_calls -= 1
                if slot.session is None or not slot.session.has_kernel:
                    self._release_kernel(slot)

    def _release_kernel(self, slot: _SessionSlot) -> None:
        """Record that a session no longer has a kernel, so that another session can start one.

        The session is also removed from memory if no call uses it and its journal is saved.
        """
        with self._condition:
            slot.kernel_engine = ""
            # The slot may have been replaced while its kernel was being closed.
            is_current = self._slots.get(slot.session_id) is slot
            if is_current and slot.pending_calls == 0 and not slot.has_unsaved_entries():
                del self._slots[slot.session_id]
            self._condition.notify_all()

    def _finish_call(self, slot: _SessionSlot, session: EvaluationSession) -> None:
        """Save a session at the end of a call, now or later in the background.

        The background thread waits for `SAVE_DELAY_SECONDS`, so it saves a session only once after
        multiple calls in quick succession.
        """
        session.finish_call()
        slot.last_used_at = time.monotonic()
        with self._condition:
            slot.save_at = slot.last_used_at + SAVE_DELAY_SECONDS
            if self._saver is None and not self._is_closed:
                self._saver = threading.Thread(
                    target=self._run_saver, name="paddock-sessions", daemon=True
                )
                self._saver.start()

    def _start_kernel(
        self,
        slot: _SessionSlot,
        engine: Engine,
        limits: EvaluationLimits,
        control: EvaluationControl,
    ) -> Kernel:
        """Start a kernel for a session, after waiting until the kernel limits permit it.

        Raises:
            KernelError: The kernel cannot be started, or the call was cancelled.
        """
        self._reserve_kernel(slot, engine, control)
        try:
            return self.pool.acquire(engine, limits)
        except KernelError:
            self._release_kernel(slot)
            raise

    def _reserve_kernel(
        self, slot: _SessionSlot, engine: Engine, control: EvaluationControl
    ) -> None:
        """Wait until a session may start a kernel, and register the kernel.

        If too many kernels are running, the least recently used idle one is ended. An engine
        without the capability `many`, whose licence limits the number of kernels, has its own
        maximum.

        Raises:
            KernelError: The call was cancelled while it was waiting.
        """
        is_licensed = "many" not in engine.capabilities
        while True:
            with self._condition:
                running_engines = [
                    other.kernel_engine
                    for other in self._slots.values()
                    if other is not slot and other.kernel_engine
                ]
                engine_count = running_engines.count(engine.name)
                is_licence_used = is_licensed and engine_count >= MAX_LICENSED_KERNELS
                if len(running_engines) < self._max_kernels and not is_licence_used:
                    slot.kernel_engine = engine.name
                    return
            if self._close_idle_kernel(engine.name if is_licence_used else None):
                continue
            if control.is_cancelled():
                raise KernelError("The call was cancelled while it was waiting for a kernel")
            with self._condition:
                self._condition.wait(_LOCK_TIMEOUT_SECONDS)

    def _close_idle_kernel(self, engine_name: str | None) -> bool:
        """End the least recently used kernel that no call uses, after saving its session.

        Args:
            engine_name: The engine of the kernel, or None for any engine.

        Returns:
            Whether a kernel was ended.
        """
        with self._condition:
            idle = [
                slot
                for slot in self._slots.values()
                if slot.kernel_engine and engine_name in {None, slot.kernel_engine}
                if not slot.pending_calls
            ]
        for slot in sorted(idle, key=lambda slot: slot.last_used_at):
            # The thread that saves sessions may hold the lock. In that case, another kernel is
            # ended.
            if not slot.lock.acquire(timeout=_LOCK_TIMEOUT_SECONDS):
                continue
            try:
                if slot.session is not None:
                    _save_state(slot.session)
                    slot.session.close_kernel()
                self._release_kernel(slot)
            finally:
                slot.lock.release()
            return True
        return False

    def _run_saver(self) -> None:
        """Save sessions shortly after their last call, and delete expired ones.

        Runs in a background thread until the manager is closed.
        """
        while True:
            with self._condition:
                now = time.monotonic()
                due_slots = [slot for slot in self._slots.values() if slot.save_at <= now]
                if not due_slots:
                    if self._is_closed:
                        return
                    # The thread polls, because a call that notified it would have to wait for a
                    # switch to this thread.
                    self._condition.wait(SAVE_DELAY_SECONDS)
                    continue
                for slot in due_slots:
                    slot.save_at = float("inf")
            for slot in due_slots:
                self._save_session(slot)
            self.prune()

    def _save_session(self, slot: _SessionSlot) -> None:
        """Save a session in the background, unless a call is using it.

        If another process uses the session, saving is scheduled again.
        """
        if slot.session is None or not slot.lock.acquire(blocking=False):
            return  # a call is using the session, and schedules a save when it ends
        try:
            is_done = _save_state(slot.session, lambda: slot.pending_calls > 0)
        finally:
            slot.lock.release()
        with self._condition:
            if not is_done and slot.pending_calls == 0:
                slot.save_at = min(slot.save_at, time.monotonic() + SAVE_DELAY_SECONDS)


class _SessionWait:
    """A call's wait for a session that another call or another process is using.

    The wait ends with an error if the client cancels the call, or after a time limit.
    """

    def __init__(self, seconds: float, control: EvaluationControl) -> None:
        self._seconds = seconds
        # The watch reports progress and checks for cancellation. No evaluation is running, so its
        # interrupt function does nothing.
        self._watch = EvaluationWatch(control, float("inf"), lambda _cause: 0.0)

    def acquire_lock(self, lock: threading.Lock) -> None:
        """Wait until no other call in this process is using the session, and acquire its lock.

        The other call has a time limit, so this wait does not need one.
        """
        while not lock.acquire(timeout=_LOCK_TIMEOUT_SECONDS):
            self._check_cancellation()

    def lock_file(self, path: Path, stack: contextlib.ExitStack) -> None:
        """Wait until no other process is using the session, and lock its journal file.

        Args:
            path: The session's journal file.
            stack: The stack that releases the lock when it is closed.

        Raises:
            FileBusyError: The other process did not finish in time.
            KernelError: The call was cancelled while it was waiting.
        """
        while True:
            try:
                stack.enter_context(lock_file(path, seconds=0))
            except FileBusyError:
                self._check_cancellation()
                if self._watch.elapsed_seconds >= self._seconds:
                    raise FileBusyError(
                        f"The session has been in use by another server for {self._seconds:g} s",
                        where=str(path),
                        hint="try again later, or use another session",
                    ) from None
                time.sleep(_FILE_LOCK_POLL_SECONDS)
            else:
                return

    def _check_cancellation(self) -> None:
        if not self._watch.check():
            raise KernelError("The call was cancelled while it was waiting for its session")


def _save_state(session: EvaluationSession, is_cancelled: CancelCheck = never_cancelled) -> bool:
    """Save a session's definitions if necessary.

    If writing fails, the session's next call returns a note for the user.

    Args:
        session: The session.
        is_cancelled: Check that returns True if saving should be delayed.

    Returns:
        Whether saving is finished. False means that another process is using the session.
    """
    state = session.dump_state(is_cancelled=is_cancelled)
    if state is None:
        return True
    try:
        with lock_file(session.journal_path, seconds=0):
            session.save_state(state)
    except FileBusyError:
        return False
    except DataDirectoryError:
        session.save_state(state)
    return True


@cache
def get_shared_session_manager() -> SessionManager:
    """Return this process's session manager, which is closed when the process ends."""
    manager = SessionManager()
    atexit.register(manager.close)
    return manager
