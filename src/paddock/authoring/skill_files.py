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

from paddock.authoring.frontmatter import check_fields, plain, write_frontmatter
from paddock.errors import DefinitionError
from paddock.protocol.extensions import SKILL_FILE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    FileContent = str | bytes | Callable[..., Any]

Json = dict[str, Any]
Stamp = tuple[int, int, int, int]
Identity = tuple[int, int]
Contents = dict[Identity, list[tuple[str, Identity]]]

MAX_FILES = 512
MAX_BYTES = 16 * 1024 * 1024
_LINKS_REFUSED = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_BINARY = getattr(os, "O_BINARY", 0)


class Digest(NamedTuple):
    """What a client checks a file against."""

    digest: str
    size: int


class Tree(NamedTuple):
    """What a skill consists of, by relative paths with slashes."""

    sizes: dict[str, int | None]
    directories: set[str]


class Manifest(NamedTuple):
    """A skill at one moment: what it says of itself, and its files; None if they are dynamic."""

    frontmatter: Json
    digests: dict[str, Digest] | None


class SkillFiles(Protocol):
    """The files of one skill."""

    @property
    def makers(self) -> Mapping[str, Callable[..., Any]]:
        """The functions that make files on demand, by their paths."""

    def frontmatter(self) -> Json:
        """The fields of the SKILL.md."""

    def tree(self) -> Tree:
        """The files and directories; a file that is made on demand has no size."""

    def manifest(self) -> Manifest:
        """The frontmatter and all digests, as of now."""

    def read(self, path: str) -> bytes | None:
        """What a file holds; None when there is no such file, or it is made on demand."""

    def head(self, path: str) -> bytes:
        """What stands above what such a function makes."""


class _Found(NamedTuple):
    """A file or a directory, known by what it is: its name may be another's at any moment."""

    place: str
    status: os.stat_result

    @classmethod
    def at(cls, place: str) -> _Found:
        """What is at a place."""
        with _unreadable(place):
            return cls(place, os.stat(place))  # noqa: PTH116 - a path as text

    @property
    def identity(self) -> Identity:
        """What tells it from all others."""
        return (self.status.st_dev, self.status.st_ino)

    @property
    def stamp(self) -> Stamp:
        """What differs when a file has changed."""
        status = self.status
        return (status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino)

    def content(self) -> bytes:
        """The bytes of a file."""
        with (
            _unreadable(self.place),
            self._opened(os.O_RDONLY | _BINARY) as descriptor,
            open(descriptor, "rb", closefd=False) as file,
        ):
            data = file.read(MAX_BYTES + 1)
        check_limits(0, len(data), self.place)
        return data

    def entries(self) -> list[tuple[str, _Found, bool]]:
        """What a directory holds and is not hidden: its name, what it is, and if by a link."""
        with _unreadable(self.place):
            if os.scandir not in os.supports_fd:
                return _entries(self.place, self.place)
            with self._opened(os.O_RDONLY) as descriptor:
                return _entries(self.place, descriptor)

    @contextmanager
    def _opened(self, flags: int) -> Iterator[int]:
        descriptor = os.open(self.place, flags | _LINKS_REFUSED)
        try:
            # A link in place of a directory above would have led us anywhere.
            if not os.path.samestat(os.fstat(descriptor), self.status):
                raise OSError("it has just been replaced")
            yield descriptor
        finally:
            os.close(descriptor)


