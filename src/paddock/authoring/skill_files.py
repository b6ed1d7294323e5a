"""The files of a skill: what there is, how large it is, what it holds, and its digest.

A file is only ever found by looking what the directory holds, never by following a path that a
client has sent. When the file system changes under our feet, what is opened is not what was
found, and is not read.
"""

from __future__ import annotations

import os
import stat
from contextlib import contextmanager, suppress
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from paddock.authoring.frontmatter import check_frontmatter, encode_frontmatter, to_json_value
from paddock.errors import DefinitionError
from paddock.protocol.versions import SKILL_FILE_NAME

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    FileContent = str | bytes | Callable[..., Any]

Json = dict[str, Any]
FileStamp = tuple[int, int, int, int]
FileIdentity = tuple[int, int]
DirectoryContents = dict[FileIdentity, list[tuple[str, FileIdentity]]]

MAX_SKILL_FILES = 512
MAX_SKILL_BYTES = 16 * 1024 * 1024
_NO_FOLLOW_FLAGS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_BINARY_FLAG = getattr(os, "O_BINARY", 0)


class FileDigest(NamedTuple):
    """What a client checks a file against."""

    digest: str
    size: int


class SkillTree(NamedTuple):
    """What a skill consists of, by relative paths with slashes."""

    sizes: dict[str, int | None]
    directories: set[str]


class SkillManifest(NamedTuple):
    """A skill at one moment: what it says of itself, and its files; None if they are dynamic."""

    frontmatter: Json
    digests: dict[str, FileDigest] | None


class SkillFiles(Protocol):
    """The files of one skill."""

    @property
    def content_functions(self) -> Mapping[str, Callable[..., Any]]:
        """The functions that make files on demand, by their paths."""

    def get_frontmatter(self) -> Json:
        """The fields of the SKILL.md."""

    def get_tree(self) -> SkillTree:
        """The files and directories; a file that is made on demand has no size."""

    def get_manifest(self) -> SkillManifest:
        """The frontmatter and all digests, as of now."""

    def read_file(self, path: str) -> bytes | None:
        """What a file holds; None when there is no such file, or it is made on demand."""

    def get_frontmatter_bytes(self, path: str) -> bytes:
        """What stands above what such a function makes."""


class _FileEntry(NamedTuple):
    """A file or a directory, known by what it is: its name may be another's at any moment."""

    path: str
    status: os.stat_result

    @classmethod
    def from_path(cls, place: str) -> _FileEntry:
        """What is at a place."""
        with _convert_read_errors(place):
            return cls(place, os.stat(place))  # noqa: PTH116 - a path as text

    @property
    def identity(self) -> FileIdentity:
        """What tells it from all others."""
        return (self.status.st_dev, self.status.st_ino)

    @property
    def stamp(self) -> FileStamp:
        """What differs when a file has changed."""
        status = self.status
        return (status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino)

    def read_content(self) -> bytes:
        """The bytes of a file."""
        with (
            _convert_read_errors(self.path),
            self._open(os.O_RDONLY | _BINARY_FLAG) as descriptor,
            open(descriptor, "rb", closefd=False) as file,
        ):
            data = file.read(MAX_SKILL_BYTES + 1)
        check_skill_size(0, len(data), self.path)
        return data

    def list_entries(self) -> list[tuple[str, _FileEntry, bool]]:
        """What a directory holds and is not hidden: its name, what it is, and if by a link."""
        with _convert_read_errors(self.path):
            if os.scandir not in os.supports_fd:
                return _scan_entries(self.path, self.path)
            with self._open(os.O_RDONLY) as descriptor:
                return _scan_entries(self.path, descriptor)

    @contextmanager
    def _open(self, flags: int) -> Iterator[int]:
        descriptor = os.open(self.path, flags | _NO_FOLLOW_FLAGS)
        try:
            # A link in place of a directory above would have led us anywhere.
            if not os.path.samestat(os.fstat(descriptor), self.status):
                raise OSError("it has just been replaced")
            yield descriptor
        finally:
            os.close(descriptor)


