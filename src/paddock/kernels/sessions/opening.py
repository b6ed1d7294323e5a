"""Opening sessions: which one a call gets, alone, and what happens to those that are not in use.

Errors of this bookkeeping never change a result; they become notes.
"""

from __future__ import annotations

import atexit
import contextlib
import threading
import time
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from paddock.directories import data_directory
from paddock.files import DataDirectoryError, FileBusyError, locked, write_atomically
from paddock.kernels.kernel import WAIT_SECONDS, KernelError, ignore, never
from paddock.kernels.pool import Pool
from paddock.kernels.sessions.ids import is_valid, new_id
from paddock.kernels.sessions.journal import BrokenJournalError
from paddock.kernels.sessions.pruning import Keeping, broken_path, delete_state, prune
from paddock.kernels.sessions.saved_state import read_state
from paddock.kernels.sessions.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from paddock.kernels.engines.engine import Engine
    from paddock.kernels.kernel import Kernel
    from paddock.kernels.limits import Limits
    from paddock.kernels.sessions.session import SessionStatus

MAXIMUM_KERNELS = 16
MAXIMUM_LICENSED = 2
"""Kernels at once of an engine that does not run in any number."""
BUSY_SECONDS = 60.0
"""How long a session that is in use elsewhere is waited for."""
SAVE_SECONDS = 0.25
"""How long after a call its definitions are saved, so that calls in a row do not wait for it."""
_WAIT = 0.1
_POLL = 0.05


