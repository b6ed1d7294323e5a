"""Writing agents' files into a folder: what would become of each first, then the writing.

Nothing outside of the folder is ever written, whatever links lead there, and a file that is not
the zoo's is replaced only where that is asked for.

Agents' files in one zip archive, and read from one within limits.
"""

from __future__ import annotations

import difflib
import hashlib
import io
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from paddock.files import read_regular_file, write_atomically
from paddock.zoo.formats.agents_md import BlockError, insert_block
from paddock.zoo.formats.converter import MAX_IMPORT_CHARACTERS, MAX_IMPORT_FILES
from paddock.zoo.formats.exchange import AgentFilesError, File, Remark
from paddock.zoo.slugs import is_portable_path

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping


FileStatus = Literal["new", "changed", "unchanged", "foreign", "refused"]

MAX_FILE_BYTES = 10_000_000
FILE_MODE = 0o644
"""Others who work on a project read its files too."""


class PlannedFile(Struct, rename="camel", kw_only=True):
    """What becomes of one file."""

    path: str
    status: FileStatus
    """`foreign` is a file that somebody else has written, `refused` one that cannot be written."""
    reason: str = ""
    """Why it is refused."""
    before: str | None = None
    """None: there is no such file."""
    after: str = ""

    @property
    def needs_write(self) -> bool:
        """Whether applying the plan writes it."""
        return self.status in ("new", "changed")

    def diff(self) -> str:
        """The change as a unified diff; empty when nothing changes."""
        return make_text_diff(self.path, self.before, self.after)


class FilePlan(Struct, kw_only=True):
    """What becomes of several files in one folder."""

    folder: Path
    files: list[PlannedFile]


class FileWriteResult(Struct, kw_only=True):
    """What came of one file."""

    path: str
    error: str | None = None


def make_text_diff(path: str, before: str | None, after: str | None) -> str:
    """The change of a file as a unified diff; None is a file that is not there."""
    lines = difflib.unified_diff(
        _split_lines(before or ""),
        _split_lines(after or ""),
        "/dev/null" if before is None else path,
        "/dev/null" if after is None else path,
    )
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def compute_digest(text: str) -> str:
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
        found = _plan_file(folder, file, ours or {}, before.after if before else None)
        may = replace if isinstance(replace, bool) else file.path in replace
        if found.status == "foreign" and may:
            found.status = "changed"
        planned[file.path] = found
    return FilePlan(folder=folder, files=list(planned.values()))


def _plan_file(
    folder: Path, file: File, ours: Mapping[str, str], earlier: str | None
) -> PlannedFile:
    reason = find_path_problem(folder, file.path)
    if reason is None:
        try:
            before = read_text_file(folder / file.path)
        except (OSError, UnicodeDecodeError) as error:
            reason = _describe_error(error)
    if reason is not None:
        return PlannedFile(path=file.path, status="refused", reason=reason)
    after = file.text
    if file.block is not None:
        try:
            after = insert_block(earlier if earlier is not None else before or "", file)
        except BlockError as error:
            return PlannedFile(
                path=file.path, status="refused", reason=error.message, before=before
            )
    return PlannedFile(
        path=file.path,
        status=_get_file_status(file, before, after, ours),
        before=before,
        after=after,
    )


def _get_file_status(
    file: File, before: str | None, after: str, ours: Mapping[str, str]
) -> FileStatus:
    if before is None:
        return "new"
    if before == after:
        return "unchanged"
    is_ours = file.block is not None or ours.get(file.path) == compute_digest(before)
    return "changed" if is_ours else "foreign"


def find_path_problem(folder: Path, path: str) -> str | None:
    """Why a path must not be written below a folder; None when it may be."""
    if not is_portable_path(path):
        return "its name leads elsewhere, or is none on every system"
    target = folder / path
    try:
        root = folder.resolve()
        if not target.resolve().is_relative_to(root):
            return "a link leads out of the folder"
    except (OSError, RuntimeError) as error:
        return f"where it leads cannot be found out: {error}"
    return None


