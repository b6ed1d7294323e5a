"""A session: evaluates code, keeps the journal and replaces lost kernels."""

from __future__ import annotations

import contextlib
import re
import time
from typing import TYPE_CHECKING, Literal

import msgspec

from paddock.files import write_atomically
from paddock.kernels.kernel import (
    COMPLETED_STATUSES,
    DEFAULT_CONTROL,
    STATE_TIMEOUT_SECONDS,
    EvaluationControl,
    EvaluationOutput,
    KernelError,
    never_cancelled,
)
from paddock.kernels.sessions.journal import (
    BrokenJournalError,
    Journal,
    JournalEntry,
    JournalHeader,
    SavedState,
    read_saved_state,
    write_saved_state,
)
from paddock.kernels.sessions.retention import find_free_broken_path
from paddock.kernels.sessions.side_effects import SideEffectScan

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from paddock.kernels.engine import Engine
    from paddock.kernels.kernel import CancelCheck, EvaluationLimits, EvaluationResult, Kernel

    KernelStarter = Callable[[Engine, EvaluationLimits, EvaluationControl], Kernel]

SessionStatus = Literal["new", "continued", "resumed", "resumed-new-kernel", "reused"]
"""State in which a session was found at the beginning of a call.

- `new`: created with a new ID.
- `continued`: its kernel is running and up to date.
- `resumed`: its kernel is running. Evaluations from another process must be replayed.
- `resumed-new-kernel`: its kernel was lost and must be restored.
- `reused`: created with the given ID, for which nothing was stored.
"""

MAX_REPLAY_SECONDS = 30.0
"""Time limit for replaying the evaluations of a journal."""
MAX_CHEAP_REPLAY_SECONDS = 0.5
"""Sessions that replay in less time are not saved: a replay restores them most exactly."""
_REPLAY_OVERHEAD_SECONDS = 0.003
"""Cost of an evaluation besides the time in the engine."""
MAX_IMMEDIATE_SAVE_SECONDS = 0.5
"""How long a call may wait for saving a state that cannot be replayed."""
_MAX_DEFERRED_SAVES = 5
"""Number of times in a row that a call may interrupt saving. After that, calls wait for it."""
MAX_RESULT_CHARACTERS = 1 << 20
LARGE_JOURNAL_BYTES = 32 << 20
"""Once a journal has this size, long results are truncated."""
MAX_SHORT_RESULT_CHARACTERS = 10_000
_LOCAL_SYMBOL_COUNTER = re.compile(r"\$\d+")
"""Serial numbers in names of local symbols, which differ in each evaluation."""
_SKIPPED_NOTES = {
    "wolfram": (
        "Evaluations with side effects are not replayed; "
        "definitions that only they contain are missing"
    ),
    "python": "Python code is not replayed; definitions that were not saved are missing",
    "other": "Code is not replayed; its definitions are missing",
}
_RESTART_NOTES = {
    "wolfram": ("The next evaluation uses a new kernel with the definitions from before this one."),
    "python": "The next evaluation uses a new kernel with the session as it was last saved.",
    "other": "The next evaluation uses a new kernel without definitions.",
}


