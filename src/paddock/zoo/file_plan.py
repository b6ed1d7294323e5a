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
# Files are readable for all users, because others may work on the project too.
FILE_MODE = 0o644

# A fixed time, so that the same files make the same archive.
_MEMBER_TIME = (1980, 1, 1, 0, 0, 0)
_MEMBER_MODE = 0o644 << 16


class PlannedFile(Struct, rename="camel", kw_only=True):
    """The planned change of one file."""

    path: str
    status: FileStatus
    """`foreign`: the zoo has not written the file. `refused`: it cannot be written."""
    reason: str = ""
    """The reason, if the file is refused."""
    before: str | None = None
    """The present content, or None if the file does not exist."""
    after: str = ""

    @property
    def needs_write(self) -> bool:
        """Whether applying the plan writes the file."""
        return self.status in ("new", "changed")

    def diff(self) -> str:
        """Return the change as a unified diff.

        The diff is empty if nothing changes.
        """
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
    """Return the change of a file as a unified diff. None means that the file does not exist."""
    lines = difflib.unified_diff(
        _split_lines(before or ""),
        _split_lines(after or ""),
        "/dev/null" if before is None else path,
        "/dev/null" if after is None else path,
    )
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def compute_digest(text: str) -> str:
    """Return a digest by which changes of a text are detected."""
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
        files: The files, and blocks that are inserted into their files.
        zoo_digests: Digests of files that the zoo has written before, by path.
        replace: Whether files of others may be replaced, or the paths of those that may.
    """
    planned: dict[str, PlannedFile] = {}
    for file in files:
        earlier = planned.get(file.path)
        planned_text = earlier.after if earlier else None
        planned_file = _plan_file(folder, file, zoo_digests or {}, planned_text)
        may_replace = replace if isinstance(replace, bool) else file.path in replace
        if planned_file.status == "foreign" and may_replace:
            planned_file.status = "changed"
        planned[file.path] = planned_file
    return FilePlan(folder=folder, files=list(planned.values()))


def _plan_file(
    folder: Path, file: File, zoo_digests: Mapping[str, str], planned_text: str | None
) -> PlannedFile:
    """Compare one file with its present state on the disk.

    Several blocks can go into the same AGENTS.md. `planned_text` is the text that the previous
    block has produced, or None for the first.
    """
    planned = PlannedFile(path=file.path, status="refused")
    planned.reason = find_path_problem(folder, file.path) or ""
    if planned.reason:
        return planned
    try:
        planned.before = read_text_file(folder / file.path)
        if file.block is None:
            planned.after = file.text
        else:
            text = planned.before or "" if planned_text is None else planned_text
            planned.after = insert_block(text, file)
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
    """Compare the planned text with the present one.

    A changed file is `foreign` unless its content is what the zoo wrote last, as recorded in
    `zoo_digests`.
    """
    if before is None:
        return "new"
    if before == after:
        return "unchanged"
    # A block always belongs to the zoo, even if the rest of the file is foreign.
    is_of_zoo = file.block is not None or zoo_digests.get(file.path) == compute_digest(before)
    return "changed" if is_of_zoo else "foreign"


def find_path_problem(folder: Path, path: str) -> str | None:
    """Return the reason why a path must not be written below a folder, or None."""
    if not is_portable_path(path):
        return "the path leads out of the folder, or is not valid on every system"
    target = folder / path
    try:
        root = folder.resolve()
        # `resolve` follows the links of all parents, also of a target that does not exist.
        if not target.resolve().is_relative_to(root):
            return "a symbolic link leads out of the folder"
    except (OSError, RuntimeError) as error:
        return f"the path cannot be resolved: {error}"
    return None


def read_text_file(path: Path) -> str | None:
    """Return the text of a file with its line ends unchanged, or None if it does not exist.

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

    A file that has changed since it was planned, or cannot be written, is skipped. The result has
    the reason. The other files are still written.
    """
    return [_write_file(plan.folder, file) for file in plan.files if file.needs_write]


def _write_file(folder: Path, file: PlannedFile) -> FileWriteResult:
    """Write one planned file, or return the reason why it was not written."""
    target = folder / file.path

    def check() -> None:
        reason = find_path_problem(folder, file.path)
        if reason is not None:
            raise PermissionError(reason)
        if read_text_file(target) != file.before:
            raise FileExistsError("the file has changed since it was planned")

    try:
        check()
        # `check` runs a second time just before the rename, when the new content is already on the
        # disk. The file may have changed during the write.
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
        return "not a text file in UTF-8"
    return error.strerror or str(error)


def _split_lines(text: str) -> list[str]:
    # `str.splitlines` also splits at characters that editors do not treat as line ends.
    parts = text.split("\n")
    return [f"{part}\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def pack_files(files: Iterable[File]) -> bytes:
    """Return a zip archive of files, with the blocks of one file combined."""
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
    """Return whether a path is a zip archive."""
    return path.is_file() and zipfile.is_zipfile(path)


def unpack_files(source: Path | bytes) -> tuple[list[File], list[Remark]]:
    """Return the text files in an archive, and remarks about the files left out.

    The archive may come from an untrusted source. Paths that lead out of the folder are skipped,
    and the size of the content is limited while it is read.

    Raises:
        AgentFilesError: The archive is damaged, or too large.
    """
    where = "the archive" if isinstance(source, bytes) else str(source)
    files: list[File] = []
    report: list[Remark] = []
    size = 0
    try:
        with zipfile.ZipFile(
            io.BytesIO(source) if isinstance(source, bytes) else source
        ) as archive:
            members = [member for member in archive.infolist() if not member.is_dir()]
            if len(members) > MAX_IMPORT_FILES:
                raise AgentFilesError(f"more than {MAX_IMPORT_FILES:,} files", where=where)
            for member in members:
                if not is_portable_path(member.filename):
                    text = "the path leads out of the folder; left out"
                    report.append(Remark("file", text, path=member.filename))
                    continue
                # Sizes in the archive's directory may be false. Never read more than the limit.
                with archive.open(member) as file:
                    data = file.read(MAX_IMPORT_CHARACTERS - size + 1)
                size += len(data)
                if size > MAX_IMPORT_CHARACTERS:
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
