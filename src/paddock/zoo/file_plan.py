"""Plans for writing agents' files into a folder, and zip archives of such files.

Nothing outside of the folder is written, even through symbolic links. A file that the zoo has not
written is replaced only on request.
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
# Files are readable by all users, because others may work on the project too.
FILE_MODE = 0o644

# A fixed time, so the same files produce the same archive.
_MEMBER_TIME = (1980, 1, 1, 0, 0, 0)
_MEMBER_MODE = 0o644 << 16


class PlannedFile(Struct, rename="camel", kw_only=True):
    """The planned change of one file."""

    path: str
    status: FileStatus
    """`foreign`: the file exists, and the zoo did not write it. `refused`: it cannot be written."""
    reason: str = ""
    """The reason, if the file is refused."""
    before: str | None = None
    """The current content, or None if the file does not exist."""
    after: str = ""
    """The planned content."""

    @property
    def needs_write(self) -> bool:
        """Whether applying the plan writes the file."""
        return self.status in ("new", "changed")

    def diff(self) -> str:
        """Return the change as a unified diff, which is empty if nothing changes."""
        return make_text_diff(self.path, self.before, self.after)


class FilePlan(Struct, kw_only=True):
    """The planned changes of several files in one folder."""

    folder: Path
    files: list[PlannedFile]


class FileWriteResult(Struct, kw_only=True):
    """The result of writing one file."""

    path: str
    error: str | None = None


def make_text_diff(path: str, before: str | None, after: str | None) -> str:
    """Return the changes to a file as a unified diff.

    A text of None means that the file does not exist before or after the change.
    """
    lines = difflib.unified_diff(
        _split_lines(before or ""),
        _split_lines(after or ""),
        "/dev/null" if before is None else path,
        "/dev/null" if after is None else path,
    )
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def compute_digest(text: str) -> str:
    """Return a digest for detecting changes to a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def plan_files(
    folder: Path,
    files: Iterable[File],
    *,
    zoo_digests: Mapping[str, str] | None = None,
    replace: bool | Collection[str] = False,
) -> FilePlan:
    """Compare files with those in a folder, and plan the changes. Nothing is written.

    Commands show the plan to the user before `apply_file_plan` carries it out.

    Args:
        folder: The folder, which does not have to exist.
        files: Whole files, or blocks, which are sections to insert into an AGENTS.md.
        zoo_digests: Digests of files that the zoo has written before, by path.
        replace: True to overwrite files that the zoo did not write, or the paths of those to
            overwrite.
    """
    planned_by_path: dict[str, PlannedFile] = {}
    for file in files:
        earlier = planned_by_path.get(file.path)
        text_with_earlier_blocks = earlier.after if earlier else None
        planned_file = _plan_file(folder, file, zoo_digests or {}, text_with_earlier_blocks)
        may_replace = replace if isinstance(replace, bool) else file.path in replace
        if planned_file.status == "foreign" and may_replace:
            planned_file.status = "changed"
        planned_by_path[file.path] = planned_file
    return FilePlan(folder=folder, files=list(planned_by_path.values()))


def _plan_file(
    folder: Path, file: File, zoo_digests: Mapping[str, str], text_with_earlier_blocks: str | None
) -> PlannedFile:
    """Plan the change to one file by comparing it with its current state on disk.

    Args:
        folder: The target folder.
        file: The whole file, or a block to insert into it.
        zoo_digests: Digests of files that the zoo has written before, by path.
        text_with_earlier_blocks: The planned text of the file with the blocks inserted so far,
            because one AGENTS.md can contain multiple blocks. None for the first block.
    """
    # A file is refused unless everything below succeeds.
    planned = PlannedFile(path=file.path, status="refused")
    planned.reason = find_path_problem(folder, file.path) or ""
    if planned.reason:
        return planned
    try:
        planned.before = read_text_file(folder / file.path)
        if file.block is None:
            planned.after = file.text
        elif text_with_earlier_blocks is None:
            planned.after = insert_block(planned.before or "", file)
        else:
            planned.after = insert_block(text_with_earlier_blocks, file)
    except (OSError, UnicodeDecodeError) as error:
        planned.reason = _describe_error(error)
    except BlockError as error:
        planned.reason = error.message
    else:
        planned.status = _get_file_status(file, planned.before, planned.after, zoo_digests)
    return planned


def _get_file_status(
    file: File, before: str | None, after: str, zoo_digests: Mapping[str, str]
) -> FileStatus:
    """Return the status of a planned file by comparing its current and planned text.

    A changed file is `foreign` unless its content is what the zoo wrote last, as recorded in
    `zoo_digests`.
    """
    if before is None:
        return "new"
    if before == after:
        return "unchanged"
    # A block always belongs to the zoo, even if the rest of the file is foreign.
    if file.block is not None:
        return "changed"
    was_written_by_zoo = zoo_digests.get(file.path) == compute_digest(before)
    return "changed" if was_written_by_zoo else "foreign"


def find_path_problem(folder: Path, path: str) -> str | None:
    """Return the reason a path is unsafe to write inside a folder, or None if it is safe."""
    if not is_portable_path(path):
        return "the path leads out of the folder, or is not valid on every system"
    target = folder / path
    try:
        root = folder.resolve()
        # `resolve` follows the links of all parents, even if the target does not exist.
        if not target.resolve().is_relative_to(root):
            return "a symbolic link leads out of the folder"
    except (OSError, RuntimeError) as error:
        return f"the path cannot be resolved: {error}"
    return None


