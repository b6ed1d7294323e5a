"""Writing agents' files into a folder: what would become of each first, then the writing.

Nothing outside of the folder is ever written, whatever links lead there, and a file that is not
the zoo's is replaced only where that is asked for.
"""

from __future__ import annotations

import difflib
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from paddock.files import read_ordinary, write_atomically
from paddock.zoo.formats.agents_md import BlockError, with_block
from paddock.zoo.formats.names import is_plain_path

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from paddock.zoo.formats.exchange import File

Status = Literal["new", "changed", "unchanged", "foreign", "refused"]

MOST_BYTES = 10_000_000
MODE = 0o644
"""Others who work on a project read its files too."""


class PlannedFile(Struct, rename="camel", kw_only=True):
    """What becomes of one file."""

    path: str
    status: Status
    """`foreign` is a file that somebody else has written, `refused` one that cannot be written."""
    reason: str = ""
    """Why it is refused."""
    before: str | None = None
    """None: there is no such file."""
    after: str = ""

    @property
    def is_written(self) -> bool:
        """Whether applying the plan writes it."""
        return self.status in ("new", "changed")

    def diff(self) -> str:
        """The change as a unified diff; empty when nothing changes."""
        return text_diff(self.path, self.before, self.after)


class FilePlan(Struct, kw_only=True):
    """What becomes of several files in one folder."""

    folder: Path
    files: list[PlannedFile]


class Written(Struct, kw_only=True):
    """What came of one file."""

    path: str
    error: str | None = None


def text_diff(path: str, before: str | None, after: str | None) -> str:
    """The change of a file as a unified diff; None is a file that is not there."""
    lines = difflib.unified_diff(
        _lines(before or ""),
        _lines(after or ""),
        "/dev/null" if before is None else path,
        "/dev/null" if after is None else path,
    )
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def digest(text: str) -> str:
    """What tells one content of a file from another."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def plan_files(
    folder: Path,
    files: Iterable[File],
    *,
    ours: Mapping[str, str] | None = None,
    replace: bool | Collection[str] = False,
) -> FilePlan:
    """What writing files into a folder would do. Nothing is written.

    Args:
        folder: Where the paths of the files begin; it need not be there.
        files: The files; blocks go into the file that they belong to.
        ours: The digests, by path, of what the zoo has written before.
        replace: Whether files of others may be replaced, or the paths of those that may.
    """
    planned: dict[str, PlannedFile] = {}
    for file in files:
        before = planned.get(file.path)
        found = _planned(folder, file, ours or {}, before.after if before else None)
        may = replace if isinstance(replace, bool) else file.path in replace
        if found.status == "foreign" and may:
            found.status = "changed"
        planned[file.path] = found
    return FilePlan(folder=folder, files=list(planned.values()))


def _planned(folder: Path, file: File, ours: Mapping[str, str], earlier: str | None) -> PlannedFile:
    reason = refusal(folder, file.path)
    if reason is None:
        try:
            before = read_text(folder / file.path)
        except (OSError, UnicodeDecodeError) as error:
            reason = _told(error)
    if reason is not None:
        return PlannedFile(path=file.path, status="refused", reason=reason)
    after = file.text
    if file.block is not None:
        try:
            after = with_block(earlier if earlier is not None else before or "", file)
        except BlockError as error:
            return PlannedFile(
                path=file.path, status="refused", reason=error.message, before=before
            )
    return PlannedFile(
        path=file.path, status=_status(file, before, after, ours), before=before, after=after
    )


def _status(file: File, before: str | None, after: str, ours: Mapping[str, str]) -> Status:
    if before is None:
        return "new"
    if before == after:
        return "unchanged"
    is_ours = file.block is not None or ours.get(file.path) == digest(before)
    return "changed" if is_ours else "foreign"


def refusal(folder: Path, path: str) -> str | None:
    """Why a path must not be written below a folder; None when it may be."""
    if not is_plain_path(path):
        return "its name leads elsewhere, or is none on every system"
    target = folder / path
    try:
        root = folder.resolve()
        if not target.resolve().is_relative_to(root):
            return "a link leads out of the folder"
    except (OSError, RuntimeError) as error:
        return f"where it leads cannot be found out: {error}"
    return None


def read_text(path: Path) -> str | None:
    """The text of a file with its line ends as they are; None when there is none.

    Raises:
        OSError: when it cannot be read.
        UnicodeDecodeError: when it is no text in UTF-8.
    """
    try:
        return read_ordinary(path, MOST_BYTES).decode()
    except FileNotFoundError:
        return None


def apply_plan(plan: FilePlan) -> list[Written]:
    """Write the files of a plan that are new or changed, each whole or not at all.

    One that has changed since the plan was made is left alone, and so is one that cannot be
    written; the others are written all the same.
    """
    return [_write(plan.folder, one) for one in plan.files if one.is_written]


def _write(folder: Path, file: PlannedFile) -> Written:
    target = folder / file.path

    def check() -> None:
        reason = refusal(folder, file.path)
        if reason is not None:
            raise PermissionError(reason)
        if read_text(target) != file.before:
            raise FileExistsError("it has been changed meanwhile")

    try:
        check()
        write_atomically(
            target,
            file.after.encode(),
            mode=MODE,
            is_new=file.before is None,
            before_replacing=check,
        )
    except (OSError, UnicodeError) as error:
        return Written(path=file.path, error=_told(error))
    return Written(path=file.path)


def _told(error: OSError | UnicodeError) -> str:
    if isinstance(error, UnicodeError):
        return "it is no text in UTF-8"
    return error.strerror or str(error)


def _lines(text: str) -> list[str]:
    # Other characters that Python takes for line ends are none to an editor.
    parts = text.split("\n")
    return [f"{part}\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])
