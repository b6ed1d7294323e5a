"""One session during a call: evaluates, numbers lines, keeps the journal, replaces lost kernels."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Literal

import msgspec

from paddock.kernels.kernel import (
    STATE_TIMEOUT_SECONDS,
    KernelError,
    ignore_progress,
    never_cancelled,
)
from paddock.kernels.sessions.journal import (
    Journal,
    JournalEntry,
    JournalHeader,
    SavedState,
    StoredOutput,
    read_saved_state,
    write_saved_state,
)
from paddock.kernels.sessions.side_effects import SideEffectScan

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from paddock.kernels.engine import Engine
    from paddock.kernels.kernel import EvaluationLimits, EvaluationResult, Kernel

    KernelStarter = Callable[[str, Engine, EvaluationLimits, Callable[[], bool]], Kernel]

SessionStatus = Literal["new", "continued", "resumed", "resumed-new-kernel", "reused"]
"""How a session came to a call: fresh under a new id; with its kernel; with its kernel, brought up
to date with what another process did; with another kernel than before; fresh under the id that was
given, because nothing is known of it."""

MAX_REPLAY_SECONDS = 30.0
"""How long evaluations of a journal may be repeated to have their definitions again."""
MAX_CHEAP_REPLAY_SECONDS = 0.5
"""What is repeated in less time than this is not saved as a state: nothing is more exact."""
_REPLAY_OVERHEAD_SECONDS = 0.003
"""What an evaluation takes besides the time in the engine."""
MAX_IMMEDIATE_SAVE_SECONDS = 0.5
"""How long a call waits for its state to be saved, when it cannot be repeated."""
_MAX_DEFERRED_SAVES = 5
"""How often saving gives way to a call before a call waits for it."""
MAX_RESULT_CHARACTERS = 1 << 20
LARGE_JOURNAL_BYTES = 32 << 20
"""From this size of a journal on, only the beginnings of long results are kept."""
MAX_SHORT_RESULT_CHARACTERS = 10_000
_LOCAL_SYMBOL_COUNTER = re.compile(r"\$\d+")
"""In names of local symbols, which are others each time."""


class EvaluationSession:
    """What is known of one session; used by one call at a time."""

    def __init__(
        self, session_id: str, engine: Engine, directory: Path, start: KernelStarter
    ) -> None:
        self.id = session_id
        self.engine = engine
        self.status: SessionStatus = "new"
        self.notes: list[str] = []
        """What the user must be told about this call's session, apart from outcomes."""
        self._start_kernel = start
        self._directory = directory
        self._journal = Journal(directory / f"{session_id}.jsonl")
        self._entries: list[JournalEntry] = []
        self._unsaved_entries: list[JournalEntry] = []
        self._kernel: Kernel | None = None
        self._queued_notices: list[str] = []
        self._kernel_entry_count = 0
        """How many entries the kernel's state includes."""
        self._saved_entry_count = 0
        """How many entries the state file includes."""
        self._side_effects = SideEffectScan()
        self._entry_has_effects: list[bool] = []
        """For each entry, whether it must not be repeated."""
        self._is_slow_to_save = False
        self._deferred_saves = 0

    @property
    def entries(self) -> Sequence[JournalEntry]:
        """All evaluations, oldest first."""
        return self._entries

    @property
    def next_line(self) -> int:
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
    def is_kernel_behind(self) -> bool:
        """Whether other processes have done something that its kernel does not know."""
        return self._kernel_entry_count < len(self._entries)

    @property
    def _is_saved_in_background(self) -> bool:
        """Whether no call waits for saving, because there is something to save after each."""
        return self.engine.language != "wolfram"

    @property
    def is_journal_saved(self) -> bool:
        """Whether all of its journal is in its file."""
        return not self._unsaved_entries

    def evaluate(
        self,
        code: str,
        limits: EvaluationLimits,
        *,
        line: int | None = None,
        source: str = "",
        is_cancelled: Callable[[], bool] = never_cancelled,
        on_wait: Callable[[float], None] = ignore_progress,
    ) -> EvaluationResult:
        """Evaluate one expression and write it into the journal.

        `line` is for further expressions of the same input: it gives them the number of the first.
        `source` is what the user wrote, where that is not the code.

        Raises:
            KernelError: when no kernel can be started.
        """
        number = self.next_line if line is None else line
        outcome, note = self._run_code(code, limits, is_cancelled, on_wait)
        is_current = not self.is_kernel_behind
        entry = self._build_entry(number, code, source, outcome)
        self._add_entries([entry])
        if is_current:
            self._kernel_entry_count = len(self._entries)
        notes = [note, outcome.note, self._write_entry(entry)]
        return msgspec.structs.replace(outcome, note=" ".join(text for text in notes if text))

    def evaluate_unrecorded(
        self,
        code: str,
        limits: EvaluationLimits,
        *,
        is_cancelled: Callable[[], bool] = never_cancelled,
        on_wait: Callable[[float], None] = ignore_progress,
    ) -> EvaluationResult:
        """Evaluate in the session without a line number or a trace in the journal.

        Raises:
            KernelError: when no kernel can be started.
        """
        outcome, note = self._run_code(code, limits, is_cancelled, on_wait)
        return msgspec.structs.replace(outcome, note=f"{note} {outcome.note}".strip())

    def describe(self) -> dict[str, object]:
        """What is known of its kernel; empty when there is none."""
        return {} if self._kernel is None else self._kernel.describe()

    def read_new_entries(self) -> tuple[int, ...]:
        """Read what other processes have added; called at the beginning of each call.

        Gives the numbers of the lines in the file that cannot be read.

        Raises:
            BrokenJournalError: when the journal cannot be understood.
            OSError: when it cannot be read; FileNotFoundError when there is none.
        """
        found = self._journal.read_new()
        if found.is_replaced and self._entries:
            # Pruned, moved or written anew by others: what is in the file is what counts.
            self._clear_entries()
            self.close_kernel()
        self._add_entries(found.entries)
        return found.unreadable_lines

    def repair_journal(self) -> None:
        """Write the journal anew, without what cannot be read in it.

        Raises:
            OSError: when it cannot be written.
        """
        self._journal.rewrite(self._build_header(), self._entries)

    def finish_call(self) -> None:
        """Save the definitions at once if they could not be had again by repeating.

        The caller has the session's lock, so that nobody sees the journal without them.
        """
        if self._is_saved_in_background or self._is_slow_to_save:
            return
        if not any(self._iter_committed_effects(self._saved_entry_count)):
            return
        state = self.dump_state(MAX_IMMEDIATE_SAVE_SECONDS)
        self._is_slow_to_save = state is None
        if state is not None and (note := self.save_state(state)):
            self._queued_notices.append(note)

    def dump_state(
        self,
        seconds: float = STATE_TIMEOUT_SECONDS,
        is_cancelled: Callable[[], bool] = never_cancelled,
    ) -> SavedState | None:
        """The definitions, if they have to be saved and can be told in time.

        It stops when it is cancelled, but not each time: somebody may call all the time.
        """
        is_known = self._kernel is not None and self._kernel_entry_count == len(self._entries)
        if self._kernel is None or not is_known or self._is_replay_cheap(self._saved_entry_count):
            return None
        count = self._kernel_entry_count
        has_given_way = False

        def give_way() -> bool:
            nonlocal has_given_way
            has_given_way = self._deferred_saves < _MAX_DEFERRED_SAVES and is_cancelled()
            return has_given_way

        begun = time.monotonic()
        definitions = self._kernel.state(seconds=seconds, is_cancelled=give_way)
        self._deferred_saves = self._deferred_saves + 1 if has_given_way else 0
        if definitions is None:
            return None
        self._is_slow_to_save = time.monotonic() - begun > MAX_IMMEDIATE_SAVE_SECONDS
        last = self._entries[count - 1].id
        return SavedState(self.engine.name, self.engine.version, last, definitions)

    def save_state(self, state: SavedState) -> str:
        """Write definitions beside the journal; give a note when that cannot be done.

        The caller has the session's lock. When others have written to the journal since, nothing is
        done: they know more.
        """
        count = state.count_included_entries(self._entries)
        try:
            if count == 0 or self._unsaved_entries or not self._journal.is_current():
                return ""
            self._journal.sync()  # a state without the evaluations that it includes is worthless
            write_saved_state(self.state_path, state)
        except OSError as error:
            return f"The definitions could not be saved: {error.strerror or error}."
        self._saved_entry_count = count
        return ""

    def queue_notice(self, note: str) -> None:
        """Have something told in the next call."""
        if note:
            self._queued_notices.append(note)

    def pop_notices(self) -> list[str]:
        """What has to be told from after the last call."""
        notes, self._queued_notices = self._queued_notices, []
        return notes

    def switch_engine(self, engine: Engine) -> None:
        """Go on with another engine than before, if it is another one."""
        if engine.name != self.engine.name:
            self._save_current_state()
            self.close_kernel()
            self.engine = engine
            self._saved_entry_count = 0

    def close_kernel(self) -> None:
        """End the kernel; the next evaluation gets another one."""
        kernel, self._kernel = self._kernel, None
        self._kernel_entry_count = 0
        if kernel is not None:
            kernel.close()

    def restart_journal(self) -> None:
        """Forget the journal that was there: it has been moved away."""
        self._journal = Journal(self._journal.path)
        self._unsaved_entries = list(self._entries)

    def _run_code(
        self,
        code: str,
        limits: EvaluationLimits,
        is_cancelled: Callable[[], bool],
        on_wait: Callable[[float], None],
    ) -> tuple[EvaluationResult, str]:
        kernel, note = self._prepare_kernel(limits, is_cancelled, on_wait)
        outcome = kernel.evaluate(code, limits, is_cancelled=is_cancelled, on_wait=on_wait)
        if not kernel.is_alive:
            self.close_kernel()
            text = f"Another one takes over, with {_RESTART_NOTES[self.engine.language]}."
            outcome = msgspec.structs.replace(outcome, note=f"{outcome.note} {text}".strip())
        return outcome, note

    def _prepare_kernel(
        self,
        limits: EvaluationLimits,
        is_cancelled: Callable[[], bool],
        on_wait: Callable[[float], None],
    ) -> tuple[Kernel, str]:
        """A kernel with all that the session has defined, and what the user must know of it."""
        notes = []
        kernel = self._kernel
        if kernel is not None and not kernel.is_alive:
            notes.append("The kernel had been ended from outside; another one has taken over.")
            self.close_kernel()
        elif kernel is not None and kernel.has_network != limits.network:
            self._save_current_state()
            self.close_kernel()
        elif kernel is not None and self._is_older_than_saved_state():
            # Definitions are added to those of a kernel; only a new one has these and no others.
            self.close_kernel()
            self.status = "resumed-new-kernel"
        if self._kernel is None:
            self._kernel = self._start_kernel(self.id, self.engine, limits, is_cancelled)
            notes.append(self._restore_kernel(self._kernel))
        if self.is_kernel_behind:
            notes.append(self._replay_entries(self._kernel, limits, is_cancelled, on_wait))
        return self._kernel, " ".join(note for note in notes if note)

    def _is_older_than_saved_state(self) -> bool:
        """Whether another process has saved what this kernel cannot have by repeating."""
        if not self.is_kernel_behind or self._is_replay_cheap(self._kernel_entry_count):
            return False
        saved = self._load_saved_state()
        return (
            saved is not None
            and saved.count_included_entries(self._entries) > self._kernel_entry_count
        )

    def _load_saved_state(self) -> SavedState | None:
        """What can be restored: one Python reads what another one has saved."""
        found = read_saved_state(self.state_path)
        if found is None or found.engine == self.engine.name:
            return found
        is_python = self.engine.language == found.engine.partition(" ")[0] == "python"
        return found if is_python else None

    def _restore_kernel(self, kernel: Kernel) -> str:
        """Give a new kernel the saved definitions, unless repeating is quick and exact."""
        if self._is_replay_cheap(0):
            return ""
        saved = self._load_saved_state()
        position = saved.count_included_entries(self._entries) if saved is not None else 0
        if saved is None or not position:
            return ""
        try:
            missing = kernel.restore(saved.definitions)
        except KernelError as error:
            return f"{error}; the session's evaluations were repeated instead."
        self._kernel_entry_count = self._saved_entry_count = position
        return f"Not restored: {missing}." if missing else ""

    def _replay_entries(
        self,
        kernel: Kernel,
        limits: EvaluationLimits,
        is_cancelled: Callable[[], bool],
        on_wait: Callable[[float], None],
    ) -> str:
        """Repeat what the kernel has not seen, for a limited time, and what has no effects only."""
        begun = time.monotonic()
        left_out, failed, other = [], [], []
        for index in range(self._kernel_entry_count, len(self._entries)):
            entry = self._entries[index]
            spent = time.monotonic() - begun
            if not entry.is_committed:
                continue
            if self._entry_has_effects[index]:
                left_out.append(entry.line)
            elif spent >= MAX_REPLAY_SECONDS or not kernel.is_alive:
                failed.append(entry.line)
            else:
                outcome = kernel.evaluate(
                    entry.code,
                    msgspec.structs.replace(limits, seconds=MAX_REPLAY_SECONDS - spent),
                    is_cancelled=is_cancelled,
                    on_wait=lambda seconds, spent=spent: on_wait(spent + seconds),  # type: ignore[misc]  # a default argument keeps this round's value
                )
                if outcome.status == "cancelled":
                    break  # the next call goes on from here
                if outcome.status not in {"done", "failed"}:
                    failed.append(entry.line)
                elif not entry.is_cut and _strip_counters(outcome) != _strip_counters(entry):
                    other.append(entry.line)
            self._kernel_entry_count = index + 1
        else:
            self._kernel_entry_count = len(self._entries)
        return " ".join(
            f"{text} (evaluations of {_format_lines(lines)})."
            for text, lines in (
                (_SKIPPED_NOTES[self.engine.language], left_out),
                ("What could not be repeated is missing", failed),
                ("Repeating gave other results than before", other),
            )
            if lines
        )

    def _build_entry(
        self, line: int, code: str, source: str, outcome: EvaluationResult
    ) -> JournalEntry:
        """What the journal keeps of an evaluation: all but long texts."""
        is_full = self._journal.size_bytes > LARGE_JOURNAL_BYTES
        limit = MAX_SHORT_RESULT_CHARACTERS if is_full else MAX_RESULT_CHARACTERS
        result = outcome.result
        is_cut = result is not None and len(result) > limit
        shown, left = [], MAX_SHORT_RESULT_CHARACTERS
        for output in outcome.outputs:
            if left <= 0:
                break
            shown.append(StoredOutput(output.kind, output.text[:left], output.mime))
            left -= len(output.text)
        return JournalEntry(
            line,
            code,
            outcome.status,
            result[:MAX_SHORT_RESULT_CHARACTERS] if is_cut and result is not None else result,
            source,
            tuple(shown),
            outcome.seconds,
            is_cut,
        )

    def _add_entries(self, entries: Sequence[JournalEntry]) -> None:
        is_seen = self.engine.language == "wolfram"
        for entry in entries:
            self._entry_has_effects.append(
                not is_seen or self._side_effects.has_side_effects(entry.code)
            )
            self._entries.append(entry)

    def _clear_entries(self) -> None:
        self._entries = []
        self._entry_has_effects = []
        self._side_effects = SideEffectScan()
        self._saved_entry_count = 0

    def _iter_committed_effects(self, start: int) -> Iterator[bool]:
        for index in range(start, len(self._entries)):
            if self._entries[index].is_committed:
                yield self._entry_has_effects[index]

    def _is_replay_cheap(self, start: int) -> bool:
        """Whether all entries from one on can be repeated, and that quickly."""
        if any(self._iter_committed_effects(start)):
            return False
        lasting = [entry for entry in self._entries[start:] if entry.is_committed]
        return (
            sum(entry.seconds + _REPLAY_OVERHEAD_SECONDS for entry in lasting)
            < MAX_CHEAP_REPLAY_SECONDS
        )

    def _save_current_state(self) -> None:
        state = self.dump_state()
        if state is not None:
            self.queue_notice(self.save_state(state))

    def _build_header(self) -> JournalHeader:
        return JournalHeader(self.id, self.engine.name, self.engine.version)

    def _write_entry(self, entry: JournalEntry) -> str:
        self._unsaved_entries.append(entry)
        try:
            self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._journal.append(self._build_header(), self._unsaved_entries)
        except OSError as error:
            return (
                f"The session could not be saved ({error.strerror or error}); "
                "it goes on, and will be lost when the server ends."
            )
        self._unsaved_entries = []
        return ""


_SKIPPED_NOTES = {
    "wolfram": (
        "Nothing is repeated that does more than define something; "
        "if it defined something besides, that is missing"
    ),
    "python": "Python code is not repeated; what it defined and was not saved is missing",
    "other": "Code is not repeated; what it defined is missing",
}
_RESTART_NOTES = {
    "wolfram": "the definitions from before this evaluation",
    "python": "what was saved of the session before",
    "other": "nothing defined",
}


def _format_lines(lines: list[int]) -> str:
    numbers = list(dict.fromkeys(lines))
    shown = ", ".join(str(number) for number in numbers[:10])
    more = f" and {len(numbers) - 10} more" if len(numbers) > 10 else ""
    return f"line {shown}" if len(numbers) == 1 else f"lines {shown}{more}"


def _strip_counters(found: EvaluationResult | JournalEntry) -> str | None:
    return None if found.result is None else _LOCAL_SYMBOL_COUNTER.sub("", found.result)