def read_text_file(path: Path) -> str | None:
    """Return a file's text with its line endings unchanged, or None if it does not exist.

    Raises:
        OSError: The file cannot be read.
        UnicodeDecodeError: The file is not UTF-8 text.
    """
    try:
        return read_regular_file(path, MAX_FILE_BYTES).decode()
    except FileNotFoundError:
        return None


def apply_file_plan(plan: FilePlan) -> list[FileWriteResult]:
    """Write the new and changed files of a plan, each atomically.

    A file that has changed since it was planned, or cannot be written, is skipped, and its result
    has the reason. The other files are still written.
    """
    return [_write_file(plan.folder, file) for file in plan.files if file.needs_write]


def _write_file(folder: Path, file: PlannedFile) -> FileWriteResult:
    """Write one planned file, and return the result, with the reason for any failure.

    A file that has changed since it was planned is not overwritten.
    """
    target = folder / file.path

    def check_unchanged() -> None:
        # Raises `OSError`, so the handler below reports all reasons the same way.
        reason = find_path_problem(folder, file.path)
        if reason is not None:
            raise PermissionError(reason)
        if read_text_file(target) != file.before:
            raise FileExistsError("the file has changed since it was planned")

    try:
        check_unchanged()
        # The check runs a second time just before the temporary file with the new content is
        # renamed, because the target may have changed during the write.
        write_atomically(
            target,
            file.after.encode(),
            mode=FILE_MODE,
            is_new=file.before is None,
            before_replacing=check_unchanged,
        )
    except (OSError, UnicodeError) as error:
        return FileWriteResult(path=file.path, error=_describe_error(error))
    return FileWriteResult(path=file.path)


def _describe_error(error: OSError | UnicodeError) -> str:
    if isinstance(error, UnicodeError):
        return "not a text file in UTF-8"
    return error.strerror or str(error)


def _split_lines(text: str) -> list[str]:
    # `str.splitlines` also splits at characters that editors do not treat as line ends.
    parts = text.split("\n")
    return [f"{part}\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def make_zip(files: Iterable[File]) -> bytes:
    """Return a zip archive of files as bytes.

    Blocks, which are sections of an AGENTS.md, are combined into one file. The members have a fixed
    time and mode, so identical files produce identical archives.
    """
    texts_by_path: dict[str, str] = {}
    for file in files:
        if file.block is None:
            texts_by_path[file.path] = file.text
        else:
            earlier_text = texts_by_path.get(file.path, "")
            texts_by_path[file.path] = insert_block(earlier_text, file)
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for path, text in texts_by_path.items():
            member = zipfile.ZipInfo(path, _MEMBER_TIME)
            member.compress_type = zipfile.ZIP_DEFLATED
            member.external_attr = _MEMBER_MODE
            archive.writestr(member, text.encode())
    return data.getvalue()


def is_zip_archive(path: Path) -> bool:
    """Return whether a path is a zip archive."""
    return path.is_file() and zipfile.is_zipfile(path)


def read_zip(source: Path | bytes) -> tuple[list[File], list[Remark]]:
    """Return the text files in a zip archive, and remarks about the files left out.

    The archive may come from an untrusted source. Paths that lead outside the folder are skipped,
    and the size of the content is limited while it is read.

    Args:
        source: The path of the archive, or its content.

    Raises:
        AgentFilesError: The archive is damaged, encrypted or too large.
    """
    where = "the archive" if isinstance(source, bytes) else str(source)
    zip_file = io.BytesIO(source) if isinstance(source, bytes) else source
    files: list[File] = []
    report: list[Remark] = []
    total_bytes = 0
    try:
        with zipfile.ZipFile(zip_file) as archive:
            members = [member for member in archive.infolist() if not member.is_dir()]
            if len(members) > MAX_IMPORT_FILES:
                raise AgentFilesError(f"more than {MAX_IMPORT_FILES:,} files", where=where)
            for member in members:
                if not is_portable_path(member.filename):
                    message = "the path leads out of the folder; left out"
                    report.append(Remark("file", message, path=member.filename))
                    continue
                # The sizes that an archive states may be false, so never read more than the limit.
                with archive.open(member) as file:
                    data = file.read(MAX_IMPORT_CHARACTERS - total_bytes + 1)
                total_bytes += len(data)
                if total_bytes > MAX_IMPORT_CHARACTERS:
                    raise AgentFilesError(
                        f"more than {MAX_IMPORT_CHARACTERS:,} bytes when unpacked", where=where
                    )
                _add_file(files, report, member.filename, data)
    except (zipfile.BadZipFile, OSError, EOFError, NotImplementedError, RuntimeError) as error:
        raise AgentFilesError(f"not a readable zip archive: {error}", where=where) from None
    return files, report


def _add_file(files: list[File], report: list[Remark], path: str, data: bytes) -> None:
    try:
        files.append(File(path=path, text=data.decode()))
    except UnicodeDecodeError:
        text = "not a text file in UTF-8; left out"
        report.append(Remark("file", text, path=path))