class _Place:
    """A session of this process, and who may use it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.session: Session | None = None
        self.used = 0.0
        self.waiting = 0
        self.had_kernel = False
        self.was_empty = True
        self.is_broken = False
        """Whether something of it could not be read at the beginning of this call."""


class Sessions:
    """The sessions in a directory, and the kernels of those that are in use here."""

    def __init__(
        self,
        directory: Path | None = None,
        *,
        pool: Pool | None = None,
        keeping: Keeping | None = None,
        maximum_kernels: int = MAXIMUM_KERNELS,
    ) -> None:
        self.directory = Path(data_directory(), "sessions") if directory is None else directory
        self.keeping = Keeping() if keeping is None else keeping
        self.pool = Pool() if pool is None else pool
        self._maximum = maximum_kernels
        self._places: dict[str, _Place] = {}
        self._holding: dict[str, str] = {}
        """Sessions that have a kernel, and of which engine."""
        self._due: dict[str, float] = {}
        self._changed = threading.Condition()
        self._saver: threading.Thread | None = None
        self._is_closed = False

    @contextlib.contextmanager
    def using(
        self,
        session_id: str | None,
        engine: Engine,
        *,
        seconds: float = BUSY_SECONDS,
        is_cancelled: Callable[[], bool] = never,
        on_wait: Callable[[float], None] = ignore,
    ) -> Iterator[Session]:
        """The session for a call, which has it to itself until the end of the block.

        Without an id, or with one that no session can have, it is a fresh one under a new id. A
        session that another process uses is waited for so many seconds.

        Raises:
            FileBusyError: when another process uses it for too long.
            KernelError: when the call is cancelled while it waits.
        """
        is_given = session_id is not None and is_valid(session_id)
        found = session_id if is_given and session_id is not None else new_id()
        waiting = _Waiting(seconds, is_cancelled, on_wait)
        place = self._enter(found)
        try:
            with contextlib.ExitStack() as stack:
                waiting.for_thread(place.lock)
                stack.callback(place.lock.release)
                session = self._open(found, engine, place, stack, waiting)
                session.status = _status(session, place, is_given=is_given)
                try:
                    yield session
                finally:
                    self._put_back(place, session)
        finally:
            self._leave(found, place)

    def saved_by(self, session_id: str) -> str | None:
        """The name of the engine that has saved the state of a session, if there is one."""
        if not is_valid(session_id):
            return None
        found = read_state(self.directory / f"{session_id}.state")
        return None if found is None else found.engine

    def prune(self) -> list[str]:
        """Delete old sessions and give their ids; those that are open here stay."""
        with self._changed:
            current = frozenset(self._places)
        return prune(self.directory, self.keeping, current)

    def close(self) -> None:
        """Save what is not saved yet, and end all kernels."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
            places = list(self._places.values())
        for place in places:
            is_ours = place.lock.acquire(timeout=1.0)
            if place.session is not None:
                if is_ours:
                    _save(place.session)
                place.session.drop_kernel()
            if is_ours:
                place.lock.release()
        self.pool.close()

    def _enter(self, session_id: str) -> _Place:
        with self._changed:
            place = self._places.setdefault(session_id, _Place())
            place.waiting += 1
            return place

    def _leave(self, session_id: str, place: _Place) -> None:
        """Forget a session that has nothing here which is not in its file."""
        with self._changed:
            place.waiting -= 1
            session = place.session
            if session is not None and session.has_kernel:
                return
            self._holding.pop(session_id, None)
            self._changed.notify_all()
            if place.waiting == 0 and (session is None or session.is_saved):
                self._places.pop(session_id, None)

    def _open(
        self,
        session_id: str,
        engine: Engine,
        place: _Place,
        stack: contextlib.ExitStack,
        waiting: _Waiting,
    ) -> Session:
        session = place.session
        if session is None:
            session = Session(session_id, engine, self.directory, self._start_kernel)
            place.session = session
        session.notes = session.take_late_notes()
        place.had_kernel = session.has_kernel
        place.was_empty = not session.history
        try:
            waiting.for_file(session.journal_path, stack)
        except DataDirectoryError as error:
            session.notes.append(f"Other processes are not kept from this session: {error}.")
        session.use_engine(engine)
        place.is_broken = not self._catch_up(session)
        return session

    def _catch_up(self, session: Session) -> bool:
        """Read what others have done; whether all that there is could be read."""
        try:
            unreadable = session.catch_up()
        except FileNotFoundError:
            session.start_anew()
        except BrokenJournalError as error:
            session.notes.append(self._move_aside(session, str(error)))
            session.start_anew()
            return False
        except OSError as error:
            why = error.strerror or error
            session.notes.append(f"What was saved of this session cannot be read: {why}.")
            return False
        else:
            if unreadable:
                session.notes.append(self._mend(session, unreadable))
                return False
        return True

    def _mend(self, session: Session, unreadable: tuple[int, ...]) -> str:
        """Go on without the lines that cannot be read, and keep the file as it was."""
        path = session.journal_path
        numbers = ", ".join(str(number) for number in unreadable)
        which = f"{'line' if len(unreadable) == 1 else 'lines'} {numbers}"
        text = f"In the file of this session {which} cannot be read and was left out"
        try:
            aside = broken_path(path)
            write_atomically(aside, path.read_bytes())
            session.mend()
        except OSError as error:
            return f"{text}; it stays as it is: {error.strerror or error}."
        return f"{text}. The file as it was is {aside}."

    def _move_aside(self, session: Session, why: str) -> str:
        path = session.journal_path
        aside = broken_path(path)
        try:
            path.replace(aside)
        except OSError as error:
            return f"The file of this session is broken: {why}; it stays: {error}."
        delete_state(self.directory, session.id)  # nothing says what it is the state of
        return f"The file of this session is broken: {why}. It was moved to {aside}."

    def _put_back(self, place: _Place, session: Session) -> None:
        """Leave a session so that others can go on with it."""
        session.end_call()
        place.used = time.monotonic()
        with self._changed:
            self._due[session.id] = place.used + SAVE_SECONDS
            if self._saver is None and not self._is_closed:
                self._saver = threading.Thread(
                    target=self._save_later, name="paddock-sessions", daemon=True
                )
                self._saver.start()

    def _start_kernel(
        self, session_id: str, engine: Engine, limits: Limits, is_cancelled: Callable[[], bool]
    ) -> Kernel:
        """Start a kernel when there is room for one."""
        self._make_room(session_id, engine, is_cancelled)
        try:
            return self.pool.take(engine, limits)
        except KernelError:
            with self._changed:
                self._holding.pop(session_id, None)
                self._changed.notify_all()
            raise

    def _make_room(self, session_id: str, engine: Engine, is_cancelled: Callable[[], bool]) -> None:
        is_scarce = "many" not in engine.capabilities
        while True:
            with self._changed:
                others = [name for each, name in self._holding.items() if each != session_id]
                is_full = len(others) >= self._maximum
                is_used_up = is_scarce and others.count(engine.name) >= MAXIMUM_LICENSED
                if not is_full and not is_used_up:
                    self._holding[session_id] = engine.name
                    return
            if self._close_one_idle(engine.name if is_used_up else None):
                continue
            if is_cancelled():
                raise KernelError("the call was cancelled while it waited for a kernel")
            with self._changed:
                self._changed.wait(_WAIT)

    def _close_one_idle(self, engine_name: str | None) -> bool:
        """End the kernel of the session, of that engine, that has not been used for longest."""
        with self._changed:
            places = [
                (name, self._places.get(name))
                for name, engine in self._holding.items()
                if engine_name in {None, engine}
            ]
        idle = [(name, place) for name, place in places if place and not place.waiting]
        for name, place in sorted(idle, key=lambda item: item[1].used):
            if not place.lock.acquire(timeout=_WAIT):  # its definitions may be being saved
                continue
            try:
                if place.session is not None:
                    _save(place.session)
                    place.session.drop_kernel()
                with self._changed:
                    self._holding.pop(name, None)
                    if place.waiting == 0 and (place.session is None or place.session.is_saved):
                        self._places.pop(name, None)
            finally:
                place.lock.release()
            return True
        return False

    def _save_later(self) -> None:
        """Save the definitions of sessions some time after their last call, and delete old ones."""
        while True:
            with self._changed:
                now = time.monotonic()
                due = [name for name, when in self._due.items() if when <= now]
                if not due:
                    if self._is_closed:
                        return
                    # Nobody wakes this up: a call shall not wait for two threads to take turns.
                    self._changed.wait(SAVE_SECONDS)
                    continue
                for name in due:
                    del self._due[name]
            for name in due:
                self._save(name)
            self.prune()

    def _save(self, session_id: str) -> None:
        place = self._places.get(session_id)
        if place is None or place.session is None or not place.lock.acquire(blocking=False):
            return  # a call is using it, which has it saved afterwards
        try:
            is_done = _save(place.session, lambda: place.waiting > 0)
        finally:
            place.lock.release()
        if not is_done and place.waiting == 0:
            with self._changed:
                self._due.setdefault(session_id, time.monotonic() + SAVE_SECONDS)


