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
from paddock.files import DataDirectoryError, locked
from paddock.kernels.kernel import KernelError
from paddock.kernels.pool import Pool
from paddock.kernels.sessions.ids import is_valid, new_id
from paddock.kernels.sessions.journal import BrokenJournalError
from paddock.kernels.sessions.pruning import Keeping, delete, prune
from paddock.kernels.sessions.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from paddock.kernels.engines.engine import Engine
    from paddock.kernels.kernel import Kernel
    from paddock.kernels.limits import Limits

MAXIMUM_KERNELS = 16
SAVE_SECONDS = 0.25
"""How long after a call its definitions are saved, so that calls in a row do not wait for it."""
_WAIT = 0.1


class _Place:
    """A session of this process, and who may use it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.session: Session | None = None
        self.used = 0.0
        self.waiting = 0


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
        self._holding: set[str] = set()
        self._due: dict[str, float] = {}
        self._changed = threading.Condition()
        self._saver: threading.Thread | None = None
        self._is_closed = False

    @contextlib.contextmanager
    def using(self, session_id: str | None, engine: Engine) -> Iterator[Session]:
        """The session for a call, which has it to itself until the end of the block.

        Without an id, or with one that no session can have, it is a fresh one under a new id.

        Raises:
            FileBusyError: when another process uses it for too long.
        """
        is_given = session_id is not None and is_valid(session_id)
        found = session_id if is_given and session_id is not None else new_id()
        place = self._enter(found)
        try:
            with place.lock, contextlib.ExitStack() as stack:
                session = self._open(found, engine, place, stack, is_given=is_given)
                try:
                    yield session
                finally:
                    self._put_back(place, session)
        finally:
            self._leave(found, place)

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
                    place.session.save_state()
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
            self._holding.discard(session_id)
            self._changed.notify_all()
            if place.waiting == 0 and (session is None or session.is_saved):
                self._places.pop(session_id, None)

    def _open(
        self,
        session_id: str,
        engine: Engine,
        place: _Place,
        stack: contextlib.ExitStack,
        *,
        is_given: bool,
    ) -> Session:
        session = place.session
        if session is None:
            session = Session(session_id, engine, self.directory, self._start_kernel)
            place.session = session
        session.notes = session.take_late_notes()
        session.use_engine(engine)
        had_kernel = session.has_kernel
        before = len(session.history)
        try:
            stack.enter_context(locked(session.journal_path))
        except DataDirectoryError as error:
            session.notes.append(f"Other processes are not kept from this session: {error}.")
        self._catch_up(session)
        if not session.history:
            session.status = "reused" if is_given and before == 0 and not had_kernel else "new"
        elif not had_kernel:
            session.status = "resumed-new-kernel"
        else:
            session.status = "continued" if len(session.history) == before else "resumed"
        return session

    def _catch_up(self, session: Session) -> None:
        try:
            session.catch_up()
        except FileNotFoundError:
            session.start_anew()
        except BrokenJournalError as error:
            session.notes.append(self._move_aside(session, str(error)))
            session.start_anew()
        except OSError as error:
            why = error.strerror or error
            session.notes.append(f"What was saved of this session cannot be read: {why}.")

    def _move_aside(self, session: Session, why: str) -> str:
        path = session.journal_path
        aside = path.with_name(path.name + ".broken")
        try:
            path.replace(aside)
        except OSError as error:
            return f"The file of this session is broken: {why}; it stays: {error}."
        delete(self.directory, session.id)
        return f"The file of this session is broken: {why}. It was moved to {aside}."

    def _put_back(self, place: _Place, session: Session) -> None:
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
        self._make_room(session_id, is_cancelled)
        try:
            return self.pool.take(engine, limits)
        except KernelError:
            with self._changed:
                self._holding.discard(session_id)
                self._changed.notify_all()
            raise

    def _make_room(self, session_id: str, is_cancelled: Callable[[], bool]) -> None:
        while True:
            with self._changed:
                if session_id in self._holding or len(self._holding) < self._maximum:
                    self._holding.add(session_id)
                    return
            if self._close_one_idle():
                continue
            if is_cancelled():
                raise KernelError("the call was cancelled while it waited for a kernel")
            with self._changed:
                self._changed.wait(_WAIT)

    def _close_one_idle(self) -> bool:
        """End the kernel of the session that has not been used for longest."""
        with self._changed:
            places = [(name, self._places.get(name)) for name in self._holding]
        idle = [(name, place) for name, place in places if place and not place.waiting]
        for name, place in sorted(idle, key=lambda item: item[1].used):
            if not place.lock.acquire(timeout=_WAIT):  # its definitions may be being saved
                continue
            try:
                if place.session is not None:
                    place.session.save_state()
                    place.session.drop_kernel()
                with self._changed:
                    self._holding.discard(name)
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
            place.session.save_late()
        finally:
            place.lock.release()


@cache
def shared_sessions() -> Sessions:
    """The sessions of this process, in the user's directory; closed when it ends."""
    found = Sessions()
    atexit.register(found.close)
    return found
