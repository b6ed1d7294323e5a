"""Agents' files in one zip archive, and read from one within limits."""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING

from paddock.zoo.formats.agents_md import insert_block
from paddock.zoo.formats.converting import MAX_IMPORT_CHARACTERS, MAX_IMPORT_FILES
from paddock.zoo.formats.exchange import AgentFilesError, File, Remark
from paddock.zoo.formats.names import is_portable_path

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

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