def read_text_file(path: Path) -> str | None:
    """The text of a file with its line ends as they are; None when there is none.

    Raises:
        OSError: when it cannot be read.
        UnicodeDecodeError: when it is no text in UTF-8.
    """
    try:
        return read_regular_file(path, MAX_FILE_BYTES).decode()
    except FileNotFoundError:
        return None


def apply_file_plan(plan: FilePlan) -> list[FileWriteResult]:
    """Write the files of a plan that are new or changed, each whole or not at all.

    One that has changed since the plan was made is left alone, and so is one that cannot be
    written; the others are written all the same.
    """
    return [_write_file(plan.folder, one) for one in plan.files if one.needs_write]


def _write_file(folder: Path, file: PlannedFile) -> FileWriteResult:
    target = folder / file.path

    def check() -> None:
        reason = find_path_problem(folder, file.path)
        if reason is not None:
            raise PermissionError(reason)
        if read_text_file(target) != file.before:
            raise FileExistsError("it has been changed meanwhile")

    try:
        check()
        write_atomically(
            target,
            file.after.encode(),
            mode=FILE_MODE,
            is_new=file.before is None,
            before_replacing=check,
        )
    except (OSError, UnicodeError) as error:
        return FileWriteResult(path=file.path, error=_describe_error(error))
    return FileWriteResult(path=file.path)


def _describe_error(error: OSError | UnicodeError) -> str:
    if isinstance(error, UnicodeError):
        return "it is no text in UTF-8"
    return error.strerror or str(error)


def _split_lines(text: str) -> list[str]:
    # Other characters that Python takes for line ends are none to an editor.
    parts = text.split("\n")
    return [f"{part}\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


_MEMBER_TIME = (1980, 1, 1, 0, 0, 0)
"""Of every member, so that the same files make the same archive."""
_MEMBER_MODE = 0o644 << 16


def pack_files(files: Iterable[File]) -> bytes:
    """Files as an archive; blocks of one file are put together."""
    texts: dict[str, str] = {}
    for file in files:
        before = texts.get(file.path, "")
        texts[file.path] = file.text if file.block is None else insert_block(before, file)
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for path, text in texts.items():
            member = zipfile.ZipInfo(path, _MEMBER_TIME)
            member.compress_type = zipfile.ZIP_DEFLATED
            member.external_attr = _MEMBER_MODE
            archive.writestr(member, text.encode())
    return data.getvalue()


def is_zip_archive(path: Path) -> bool:
    """Whether a path leads to a zip archive."""
    return path.is_file() and zipfile.is_zipfile(path)


def unpack_files(source: Path | bytes) -> tuple[list[File], list[Remark]]:
    """The texts in an archive, and what of it was left out.

    Raises:
        AgentFilesError: when it is damaged, or too large.
    """
    where = "the archive" if isinstance(source, bytes) else str(source)
    files: list[File] = []
    report: list[Remark] = []
    size = 0
    try:
        with zipfile.ZipFile(
            io.BytesIO(source) if isinstance(source, bytes) else source
        ) as archive:
            members = [one for one in archive.infolist() if not one.is_dir()]
            if len(members) > MAX_IMPORT_FILES:
                raise AgentFilesError(f"it holds more than {MAX_IMPORT_FILES:,} files", where=where)
            for member in members:
                if not is_portable_path(member.filename):
                    text = "its name leads elsewhere; it is left out"
                    report.append(Remark(field="file", message=text, path=member.filename))
                    continue
                with archive.open(member) as file:
                    data = file.read(MAX_IMPORT_CHARACTERS - size + 1)
                size += len(data)
                if size > MAX_IMPORT_CHARACTERS:
                    raise AgentFilesError(
                        f"it unpacks to more than {MAX_IMPORT_CHARACTERS:,} bytes", where=where
                    )
                _add_file(files, report, member.filename, data)
    except (zipfile.BadZipFile, OSError, EOFError, NotImplementedError, RuntimeError) as error:
        raise AgentFilesError(f"it is no archive that can be read: {error}", where=where) from None
    return files, report


def _add_file(files: list[File], report: list[Remark], path: str, data: bytes) -> None:
    try:
        files.append(File(path=path, text=data.decode()))
    except UnicodeDecodeError:
        text = "it is no text in UTF-8, and left out"
        report.append(Remark(field="file", message=text, path=path))
