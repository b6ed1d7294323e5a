"""Files of a skill: listing, reading, sizes and digests.

A file is found by listing the skill's directory, never by following a path from a client. Entries
are identified by device and inode: if a file is replaced between listing and opening, the new one
is not read, so a swapped symbolic link cannot lead outside the directory.
"""

from __future__ import annotations

import os
import stat
from contextlib import contextmanager, suppress
from functools import partial
from hashlib import sha256
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from paddock.authoring.frontmatter import (
    check_frontmatter,
    encode_frontmatter,
    encode_utf8,
    parse_frontmatter,
    to_json_value,
)
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
    """The digest and size with which clients verify a file."""

    digest: str
    size: int


class SkillTree(NamedTuple):
    """The files and directories of a skill, by relative paths with slashes."""

    sizes: dict[str, int | None]
    directories: set[str]


class SkillManifest(NamedTuple):
    """Frontmatter and digests of a skill. `digests` is None if any content is generated."""

    frontmatter: Json
    digests: dict[str, FileDigest] | None


class SkillFiles(Protocol):
    """Access to the files of one skill."""

    @property
    def content_functions(self) -> Mapping[str, Callable[..., Any]]:
        """The functions that generate content on demand, by path."""

    def get_frontmatter(self) -> Json:
        """Return the frontmatter fields of the SKILL.md."""

    def get_tree(self) -> SkillTree:
        """Return files and directories; a generated file has no size."""

    def get_manifest(self) -> SkillManifest:
        """Return the current frontmatter and all digests."""

    def read_file(self, path: str) -> bytes | None:
        """Return the content of a file; None if it does not exist or is generated."""

    def get_frontmatter_bytes(self, path: str) -> bytes:
        """Return the bytes to put before the content that a function generates."""


class _ListedEntry(NamedTuple):
    """An entry of a directory as the scan sees it."""

    name: str
    entry: _FileEntry
    """The file or directory itself. For a link, it is the target."""
    is_link: bool


class _FileEntry(NamedTuple):
    """A file or directory, identified by inode because its name may be reused at any moment."""

    path: str
    status: os.stat_result

    @classmethod
    def from_path(cls, path: str) -> _FileEntry:
        """Return the entry at a path, following links."""
        with _convert_read_errors(path):
            return cls(path, os.stat(path))

    @property
    def identity(self) -> FileIdentity:
        """Device and inode."""
        return (self.status.st_dev, self.status.st_ino)

    @property
    def stamp(self) -> FileStamp:
        """Values that differ if the file has changed."""
        status = self.status
        return (status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino)

    def read_content(self) -> bytes:
        """Read the file."""
        with (
            _convert_read_errors(self.path),
            self._open(os.O_RDONLY | _BINARY_FLAG) as descriptor,
            open(descriptor, "rb", closefd=False) as file,
        ):
            data = file.read(MAX_SKILL_BYTES + 1)
        # The file may have grown since it was listed.
        check_skill_size(0, len(data), self.path)
        return data

    def list_entries(self) -> list[_ListedEntry]:
        """Return the visible entries of a directory."""
        with _convert_read_errors(self.path):
            # Windows cannot list a directory by its descriptor.
            if os.scandir not in os.supports_fd:
                return _scan_entries(self.path, self.path)
            with self._open(os.O_RDONLY) as descriptor:
                return _scan_entries(self.path, descriptor)

    @contextmanager
    def _open(self, flags: int) -> Iterator[int]:
        """Open the entry without following links, and check that it is still the same file."""
        descriptor = os.open(self.path, flags | _NO_FOLLOW_FLAGS)
        try:
            # Another process may have replaced the path, or a directory above it, by a link.
            if not os.path.samestat(os.fstat(descriptor), self.status):
                raise OSError("it was replaced while being read")
            yield descriptor
        finally:
            os.close(descriptor)