class DirectorySkillFiles:
    """A skill that is a directory on disk. Every question is answered from the disk as it is."""

    def __init__(self, place: str, name: str) -> None:
        self.content_functions: Mapping[str, Callable[..., Any]] = {}
        self._directory = place
        self._name = name
        self._parsed_frontmatter: tuple[bytes, Json] | None = None
        self._digests: dict[str, tuple[FileStamp, FileDigest]] = {}
        self.get_frontmatter()

    def get_frontmatter(self) -> Json:
        """The fields of the SKILL.md."""
        return self._parse_frontmatter(self._read_skill_file(self._list_files_and_directories()[0]))

    def get_tree(self) -> SkillTree:
        """The files and directories."""
        files, directories = self._list_files_and_directories()
        return SkillTree({path: found.status.st_size for path, found in files.items()}, directories)

    def get_manifest(self) -> SkillManifest:
        """The frontmatter and all digests, as of now."""
        files, _ = self._list_files_and_directories()
        # The SKILL.md is read anew, so that its fields and its digest are of the same moment.
        data = self._read_skill_file(files)
        fields = self._parse_frontmatter(data)
        digests = {path: self._get_digest(path, found) for path, found in files.items()}
        digests[SKILL_FILE_NAME] = compute_digest(data)
        self._digests = {path: (files[path].stamp, digest) for path, digest in digests.items()}
        return SkillManifest(fields, digests)

    def read_file(self, path: str) -> bytes | None:
        """What a file holds; None when there is no such file."""
        found = self._list_files_and_directories()[0].get(path)
        return None if found is None else found.read_content()

    def get_frontmatter_bytes(self, path: str) -> bytes:
        """Nothing: a file is served as it is."""
        return b""

    def _get_digest(self, path: str, found: _FileEntry) -> FileDigest:
        kept = self._digests.get(path)
        return kept[1] if kept and kept[0] == found.stamp else compute_digest(found.read_content())

    def _read_skill_file(self, files: dict[str, _FileEntry]) -> bytes:
        found = files.get(SKILL_FILE_NAME)
        if found is None:
            raise DefinitionError(
                f"is not a skill: it has no {SKILL_FILE_NAME}",
                where=self._directory,
                hint="expected a file of that name; a link out of the directory does not count",
            )
        return found.read_content()

    def _parse_frontmatter(self, data: bytes) -> Json:
        if self._parsed_frontmatter is None or self._parsed_frontmatter[0] != data:
            from paddock.authoring.frontmatter_parser import parse_frontmatter  # noqa: PLC0415 - 30 ms

            where = f"{self._directory}/{SKILL_FILE_NAME}"
            fields = parse_frontmatter(data, where)
            check_frontmatter(fields, self._name, where)
            self._parsed_frontmatter = (data, fields)
        return self._parsed_frontmatter[1]

    def _list_files_and_directories(self) -> tuple[dict[str, _FileEntry], set[str]]:
        """Every file and directory that may be served, by its relative path."""
        plain, contents, root = self._scan_directories()
        files: dict[str, _FileEntry] = {}
        directories: set[str] = set()
        waiting: list[tuple[str, tuple[FileIdentity, ...]]] = [("", (root,))]
        total = 0
        while waiting:
            relative, above = waiting.pop()
            directories.add(relative)
            for name, identity in contents[above[-1]]:
                path = f"{relative}/{name}" if relative else name
                if identity in plain:
                    files[path] = plain[identity]
                    total += plain[identity].status.st_size
                elif identity in contents and identity not in above:
                    waiting.append((path, (*above, identity)))
            check_skill_size(
                max(len(files), len(directories) + len(waiting)), total, self._directory
            )
        return dict(sorted(files.items())), directories

    def _scan_directories(
        self,
    ) -> tuple[dict[FileIdentity, _FileEntry], DirectoryContents, FileIdentity]:
        """The files and the directories that lie in the skill itself, and the skill.

        A link is in what a directory holds as what it leads to; whether that is in the skill too
        is known in the end.
        """
        plain: dict[FileIdentity, _FileEntry] = {}
        contents: DirectoryContents = {}
        root = _FileEntry.from_path(os.path.realpath(self._directory))
        waiting = [root]
        while waiting:
            directory = waiting.pop()
            held = contents[directory.identity] = []
            for name, found, is_link in directory.list_entries():
                held.append((name, found.identity))
                if not is_link and stat.S_ISDIR(found.status.st_mode):
                    waiting.append(found)
                elif not is_link and stat.S_ISREG(found.status.st_mode):
                    plain[found.identity] = found
            check_skill_size(max(len(plain), len(contents) + len(waiting)), 0, self._directory)
        return plain, contents, root.identity


class InlineSkillFiles:
    """A skill that its author has written in Python."""

    def __init__(
        self,
        name: str,
        description: str,
        body: FileContent,
        files: Mapping[str, FileContent],
        frontmatter: Mapping[str, Any],
    ) -> None:
        own = {"name": name, "description": description}
        self._frontmatter: Json = {
            key: to_json_value(value, name) for key, value in {**own, **frontmatter, **own}.items()
        }
        check_frontmatter(self._frontmatter, name, name)
        for path in files:
            _check_file_path(path, files, name)
        self._frontmatter_bytes = encode_frontmatter(self._frontmatter, name) + b"\n"
        given = {SKILL_FILE_NAME: body, **files}
        self.content_functions: Mapping[str, Callable[..., Any]] = {
            path: content for path, content in given.items() if callable(content)
        }
        self._content_by_path = {
            path: _encode_content(content, path, name)
            for path, content in given.items()
            if not callable(content)
        }
        self._digests: dict[str, FileDigest] | None = None
        check_skill_size(len(given), sum(map(len, self._content_by_path.values())), name)

    def get_frontmatter(self) -> Json:
        """The fields of the SKILL.md."""
        return self._frontmatter

    def get_tree(self) -> SkillTree:
        """The files and directories; a file that is made on demand has no size."""
        sizes: dict[str, int | None] = {}
        for path in sorted({*self._content_by_path, *self.content_functions}):
            data = self.read_file(path)
            sizes[path] = None if data is None else len(data)
        return SkillTree(sizes, {"", *(above for path in sizes for above in _iter_parents(path))})

    def get_manifest(self) -> SkillManifest:
        """The frontmatter and all digests; none if anything is made on demand."""
        if self.content_functions:
            return SkillManifest(self._frontmatter, None)
        if self._digests is None:
            files = {
                path: self.get_frontmatter_bytes(path) + self._content_by_path[path]
                for path in sorted(self._content_by_path)
            }
            self._digests = {path: compute_digest(data) for path, data in files.items()}
        return SkillManifest(self._frontmatter, self._digests)

    def read_file(self, path: str) -> bytes | None:
        """What a file holds; None when there is no such file, or it is made on demand."""
        content = self._content_by_path.get(path)
        return None if content is None else self.get_frontmatter_bytes(path) + content

    def get_frontmatter_bytes(self, path: str) -> bytes:
        """What stands above what the author has written."""
        return self._frontmatter_bytes if path == SKILL_FILE_NAME else b""