class EvaluationSession:
    """The state of an evaluator across calls, used by one call at a time.

    Every evaluation is recorded in a journal. If the kernel is lost, a new one loads the last saved
    state and replays the journal's later entries. `_kernel_entry_count` is the number of entries
    that the kernel has seen.
    """

    def __init__(
        self, session_id: str, engine: Engine, directory: Path, start: KernelStarter
    ) -> None:
        self.id = session_id
        self.engine = engine
        self.status: SessionStatus = "new"
        self.notes: list[str] = []
        """Information for the user about the session, separate from the notes of evaluations.

        If saving in the background fails between two calls, a note is added for the next one.
        """
        self._start_kernel = start
        self._directory = directory
        self._journal = Journal(directory / f"{session_id}.jsonl")
        self._entries: list[JournalEntry] = []
        self._unsaved_entries: list[JournalEntry] = []
        self._kernel: Kernel | None = None
        self._kernel_entry_count = 0
        """Number of entries that the kernel's state includes."""
        self._saved_entry_count = 0
        """Number of entries that the state file includes."""
        self._side_effects = SideEffectScan()
        self._effectful_entry_ids: set[str] = set()
        """IDs of the entries with side effects, which must not be replayed."""
        self._is_slow_to_save = False
        self._deferred_saves = 0

    @property
    def entries(self) -> Sequence[JournalEntry]:
        """All evaluations, oldest first."""
        return self._entries

    @property
    def next_line(self) -> int:
        """The number of the next input line."""
        return self._entries[-1].line + 1 if self._entries else 1

    @property
    def journal_path(self) -> Path:
        """The path of the journal."""
        return self._journal.path

    @property
    def state_path(self) -> Path:
        """The path of the state file."""
        return self._directory / f"{self.id}.state"

    @property
    def has_kernel(self) -> bool:
        """Whether the session's kernel is running."""
        return self._kernel is not None and self._kernel.is_alive

    @property
    def is_kernel_behind(self) -> bool:
        """Whether the journal has entries that the kernel has not evaluated."""
        return self._kernel_entry_count < len(self._entries)

    @property
    def is_journal_saved(self) -> bool:
        """Whether all entries have been written to the journal file."""
        return not self._unsaved_entries

    def evaluate(
        self,
        code: str,
        limits: EvaluationLimits,
        control: EvaluationControl = DEFAULT_CONTROL,
        *,
        line: int | None = None,
        source: str = "",
    ) -> EvaluationResult:
        """Evaluate one expression and record it in the journal, the file with all evaluations.

        If the kernel was lost, it is first replaced and the session's definitions restored.

        Args:
            code: The code to evaluate.
            limits: Resource limits for the evaluation.
            control: Callbacks for cancellation and progress.
            line: The number `n` in `In[n]`, if the expression belongs to the same input as the
                previous one. Defaults to the next number.
            source: The user's input, if it differs from `code`.

        Raises:
            KernelError: No kernel can be started.
        """
        number = self.next_line if line is None else line
        result, notes = self._run_code(code, limits, control)
        # If the replay of earlier entries was cancelled, the kernel has not evaluated all of them.
        # The next call continues the replay, which must then include this entry.
        if not self.is_kernel_behind:
            self._kernel_entry_count += 1
        entry = self._build_entry(number, code, source, result)
        self._add_entries([entry])
        notes = [*notes, *result.notes, self._write_entry(entry)]
        return msgspec.structs.replace(result, notes=tuple(filter(None, notes)))

    def evaluate_unrecorded(
        self,
        code: str,
        limits: EvaluationLimits,
        control: EvaluationControl = DEFAULT_CONTROL,
    ) -> EvaluationResult:
        """Evaluate code in the session's kernel without recording it in the journal.

        The evaluation has no line number, and is not repeated when a lost kernel is restored.

        Raises:
            KernelError: No kernel can be started.
        """
        result, notes = self._run_code(code, limits, control)
        return msgspec.structs.replace(result, notes=(*notes, *result.notes))

    def describe(self) -> dict[str, object]:
        """Return diagnostic data about the kernel. It is empty if there is no kernel."""
        return {} if self._kernel is None else self._kernel.describe()

    def begin_call(self, engine: Engine, *, is_requested: bool) -> None:
        """Read journal entries from other processes, and set the session's status.

        Called at the start of each tool call that uses the session and holds its lock.

        Args:
            engine: The engine for the call, which may differ from that of the previous call.
            is_requested: Whether the client passed the session's ID, and therefore expects stored
                evaluations. If none are stored, the status is "reused", and tools add a note to
                their answer.
        """
        had_kernel, was_empty = self.has_kernel, not self._entries
        # Switching the engine may save the state. This is possible only if the kernel has evaluated
        # all known entries, so new entries are read afterwards.
        self._switch_engine(engine)
        is_readable = self._read_journal()
        if not self._entries:
            is_unknown = is_requested and is_readable and was_empty and not had_kernel
            self.status = "reused" if is_unknown else "new"
        elif had_kernel:
            self.status = "resumed" if self.is_kernel_behind else "continued"
        else:
            self.status = "resumed-new-kernel"

    def _read_journal(self) -> bool:
        """Read the entries that other processes have added to the journal.

        Unreadable lines are removed from the journal, and an unreadable journal is renamed. The
        original content is kept in a file in both cases, and a note informs the user.

        Returns:
            Whether everything in the journal was readable.
        """
        try:
            contents = self._journal.read_new_entries()
        except (FileNotFoundError, BrokenJournalError) as error:
            is_broken = isinstance(error, BrokenJournalError)
            if is_broken:
                self._move_journal(str(error))
            # A new journal starts with all known entries.
            self._journal = Journal(self._journal.path)
            self._unsaved_entries = list(self._entries)
            return not is_broken
        except OSError as error:
            self.notes.append(f"The saved session cannot be read: {error.strerror or error}.")
            return False
        if contents.is_replaced and self._entries:
            # Another process has pruned, moved or rewritten the file. The file is authoritative.
            self._entries, self._effectful_entry_ids = [], set()
            self._side_effects = SideEffectScan()
            self._saved_entry_count = 0
            self.close_kernel()
        self._add_entries(contents.entries)
        if contents.unreadable_lines:
            self._repair_journal(contents.unreadable_lines)
        return not contents.unreadable_lines

    def _repair_journal(self, unreadable_lines: tuple[int, ...]) -> None:
        """Rewrite the journal without its unreadable lines, after copying the original file.

        A note informs the user. If the file cannot be written, it remains unchanged.
        """
        path = self.journal_path
        numbers = ", ".join(str(number) for number in unreadable_lines)
        subject = f"Line {numbers}" if len(unreadable_lines) == 1 else f"Lines {numbers}"
        text = f"{subject} of this session's journal could not be read"
        try:
            copy_path = find_free_broken_path(path)
            write_atomically(copy_path, path.read_bytes())
            self._journal.rewrite(self._build_header(), self._entries)
        except OSError as error:
            self.notes.append(f"{text}; the file is unchanged: {error.strerror or error}.")
        else:
            self.notes.append(
                f"{text} and was removed. The original file was copied to {copy_path}."
            )

    def _move_journal(self, reason: str) -> None:
        """Rename a journal that has no readable content, and delete the saved state.

        A note informs the user.

        Args:
            reason: Description of the journal's fault, for the note.
        """
        text = f"The journal of this session is invalid: {reason}"
        try:
            new_path = find_free_broken_path(self.journal_path)
            self.journal_path.replace(new_path)
        except OSError as error:
            self.notes.append(f"{text}; it cannot be moved: {error.strerror or error}.")
            return
        self.notes.append(f"{text}. It was moved to {new_path}.")
        # The state is deleted too, because without its journal it cannot be attributed to an
        # evaluation.
        with contextlib.suppress(OSError):
            self.state_path.unlink()

    def finish_call(self) -> None:
        """Save the definitions at the end of a call, if replaying the journal cannot restore them.

        The caller holds the session's lock, so no other process sees the new journal entries
        without the saved definitions. If saving is slow, it is left to the background thread so
        that the call does not have to wait.
        """
        self.notes = []  # any later notes are for the next call
        # Code in other languages is never replayed, so the definitions would have to be saved in
        # each call. They are saved only in the background.
        if self.engine.language != "wolfram" or self._is_slow_to_save:
            return
        # Without side effects, a replay restores everything since the last saved state.
        if not self._has_effects_since(self._saved_entry_count):
            return
        state = self.dump_state(MAX_IMMEDIATE_SAVE_SECONDS)
        self._is_slow_to_save = state is None
        if state is not None:
            self.save_state(state)

    def dump_state(
        self,
        seconds: float = STATE_TIMEOUT_SECONDS,
        is_cancelled: CancelCheck = never_cancelled,
    ) -> SavedState | None:
        """Return the session's definitions for `save_state`, or None.

        The result is None if the definitions need not be saved because replaying the journal is
        quick, or if the kernel does not return them in time.

        Args:
            seconds: The time limit.
            is_cancelled: Check that returns True when another call is waiting for the session. The
                definitions are then saved later. After multiple delays in a row, the check is
                ignored, because calls in quick succession would otherwise prevent saving.
        """
        if self._kernel is None or self.is_kernel_behind:
            return None
        # A quick replay also restores the entries since the last saved state.
        if self._is_replay_cheap(self._saved_entry_count):
            return None
        last_id = self._entries[-1].id
        is_deferred = False

        def should_defer() -> bool:
            nonlocal is_deferred
            is_deferred = self._deferred_saves < _MAX_DEFERRED_SAVES and is_cancelled()
            return is_deferred

        started_at = time.monotonic()
        definitions = self._kernel.dump_state(seconds, should_defer)
        self._deferred_saves = self._deferred_saves + 1 if is_deferred else 0
        if definitions is None:
            return None
        self._is_slow_to_save = time.monotonic() - started_at > MAX_IMMEDIATE_SAVE_SECONDS
        return SavedState(self.engine.name, self.engine.version, last_id, definitions)

    def save_state(self, state: SavedState) -> None:
        """Write the definitions to the state file, or add a note for the user if that fails.

        The caller holds the session's lock. Nothing is written if another process has added
        entries to the journal in the meantime, because its definitions are newer.
        """
        included_entry_count = state.count_included_entries(self._entries)
        try:
            is_journal_current = not self._unsaved_entries and self._journal.is_current()
            if included_entry_count == 0 or not is_journal_current:
                return
            # The journal is flushed first. If a crash lost its last entries, a state that includes
            # them would be unusable.
            self._journal.sync()
            write_saved_state(self.state_path, state)
        except OSError as error:
            self.notes.append(f"The definitions could not be saved: {error.strerror or error}.")
        else:
            self._saved_entry_count = included_entry_count

    def _switch_engine(self, engine: Engine) -> None:
        """Change the session's engine after saving the state and ending the kernel.

        Does nothing if the session already has this engine.
        """
        if engine.name != self.engine.name:
            self._save_current_state()
            self.close_kernel()
            self.engine = engine
            # Other engines cannot load the last saved state.
            self._saved_entry_count = 0

    def close_kernel(self) -> None:
        """End the kernel, if there is one.

        The next evaluation starts another kernel and restores the definitions in it.
        """
        kernel, self._kernel = self._kernel, None
        self._kernel_entry_count = 0
        if kernel is not None:
            kernel.close()

    def _run_code(
        self, code: str, limits: EvaluationLimits, control: EvaluationControl
    ) -> tuple[EvaluationResult, list[str]]:
        """Evaluate code in a kernel that has all of the session's definitions.

        Returns:
            The result, and sentences for the user about a replacement of the kernel.
        """
        kernel, notes = self._prepare_kernel(limits, control)
        result = kernel.evaluate(code, limits, control)
        if not kernel.is_alive:
            self.close_kernel()
            restart_note = _RESTART_NOTES[self.engine.language]
            result = msgspec.structs.replace(result, notes=(*result.notes, restart_note))
        return result, notes

    def _prepare_kernel(
        self, limits: EvaluationLimits, control: EvaluationControl
    ) -> tuple[Kernel, list[str]]:
        """Return a kernel that has all of the session's definitions.

        The current kernel is replaced if it has ended, if the limits require different network
        access, or if another process has saved definitions that replaying the journal cannot
        restore in this kernel.

        Returns:
            The kernel, and sentences for the user about a replacement.
        """
        notes: list[str] = []
        kernel = self._kernel
        if kernel is not None and not kernel.is_alive:
            notes.append("The kernel was killed from outside and has been replaced.")
            self.close_kernel()
        elif kernel is not None and kernel.has_network != limits.network:
            self._save_current_state()
            self.close_kernel()
        elif kernel is not None and self._is_older_than_saved_state():
            # Restoring a saved state only adds definitions, so it needs an empty kernel.
            self.close_kernel()
            self.status = "resumed-new-kernel"
        if self._kernel is None:
            self._kernel = self._start_kernel(self.engine, limits, control)
            notes += self._restore_kernel(self._kernel)
        if self.is_kernel_behind:
            notes += self._replay_entries(self._kernel, limits, control)
        return self._kernel, notes

    def _is_older_than_saved_state(self) -> bool:
        """Return whether another process has saved definitions that this kernel does not have.

        The result is False if replaying the new journal entries can quickly restore them.
        """
        if not self.is_kernel_behind or self._is_replay_cheap(self._kernel_entry_count):
            return False
        state = self._load_saved_state()
        if state is None:
            return False
        return state.count_included_entries(self._entries) > self._kernel_entry_count

    def _load_saved_state(self) -> SavedState | None:
        """Read the saved state if it belongs to the journal and this engine can restore it.

        Otherwise, returns None.
        """
        state = read_saved_state(self.state_path)
        if state is None or not state.count_included_entries(self._entries):
            return None
        # Any Python interpreter can load the state saved by another one.
        is_python = self.engine.language == state.engine.partition(" ")[0] == "python"
        return state if state.engine == self.engine.name or is_python else None

    def _restore_kernel(self, kernel: Kernel) -> list[str]:
        """Restore the saved state in a new kernel, unless replaying the whole journal is quick.

        Returns:
            Sentences for the user about definitions that could not be restored.
        """
        # A replay is preferred if it is quick, because a saved state may lack some definitions.
        if self._is_replay_cheap(0):
            return []
        state = self._load_saved_state()
        if state is None:
            return []
        try:
            missing = kernel.restore(state.definitions)
        except KernelError as error:
            return [f"{error}; the session's evaluations were replayed instead."]
        self._kernel_entry_count = state.count_included_entries(self._entries)
        self._saved_entry_count = self._kernel_entry_count
        return [f"Not restored: {missing}."] if missing else []

    def _replay_entries(
        self, kernel: Kernel, limits: EvaluationLimits, control: EvaluationControl
    ) -> list[str]:
        """Replay the journal entries that the kernel has not evaluated yet.

        The replay has a time limit. Entries with side effects are skipped, because repeating them
        could, for instance, write a file again.

        Returns:
            Sentences for the user about entries that were skipped, failed, or had different
            results.
        """
        started_at = time.monotonic()
        skipped, failed, different = [], [], []
        replay_limits = msgspec.structs.replace(limits, seconds=MAX_REPLAY_SECONDS)
        for entry in self._entries[self._kernel_entry_count :]:
            elapsed = time.monotonic() - started_at
            is_possible = elapsed < MAX_REPLAY_SECONDS and kernel.is_alive
            if not entry.is_committed:
                pass  # it was rolled back
            elif entry.id in self._effectful_entry_ids:
                skipped.append(entry.line)
            elif not is_possible:
                failed.append(entry.line)
            else:
                entry_limits = replay_limits.subtract_seconds(elapsed)
                result = kernel.evaluate(entry.code, entry_limits, control.shift(elapsed))
                if result.status == "cancelled":
                    break  # the next call continues the replay at this entry
                if result.status not in COMPLETED_STATUSES:
                    failed.append(entry.line)
                elif not entry.is_cut and _strip_counters(result) != _strip_counters(entry):
                    different.append(entry.line)
            self._kernel_entry_count += 1
        return [
            f"{text} (evaluations of {_format_lines(lines)})."
            for text, lines in (
                (_SKIPPED_NOTES[self.engine.language], skipped),
                ("Evaluations that could not be replayed are missing", failed),
                ("The replay gave different results", different),
            )
            if lines
        ]

    def _build_entry(
        self, line: int, code: str, source: str, result: EvaluationResult
    ) -> JournalEntry:
        """Create the journal entry for an evaluation.

        Long results and outputs are truncated, and images omitted, so that the journal stays small.
        If it is already large, results are truncated to a smaller size.
        """
        is_large = self._journal.size_bytes > LARGE_JOURNAL_BYTES
        limit = MAX_SHORT_RESULT_CHARACTERS if is_large else MAX_RESULT_CHARACTERS
        text = result.result
        is_cut = text is not None and len(text) > limit
        if text is not None and is_cut:
            text = text[:MAX_SHORT_RESULT_CHARACTERS]
        outputs: list[EvaluationOutput] = []
        remaining_characters = MAX_SHORT_RESULT_CHARACTERS
        for output in result.outputs:
            if remaining_characters <= 0:
                break
            # The `data` of an output, the content of an image, is not stored.
            truncated_text = output.text[:remaining_characters]
            outputs.append(EvaluationOutput(output.kind, truncated_text, mime=output.mime))
            remaining_characters -= len(output.text)
        return JournalEntry(
            line, code, result.status, text, source, tuple(outputs), result.seconds, is_cut
        )

    def _add_entries(self, entries: Sequence[JournalEntry]) -> None:
        """Add entries to the list in memory, and record which of them must not be replayed.

        Entries with side effects must not be replayed. They can be detected only in Wolfram
        Language, so code in other languages is never replayed.
        """
        is_scanned = self.engine.language == "wolfram"
        for entry in entries:
            if not is_scanned or self._side_effects.has_side_effects(entry.code):
                self._effectful_entry_ids.add(entry.id)
            self._entries.append(entry)

    def _has_effects_since(self, start: int) -> bool:
        """Return whether any committed entry from the index `start` on has side effects."""
        return any(
            entry.is_committed and entry.id in self._effectful_entry_ids
            for entry in self._entries[start:]
        )

    def _is_replay_cheap(self, start: int) -> bool:
        """Return whether all entries from an index on can be replayed quickly."""
        if self._has_effects_since(start):
            return False
        replayed = (entry for entry in self._entries[start:] if entry.is_committed)
        replay_seconds = sum(entry.seconds + _REPLAY_OVERHEAD_SECONDS for entry in replayed)
        return replay_seconds < MAX_CHEAP_REPLAY_SECONDS

    def _save_current_state(self) -> None:
        state = self.dump_state()
        if state is not None:
            self.save_state(state)

    def _build_header(self) -> JournalHeader:
        return JournalHeader(self.id, self.engine.name, self.engine.version)

    def _write_entry(self, entry: JournalEntry) -> str:
        """Append an entry to the journal file, after any that could not be written before.

        Returns:
            A sentence for the user if the file cannot be written, otherwise an empty text.
        """
        self._unsaved_entries.append(entry)
        try:
            self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._journal.append(self._build_header(), self._unsaved_entries)
        except OSError as error:
            return (
                f"The session could not be saved ({error.strerror or error}); "
                "it continues, but will be lost when the server ends."
            )
        self._unsaved_entries = []
        return ""


def _format_lines(lines: list[int]) -> str:
    numbers = list(dict.fromkeys(lines))
    shown = ", ".join(str(number) for number in numbers[:10])
    more = f" and {len(numbers) - 10} more" if len(numbers) > 10 else ""
    return f"line {shown}" if len(numbers) == 1 else f"lines {shown}{more}"


def _strip_counters(item: EvaluationResult | JournalEntry) -> str | None:
    """Return a result without the serial numbers of local symbols, for comparison."""
    return None if item.result is None else _LOCAL_SYMBOL_COUNTER.sub("", item.result)