class _Waiting:
    """Waits for a session that is in use, as long as the call that wants it may and will."""

    def __init__(
        self, seconds: float, is_cancelled: Callable[[], bool], on_wait: Callable[[float], None]
    ) -> None:
        self._seconds = seconds
        self._is_cancelled = is_cancelled
        self._on_wait = on_wait
        self._begun = time.monotonic()
        self._told = self._begun

    def for_thread(self, lock: threading.Lock) -> None:
        """Wait for another call in this process, which has its own limit."""
        while not lock.acquire(timeout=_WAIT):
            self._go_on()

    def for_file(self, path: Path, stack: contextlib.ExitStack) -> None:
        """Wait for another process."""
        while True:
            try:
                stack.enter_context(locked(path, seconds=0))
            except FileBusyError:
                if time.monotonic() - self._begun >= self._seconds:
                    seconds = f"{self._seconds:g} s"
                    raise FileBusyError(
                        f"the session has been evaluating in another server for {seconds}",
                        where=str(path),
                        hint="try again later, or use another session",
                    ) from None
                self._go_on()
                time.sleep(_POLL)
            else:
                return

    def _go_on(self) -> None:
        if self._is_cancelled():
            raise KernelError("the call was cancelled while it waited for its session")
        now = time.monotonic()
        if now - self._told >= WAIT_SECONDS:
            self._told = now
            self._on_wait(now - self._begun)


def _status(session: Session, place: _Place, *, is_given: bool) -> SessionStatus:
    if not session.history:
        is_unknown = is_given and place.was_empty and not place.had_kernel
        return "reused" if is_unknown and not place.is_broken else "new"
    if not place.had_kernel:
        return "resumed-new-kernel"
    return "resumed" if session.is_behind else "continued"


def _save(session: Session, is_cancelled: Callable[[], bool] = never) -> bool:
    """Save the definitions if need be; false when another process has the session just now.

    What goes wrong is told in the next call.
    """
    state = session.take_state(is_cancelled=is_cancelled)
    if state is None:
        return True
    try:
        with locked(session.journal_path, seconds=0):
            session.tell_later(session.put_state(state))
    except FileBusyError:
        return False
    except DataDirectoryError:
        session.tell_later(session.put_state(state))
    return True


@cache
def shared_sessions() -> Sessions:
    """The sessions of this process, in the user's directory; closed when it ends."""
    found = Sessions()
    atexit.register(found.close)
    return found