def compute_digest(data: bytes) -> FileDigest:
    """What a client checks these bytes against."""
    import hashlib  # noqa: PLC0415 - OpenSSL is 4 MB

    return FileDigest(f"sha256:{hashlib.sha256(data).hexdigest()}", len(data))


def check_skill_size(count: int, total: int, where: str) -> None:
    """Whether every client can be expected to take a skill of this size."""
    if count > MAX_SKILL_FILES:
        raise DefinitionError(
            f"has more than {MAX_SKILL_FILES} files or directories",
            where=where,
            hint="clients need not take a larger skill: leave out what a model does not read",
        )
    if total > MAX_SKILL_BYTES:
        raise DefinitionError(
            f"has {total} bytes",
            where=where,
            hint=f"clients need not take a skill of more than {MAX_SKILL_BYTES}",
        )


def is_hidden(name: str) -> bool:
    """Whether a file or directory is nobody's business."""
    return name.startswith(".") or name == "__pycache__"


def _check_file_path(path: str, others: Mapping[str, object], where: str) -> None:
    segments = path.split("/")
    is_odd = "\\" in path or "\0" in path or not path.isprintable() or path == SKILL_FILE_NAME
    if is_odd or any(not segment or is_hidden(segment) for segment in segments):
        raise DefinitionError(
            f"{path!r} cannot be a file of a skill",
            where=where,
            hint=f"expected a relative path as in scripts/run.py, not {SKILL_FILE_NAME}, nothing hidden",
        )
    if any(above in others or above == SKILL_FILE_NAME for above in _iter_parents(path)):
        raise DefinitionError(f"{path!r} lies in what is a file itself", where=where)


def _encode_text(text: str, where: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise DefinitionError(
            "has half a character", where=where, hint="expected text that UTF-8 can say"
        ) from None


def _encode_content(content: object, path: str, where: str) -> bytes:
    if isinstance(content, bytes):
        return content
    if isinstance(content, str):
        return _encode_text(content, f"{where}: {path}")
    raise DefinitionError(
        f"{path} is a {type(content).__name__}",
        where=where,
        hint="expected a text, bytes, or a function that returns them",
    )


def _iter_parents(path: str) -> Iterator[str]:
    """The directories that a file lies in."""
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


def _scan_entries(place: str, directory: str | int) -> list[tuple[str, _FileEntry, bool]]:
    found: list[tuple[str, _FileEntry, bool]] = []
    with os.scandir(directory) as entries:
        for entry in entries:
            if is_hidden(entry.name):
                continue
            path = os.path.join(place, entry.name)  # noqa: PTH118 - a path as text
            with suppress(OSError):  # it is gone, or a link that leads nowhere
                status = _stat_entry(entry, directory, is_followed=False)
                is_link = stat.S_ISLNK(status.st_mode)
                if is_link:
                    status = _stat_entry(entry, directory, is_followed=True)
                found.append((entry.name, _FileEntry(path, status), is_link))
            if len(found) > 2 * MAX_SKILL_FILES:
                break  # too many, be they files or directories
    return sorted(found, key=itemgetter(0))


def _stat_entry(
    entry: os.DirEntry[str], directory: str | int, *, is_followed: bool
) -> os.stat_result:
    if isinstance(directory, int):
        return entry.stat(follow_symlinks=is_followed)
    # Windows tells an entry's identity only when it is asked about it alone.
    return os.stat(entry.path, follow_symlinks=is_followed)  # noqa: PTH116 - a path as text


@contextmanager
def _convert_read_errors(place: str) -> Iterator[None]:
    """Say what cannot be read, and why."""
    try:
        yield
    except OSError as error:
        text = error.strerror or str(error)
        raise DefinitionError(f"cannot be read: {text}", where=place) from None