class DirectoryFiles:
    """A skill that is a directory on disk. Every question is answered from the disk as it is."""

    def __init__(self, place: str, name: str) -> None:
        self.makers: Mapping[str, Callable[..., Any]] = {}
        self._place = place
        self._name = name
        self._head: tuple[bytes, Json] | None = None
        self._digests: dict[str, tuple[Stamp, Digest]] = {}
        self.frontmatter()

    def frontmatter(self) -> Json:
        """The fields of the SKILL.md."""
        return self._fields(self._skill_file(self._walk()[0]))

    def tree(self) -> Tree:
        """The files and directories."""
        files, directories = self._walk()
        return Tree({path: found.status.st_size for path, found in files.items()}, directories)

    def manifest(self) -> Manifest:
        """The frontmatter and all digests, as of now."""
        files, _ = self._walk()
        # The SKILL.md is read anew, so that its fields and its digest are of the same moment.
        data = self._skill_file(files)
        fields = self._fields(data)
        digests = {path: self._digest(path, found) for path, found in files.items()}
        digests[SKILL_FILE] = digest_of(data)
        self._digests = {path: (files[path].stamp, digest) for path, digest in digests.items()}
        return Manifest(fields, digests)

    def read(self, path: str) -> bytes | None:
        """What a file holds; None when there is no such file."""
        found = self._walk()[0].get(path)
        return None if found is None else found.content()

    def head(self, path: str) -> bytes:
        """Nothing: a file is served as it is."""
        return b""

    def _digest(self, path: str, found: _Found) -> Digest:
        kept = self._digests.get(path)
        return kept[1] if kept and kept[0] == found.stamp else digest_of(found.content())

    def _skill_file(self, files: dict[str, _Found]) -> bytes:
        found = files.get(SKILL_FILE)
        if found is None:
            raise DefinitionError(
                f"is not a skill: it has no {SKILL_FILE}",
                where=self._place,
                hint="expected a file of that name; a link out of the directory does not count",
            )
        return found.content()

    def _fields(self, data: bytes) -> Json:
        if self._head is None or self._head[0] != data:
            from paddock.authoring.frontmatter_yaml import (  # noqa: PLC0415 - 30 ms
                read_frontmatter,
            )

            where = f"{self._place}/{SKILL_FILE}"
            fields = read_frontmatter(data, where)
            check_fields(fields, self._name, where)
            self._head = (data, fields)
        return self._head[1]

    def _walk(self) -> tuple[dict[str, _Found], set[str]]:
        """Every file and directory that may be served, by its relative path."""
        plain, contents, root = self._find()
        files: dict[str, _Found] = {}
        directories: set[str] = set()
        waiting: list[tuple[str, tuple[Identity, ...]]] = [("", (root,))]
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
            check_limits(max(len(files), len(directories) + len(waiting)), total, self._place)
        return dict(sorted(files.items())), directories

    def _find(self) -> tuple[dict[Identity, _Found], Contents, Identity]:
        """The files and the directories that lie in the skill itself, and the skill.

        A link is in what a directory holds as what it leads to; whether that is in the skill too
        is known in the end.
        """
        plain: dict[Identity, _Found] = {}
        contents: Contents = {}
        root = _Found.at(os.path.realpath(self._place))
        waiting = [root]
        while waiting:
            directory = waiting.pop()
            held = contents[directory.identity] = []
            for name, found, is_link in directory.entries():
                held.append((name, found.identity))
                if not is_link and stat.S_ISDIR(found.status.st_mode):
                    waiting.append(found)
                elif not is_link and stat.S_ISREG(found.status.st_mode):
                    plain[found.identity] = found
            check_limits(max(len(plain), len(contents) + len(waiting)), 0, self._place)
        return plain, contents, root.identity


class WrittenFiles:
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
        self._fields: Json = {
            key: plain(value, name) for key, value in {**own, **frontmatter, **own}.items()
        }
        check_fields(self._fields, name, name)
        for path in files:
            _check_path(path, files, name)
        self._head = write_frontmatter(self._fields, name) + b"\n"
        given = {SKILL_FILE: body, **files}
        self.makers: Mapping[str, Callable[..., Any]] = {
            path: content for path, content in given.items() if callable(content)
        }
        self._written = {
            path: _given(content, path, name)
            for path, content in given.items()
            if not callable(content)
        }
        self._digests: dict[str, Digest] | None = None
        check_limits(len(given), sum(map(len, self._written.values())), name)

    def frontmatter(self) -> Json:
        """The fields of the SKILL.md."""
        return self._fields

    def tree(self) -> Tree:
        """The files and directories; a file that is made on demand has no size."""
        sizes: dict[str, int | None] = {}
        for path in sorted({*self._written, *self.makers}):
            data = self.read(path)
            sizes[path] = None if data is None else len(data)
        return Tree(sizes, {"", *(above for path in sizes for above in _above(path))})

    def manifest(self) -> Manifest:
        """The frontmatter and all digests; none if anything is made on demand."""
        if self.makers:
            return Manifest(self._fields, None)
        if self._digests is None:
            files = {path: self.head(path) + self._written[path] for path in sorted(self._written)}
            self._digests = {path: digest_of(data) for path, data in files.items()}
        return Manifest(self._fields, self._digests)

    def read(self, path: str) -> bytes | None:
        """What a file holds; None when there is no such file, or it is made on demand."""
        content = self._written.get(path)
        return None if content is None else self.head(path) + content

    def head(self, path: str) -> bytes:
        """What stands above what the author has written."""
        return self._head if path == SKILL_FILE else b""