class DirectorySkillFiles:
    """A skill in a directory.

    Each call reads the disk, since files may change at any time. Digests are cached as long as the
    stamps of their files are the same.
    """

    def __init__(self, directory: str, name: str) -> None:
        self.content_functions: Mapping[str, Callable[..., Any]] = {}
        self._directory = directory
        self._name = name
        self._parsed_frontmatter: tuple[bytes, Json] | None = None
        self._digests: dict[str, tuple[FileStamp, FileDigest]] = {}
        self.get_frontmatter()

    def get_frontmatter(self) -> Json:
        """Return the frontmatter fields of the SKILL.md."""
        return self._parse_frontmatter(self._read_skill_file(self._list_files_and_directories()[0]))

    def get_tree(self) -> SkillTree:
        """Return files and directories."""
        files, directories = self._list_files_and_directories()
        sizes: dict[str, int | None] = {path: entry.status.st_size for path, entry in files.items()}
        return SkillTree(sizes, directories)

    def get_manifest(self) -> SkillManifest:
        """Return the current frontmatter and all digests."""
        files, _ = self._list_files_and_directories()
        # Both the fields and the digest are computed from this content of the SKILL.md. Two reads
        # could return different contents.
        data = self._read_skill_file(files)
        fields = self._parse_frontmatter(data)
        digests = {path: self._get_digest(path, entry) for path, entry in files.items()}
        digests[SKILL_FILE_NAME] = compute_digest(data)
        # The cache is replaced, so that files that no longer exist are removed from it.
        self._digests = {path: (files[path].stamp, digest) for path, digest in digests.items()}
        return SkillManifest(fields, digests)

    def read_file(self, path: str) -> bytes | None:
        """Return the content of a file, or None if it does not exist."""
        entry = self._list_files_and_directories()[0].get(path)
        return None if entry is None else entry.read_content()

    def get_frontmatter_bytes(self, path: str) -> bytes:
        """Return nothing: files are served unchanged."""
        return b""

    def _get_digest(self, path: str, entry: _FileEntry) -> FileDigest:
        stamp, digest = self._digests.get(path, (None, None))
        if digest is None or stamp != entry.stamp:
            return compute_digest(entry.read_content())
        return digest

    def _read_skill_file(self, files: dict[str, _FileEntry]) -> bytes:
        """Return the content of the SKILL.md, which every skill must have."""
        entry = files.get(SKILL_FILE_NAME)
        if entry is None:
            raise DefinitionError(
                f"is not a skill: it has no {SKILL_FILE_NAME}",
                where=self._directory,
                hint="expected a file of that name; links out of the directory are ignored",
            )
        return entry.read_content()

    def _parse_frontmatter(self, data: bytes) -> Json:
        if self._parsed_frontmatter is None or self._parsed_frontmatter[0] != data:
            where = f"{self._directory}/{SKILL_FILE_NAME}"
            fields = parse_frontmatter(data, where)
            check_frontmatter(fields, self._name, where)
            self._parsed_frontmatter = (data, fields)
        return self._parsed_frontmatter[1]

    def _list_files_and_directories(self) -> tuple[dict[str, _FileEntry], set[str]]:
        """Return all files and directories that may be served, by relative path.

        Links are followed only to files and directories that the scan has found inside the skill.
        Otherwise a link could make any file of the machine readable for clients.
        """
        regular_files, contents, root = self._scan_directories()
        files: dict[str, _FileEntry] = {}
        directories: set[str] = set()
        pending: list[tuple[str, tuple[FileIdentity, ...]]] = [("", (root,))]
        total_bytes = 0
        while pending:
            directory, ancestors = pending.pop()
            directories.add(directory)
            for name, identity in contents[ancestors[-1]]:
                path = f"{directory}/{name}" if directory else name
                if identity in regular_files:
                    files[path] = regular_files[identity]
                    total_bytes += regular_files[identity].status.st_size
                elif identity in contents and identity not in ancestors:  # links can form cycles
                    pending.append((path, (*ancestors, identity)))
            check_skill_size(
                max(len(files), len(directories) + len(pending)), total_bytes, self._directory
            )
        return dict(sorted(files.items())), directories

    def _scan_directories(
        self,
    ) -> tuple[dict[FileIdentity, _FileEntry], DirectoryContents, FileIdentity]:
        """Return the regular files, the contents of each directory, and the root directory.

        Contents list a link under the identity of its target. Only after the scan is it known
        whether the target is inside the skill.
        """
        regular_files: dict[FileIdentity, _FileEntry] = {}
        contents: DirectoryContents = {}
        root = _FileEntry.from_path(os.path.realpath(self._directory))
        pending = [root]
        while pending:
            directory = pending.pop()
            children = contents[directory.identity] = []
            for name, entry, is_link in directory.list_entries():
                children.append((name, entry.identity))
                # The scan itself does not follow links, so it stays inside the skill.
                if not is_link and stat.S_ISDIR(entry.status.st_mode):
                    pending.append(entry)
                elif not is_link and stat.S_ISREG(entry.status.st_mode):
                    regular_files[entry.identity] = entry
            # Checked during the scan, so that a huge directory is not read to its end.
            entry_count = max(len(regular_files), len(contents) + len(pending))
            check_skill_size(entry_count, 0, self._directory)
        return regular_files, contents, root.identity


