"""One session during a call: evaluates, numbers lines, keeps the journal, replaces lost kernels."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Literal

import msgspec

from paddock.kernels.kernel import KernelError, ignore, never
from paddock.kernels.sessions.journal import Entry, Header, Journal, Shown
from paddock.kernels.sessions.saved_state import SavedState, read_state, write_state

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from paddock.kernels.engines.engine import Engine
    from paddock.kernels.kernel import Kernel
    from paddock.kernels.limits import Limits
    from paddock.kernels.outcome import Outcome

    StartKernel = Callable[[str, Engine, Limits, Callable[[], bool]], Kernel]

SessionStatus = Literal["new", "continued", "resumed", "resumed-new-kernel", "reused"]
"""How a session came to a call: fresh under a new id; with its kernel; with its kernel, brought up
to date with what another process did; with another kernel than before; fresh under the id that was
given, because nothing is known of it."""

REPLAY_SECONDS = 30.0
"""How long evaluations of a journal may be repeated to have their definitions again."""


class Session:
    """What is known of one session; used by one call at a time."""

    def __init__(
        self, session_id: str, engine: Engine, directory: Path, start: StartKernel
    ) -> None:
        self.id = session_id
        self.engine = engine
        self.status: SessionStatus = "new"
        self.notes: list[str] = []
        """What the user must be told about this call's session, apart from outcomes."""
        self._start = start
        self._directory = directory
        self._journal = Journal(directory / f"{session_id}.jsonl")
        self._entries: list[Entry] = []
        self._unsaved: list[Entry] = []
        self._kernel: Kernel | None = None
        self._late_notes: list[str] = []
        self._known = 0
        """How many entries the kernel's state includes."""
        self._saved = 0
        """How many entries the state file includes."""

    @property
    def history(self) -> Sequence[Entry]:
        """All evaluations, oldest first."""
        return self._entries

    @property
    def line(self) -> int:
        """The number of the next line."""
        return self._entries[-1].line + 1 if self._entries else 1

    @property
    def journal_path(self) -> Path:
        """The file of the journal."""
        return self._journal.path

    @property
    def state_path(self) -> Path:
        """The file of the state."""
        return self._directory / f"{self.id}.state"

    @property
    def has_kernel(self) -> bool:
        """Whether a kernel is running for it."""
        return self._kernel is not None and self._kernel.is_alive

    @property
    def is_saved(self) -> bool:
        """Whether all of its journal is in its file."""
        return not self._unsaved

    def evaluate(
        self,
        code: str,
        limits: Limits,
        *,
        line: int | None = None,
        source: str = "",
        is_cancelled: Callable[[], bool] = never,
        on_wait: Callable[[float], None] = ignore,
    ) -> Outcome:
        """Evaluate one expression and write it into the journal.

        `line` is for further expressions of the same input: it gives them the number of the first.
        `source` is what the user wrote, where that is not the code.

        Raises:
            KernelError: when no kernel can be started.
        """
        number = self.line if line is None else line
        outcome, note = self._run(code, limits, is_cancelled, on_wait)
        entry = Entry(
            number,
            code,
            outcome.status,
            outcome.result,
            source,
            tuple(Shown(shown.kind, shown.text, shown.mime) for shown in outcome.outputs),
            outcome.seconds,
        )
        is_current = self._known == len(self._entries)
        self._entries.append(entry)
        if is_current:
            self._known = len(self._entries)
        notes = [note, outcome.note, self._write(entry)]
        return msgspec.structs.replace(outcome, note=" ".join(text for text in notes if text))

    def ask(
        self,
        code: str,
        limits: Limits,
        *,
        is_cancelled: Callable[[], bool] = never,
        on_wait: Callable[[float], None] = ignore,
    ) -> Outcome:
        """Evaluate in the session without a line number or a trace in the journal.

        Raises:
            KernelError: when no kernel can be started.
        """
        outcome, note = self._run(code, limits, is_cancelled, on_wait)
        return msgspec.structs.replace(outcome, note=f"{note} {outcome.note}".strip())

    def describe(self) -> dict[str, object]:
        """What is known of its kernel; empty when there is none."""
        return {} if self._kernel is None else self._kernel.describe()

    def catch_up(self) -> None:
        """Read what other processes have added; called at the beginning of each call.

        Raises:
            BrokenJournalError: when the journal cannot be understood.
            OSError: when it cannot be read; FileNotFoundError when there is none.
        """
        added, is_other = self._journal.read_new()
        if is_other and self._entries:
            # Pruned, moved or written anew by others: what is in the file is what counts.
            self._entries = []
            self.drop_kernel()
        self._entries += added

    def save_state(self) -> str:
        """Save the definitions if there are new ones; give a note when that cannot be done."""
        if self._kernel is None or self._saved == self._known or self._known != len(self._entries):
            return ""
        count = self._known
        definitions = self._kernel.state()
        if definitions is None:
            return ""
        state = SavedState(self.engine.name, self.engine.version, count, definitions)
        try:
            write_state(self.state_path, state)
        except OSError as error:
            return f"The session's definitions could not be saved: {error.strerror or error}."
        self._saved = count
        return ""

    def save_late(self) -> None:
        """Save the definitions after the call; what goes wrong is told in the next one."""
        if note := self.save_state():
            self._late_notes.append(note)

    def take_late_notes(self) -> list[str]:
        """What has to be told from after the last call."""
        notes, self._late_notes = self._late_notes, []
        return notes

    def use_engine(self, engine: Engine) -> None:
        """Go on with another engine than before, if it is another one."""
        if engine.name != self.engine.name:
            self.save_state()
            self.drop_kernel()
            self.engine = engine

    def drop_kernel(self) -> None:
        """End the kernel; the next evaluation gets another one."""
        kernel, self._kernel = self._kernel, None
        self._known = 0
        if kernel is not None:
            kernel.close()

    def start_anew(self) -> None:
        """Forget the journal that was there: it has been moved away."""
        self._journal = Journal(self._journal.path)
        self._unsaved = list(self._entries)

    def _run(
        self,
        code: str,
        limits: Limits,
        is_cancelled: Callable[[], bool],
        on_wait: Callable[[float], None],
    ) -> tuple[Outcome, str]:
        kernel, note = self._ready_kernel(limits, is_cancelled)
        outcome = kernel.evaluate(code, limits, is_cancelled=is_cancelled, on_wait=on_wait)
        if not kernel.is_alive:
            self.drop_kernel()
            text = "Another one takes over, with the definitions from before this evaluation."
            outcome = msgspec.structs.replace(outcome, note=f"{outcome.note} {text}".strip())
        return outcome, note

    def _ready_kernel(self, limits: Limits, is_cancelled: Callable[[], bool]) -> tuple[Kernel, str]:
        """A kernel with all that the session has defined, and what the user must know of it."""
        notes = []
        kernel = self._kernel
        if kernel is not None and not kernel.is_alive:
            notes.append("The kernel had been ended from outside; another one has taken over.")
            self.drop_kernel()
        elif kernel is not None and kernel.has_network != limits.network:
            self.save_state()
            self.drop_kernel()
        if self._kernel is None:
            self._kernel = self._start(self.id, self.engine, limits, is_cancelled)
            notes.append(self._restore(self._kernel))
        if self._known < len(self._entries):
            notes.append(self._replay(self._kernel, limits))
        return self._kernel, " ".join(note for note in notes if note)

    def _restore(self, kernel: Kernel) -> str:
        """Give a new kernel the saved definitions."""
        saved = read_state(self.state_path, self.engine.name) if self._entries else None
        if saved is None or saved.entries > len(self._entries):
            return ""
        try:
            kernel.restore(saved.definitions)
        except KernelError as error:
            return f"{error}; the session's evaluations were repeated instead."
        self._known = self._saved = saved.entries
        return ""

    def _replay(self, kernel: Kernel, limits: Limits) -> str:
        """Repeat what the kernel has not seen, silently and for a limited time."""
        end = time.monotonic() + REPLAY_SECONDS
        failed = 0
        for entry in self._entries[self._known :]:
            left = end - time.monotonic()
            if not entry.is_lasting:
                continue
            if left <= 0 or not kernel.is_alive:
                failed += 1
                continue
            outcome = kernel.evaluate(entry.code, msgspec.structs.replace(limits, seconds=left))
            failed += outcome.status not in {"done", "failed"}
        self._known = len(self._entries)
        if not failed:
            return ""
        return f"{failed} earlier evaluations of this session could not be repeated."

    def _write(self, entry: Entry) -> str:
        self._unsaved.append(entry)
        header = Header(self.id, self.engine.name, self.engine.version)
        try:
            self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._journal.append(header, self._unsaved)
        except OSError as error:
            return (
                f"The session could not be saved ({error.strerror or error}); "
                "it goes on, and will be lost when the server ends."
            )
        self._unsaved = []
        return ""