def digest_of(data: bytes) -> Digest:
    """What a client checks these bytes against."""
    import hashlib  # noqa: PLC0415 - OpenSSL is 4 MB

    return Digest(f"sha256:{hashlib.sha256(data).hexdigest()}", len(data))


def check_limits(count: int, total: int, where: str) -> None:
    """Whether every client can be expected to take a skill of this size."""
    if count > MAX_FILES:
        raise DefinitionError(
            f"has more than {MAX_FILES} files or directories",
            where=where,
            hint="clients need not take a larger skill: leave out what a model does not read",
        )
    if total > MAX_BYTES:
        raise DefinitionError(
            f"has {total} bytes",
            where=where,
            hint=f"clients need not take a skill of more than {MAX_BYTES}",
        )


def is_hidden(name: str) -> bool:
    """Whether a file or directory is nobody's business."""
    return name.startswith(".") or name == "__pycache__"


def _check_path(path: str, others: Mapping[str, object], where: str) -> None:
    segments = path.split("/")
    is_odd = "\\" in path or "\0" in path or not path.isprintable() or path == SKILL_FILE
    if is_odd or any(not segment or is_hidden(segment) for segment in segments):
        raise DefinitionError(
            f"{path!r} cannot be a file of a skill",
            where=where,
            hint=f"expected a relative path as in scripts/run.py, not {SKILL_FILE}, nothing hidden",
        )
    if any(above in others or above == SKILL_FILE for above in _above(path)):
        raise DefinitionError(f"{path!r} lies in what is a file itself", where=where)


def _as_bytes(text: str, where: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise DefinitionError(
            "has half a character", where=where, hint="expected text that UTF-8 can say"
        ) from None


def _given(content: object, path: str, where: str) -> bytes:
    if isinstance(content, bytes):
        return content
    if isinstance(content, str):
        return _as_bytes(content, f"{where}: {path}")
    raise DefinitionError(
        f"{path} is a {type(content).__name__}",
        where=where,
        hint="expected a text, bytes, or a function that returns them",
    )


def _above(path: str) -> Iterator[str]:
    """The directories that a file lies in."""
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


def _entries(place: str, directory: str | int) -> list[tuple[str, _Found, bool]]:
    found: list[tuple[str, _Found, bool]] = []
    with os.scandir(directory) as entries:
        for entry in entries:
            if is_hidden(entry.name):
                continue
            path = os.path.join(place, entry.name)  # noqa: PTH118 - a path as text
            with suppress(OSError):  # it is gone, or a link that leads nowhere
                status = _status(entry, directory, is_followed=False)
                is_link = stat.S_ISLNK(status.st_mode)
                if is_link:
                    status = _status(entry, directory, is_followed=True)
                found.append((entry.name, _Found(path, status), is_link))
            if len(found) > 2 * MAX_FILES:
                break  # too many, be they files or directories
    return sorted(found, key=itemgetter(0))


def _status(entry: os.DirEntry[str], directory: str | int, *, is_followed: bool) -> os.stat_result:
    if isinstance(directory, int):
        return entry.stat(follow_symlinks=is_followed)
    # Windows tells an entry's identity only when it is asked about it alone.
    return os.stat(entry.path, follow_symlinks=is_followed)  # noqa: PTH116 - a path as text


@contextmanager
def _unreadable(place: str) -> Iterator[None]:
    """Say what cannot be read, and why."""
    try:
        yield
    except OSError as error:
        text = error.strerror or str(error)
        raise DefinitionError(f"cannot be read: {text}", where=place) from None