class InlineSkillFiles:
    """A skill declared in Python."""

    def __init__(
        self,
        name: str,
        description: str,
        body: FileContent,
        files: Mapping[str, FileContent],
        frontmatter: Mapping[str, Any],
    ) -> None:
        identity = {"name": name, "description": description}
        self._frontmatter: Json = {
            key: to_json_value(value, name)
            for key, value in {**identity, **frontmatter, **identity}.items()
        }
        check_frontmatter(self._frontmatter, name, name)
        for path in files:
            _check_file_path(path, files, name)
        # The blank line separates frontmatter and Markdown.
        self._frontmatter_bytes = encode_frontmatter(self._frontmatter, name) + b"\n"
        contents = {SKILL_FILE_NAME: body, **files}
        self.content_functions: Mapping[str, Callable[..., Any]] = {
            path: content for path, content in contents.items() if callable(content)
        }
        self._content_by_path = {
            path: _encode_content(content, path, name)
            for path, content in contents.items()
            if not callable(content)
        }
        self._digests: dict[str, FileDigest] | None = None
        check_skill_size(len(contents), sum(map(len, self._content_by_path.values())), name)

    def get_frontmatter(self) -> Json:
        """Return the frontmatter fields of the SKILL.md."""
        return self._frontmatter

    def get_tree(self) -> SkillTree:
        """Return files and directories; a generated file has no size."""
        sizes: dict[str, int | None] = {}
        for path in sorted({*self._content_by_path, *self.content_functions}):
            data = self.read_file(path)
            sizes[path] = None if data is None else len(data)
        parents = (parent for path in sizes for parent in _iter_parents(path))
        return SkillTree(sizes, {"", *parents})

    def get_manifest(self) -> SkillManifest:
        """Return the frontmatter and all digests, or no digests if any content is generated."""
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
        """Return the content of a file; None if it does not exist or is generated."""
        content = self._content_by_path.get(path)
        return None if content is None else self.get_frontmatter_bytes(path) + content

    def get_frontmatter_bytes(self, path: str) -> bytes:
        """Return the frontmatter for the SKILL.md, and nothing for other files."""
        return self._frontmatter_bytes if path == SKILL_FILE_NAME else b""


def compute_digest(data: bytes) -> FileDigest:
    """Return the digest and size of some bytes."""
    return FileDigest(f"sha256:{sha256(data).hexdigest()}", len(data))


def check_skill_size(file_count: int, total_bytes: int, where: str) -> None:
    """Raise an error if a skill exceeds the limits up to which clients must accept skills."""
    if file_count > MAX_SKILL_FILES:
        raise DefinitionError(
            f"has more than {MAX_SKILL_FILES} files or directories",
            where=where,
            hint="clients may reject a larger skill: remove files that a model does not read",
        )
    if total_bytes > MAX_SKILL_BYTES:
        raise DefinitionError(
            f"has {total_bytes} bytes",
            where=where,
            hint=f"clients may reject a skill of more than {MAX_SKILL_BYTES} bytes",
        )


def is_hidden(name: str) -> bool:
    """Return whether a file or directory is excluded from skills."""
    return name.startswith(".") or name == "__pycache__"


def _check_file_path(path: str, paths: Mapping[str, object], where: str) -> None:
    """Raise an error unless a declared path is relative, visible and not inside another file."""
    segments = path.split("/")
    is_invalid = "\\" in path or "\0" in path or not path.isprintable() or path == SKILL_FILE_NAME
    if is_invalid or any(not segment or is_hidden(segment) for segment in segments):
        raise DefinitionError(
            f"{path!r} cannot be a file of a skill",
            where=where,
            hint=(
                f"expected a relative path as in scripts/run.py, not {SKILL_FILE_NAME} and "
                "nothing hidden"
            ),
        )
    if any(parent in paths or parent == SKILL_FILE_NAME for parent in _iter_parents(path)):
        raise DefinitionError(f"{path!r} has a file as parent directory", where=where)


def _encode_content(content: object, path: str, where: str) -> bytes:
    """Return the bytes of a declared text or of declared bytes."""
    if isinstance(content, bytes):
        return content
    if isinstance(content, str):
        return encode_utf8(content, f"{where}: {path}")
    raise DefinitionError(
        f"{path} is a {type(content).__name__}",
        where=where,
        hint="expected a string, bytes, or a function that returns them",
    )


def _iter_parents(path: str) -> Iterator[str]:
    """Yield the directories that contain a file, innermost first."""
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


def _scan_entries(path: str, directory: str | int) -> list[_ListedEntry]:
    """Return the visible entries of a directory, sorted by name; see `_FileEntry.list_entries`.

    Args:
        path: The path of the directory.
        directory: Its open descriptor, or the path again where descriptors cannot be listed.
    """
    listed_entries: list[_ListedEntry] = []
    with os.scandir(directory) as entries:
        for entry in entries:
            if is_hidden(entry.name):
                continue
            # On Windows, the result of `DirEntry.stat` has no inode, but that of `os.stat` has.
            read_status = entry.stat if isinstance(directory, int) else partial(os.stat, entry.path)
            with suppress(OSError):  # deleted since the scan, or a broken link
                status = read_status(follow_symlinks=False)
                is_link = stat.S_ISLNK(status.st_mode)
                if is_link:
                    status = read_status(follow_symlinks=True)
                file_entry = _FileEntry(os.path.join(path, entry.name), status)
                listed_entries.append(_ListedEntry(entry.name, file_entry, is_link))
            if len(listed_entries) > 2 * MAX_SKILL_FILES:
                break  # over the limit of files or of directories; the caller reports it
    return sorted(listed_entries, key=itemgetter(0))


@contextmanager
def _convert_read_errors(path: str) -> Iterator[None]:
    """Convert an OSError to a DefinitionError with the path."""
    try:
        yield
    except OSError as error:
        text = error.strerror or str(error)
        raise DefinitionError(f"cannot be read: {text}", where=path) from None
