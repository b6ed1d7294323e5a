"""What definition files hold, read from wherever they are.

Data is read. Python is run, unless nothing may be run; then it is only parsed. Each file is read
once for all items that it defines.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from paddock.errors import LoadError
from paddock.extensions.definition_files import MAX_BYTES, DefinitionFile, parse_table
from paddock.extensions.paclets.definitions import CLOSED, PacletDefinition
from paddock.extensions.paclets.sources import read_content
from paddock.extensions.paclets.tables import table_of
from paddock.suggestions import did_you_mean
from paddock.validation.finding import Place
from paddock.wolfram.data import Held

if TYPE_CHECKING:
    from paddock.extensions.manifest import Kind
    from paddock.extensions.paclets.definitions import ItemFiles
    from paddock.validation.subject import Subject

_REQUIRED: dict[str, tuple[str, ...]] = {
    "tools": ("Name", "Function", "Parameters"),
    "prompts": ("Name",),
    "servers": ("LLMEvaluator",),
}
"""What definitions in paclets have to have, as the Wolfram documents say."""
_SHARED = ("Name", "Description", "DisplayName")
_KNOWN: dict[str, tuple[str, ...]] = {
    "tools": (*_SHARED, "Function", "Parameters", "Options", "Initialization"),
    "prompts": (*_SHARED, "Title", "Arguments", "Type", "Content"),
}
"""What they may have; of servers, slips are told of by those who read them."""
_NEAR = 0.8


def names_in(subject: Subject, combined: str) -> list[str]:
    """The items that a combined file of data defines; what it cannot be read for is told later."""
    if combined.endswith((".toml", ".json")):
        return [str(name) for name in _table(subject, combined) or ()]
    suffix, path = PurePosixPath(combined).suffix, subject.path(combined)
    if suffix in (CLOSED, ".py"):
        return []
    try:
        content = read_content(subject.files.read(combined, MAX_BYTES), suffix, path)
        return list(table_of(content.value()) or ())
    except LoadError:
        return []


def read_item(subject: Subject, kind: Kind, item: str, files: ItemFiles) -> object:
    """What a file holds for an item; None when that has been told of, or cannot be known.

    Raises:
        LoadError: when it cannot be read, or does not hold the item.
        DefinitionError: when a paclet says what cannot be.
    """
    file = files.used or ""
    if subject.is_paclet:
        return _read_paclet(subject, kind, item)
    if file.endswith(".py"):
        return _read_python(subject, kind, item, file, is_combined=not files.own)
    table = _table(subject, file)
    if files.own or table is None:
        return table
    found = table.get(item)
    if found is None:
        raise LoadError(
            f"holds no definition of the {kind.removesuffix('s')} {item!r}",
            hint=f"expected a table {item!r}",
        )
    return found


def _read_paclet(subject: Subject, kind: Kind, item: str) -> object:
    found = subject.extension.definition(kind, item)
    content = found.content() if isinstance(found, PacletDefinition) else {}
    missing = [key for key in _REQUIRED.get(kind, ()) if key not in content]
    for key in missing:
        subject.findings.add(
            "missing-key",
            f"the {kind.removesuffix('s')} {item!r} has no {key!r}",
            Place(str(found.path), key=key),
            f'add "{key}" -> …',
        )
    _tell_slips(subject, kind, content, str(found.path))
    if isinstance(found, PacletDefinition):
        _tell_immediate(subject, found, content)
    if {"Function", "LLMEvaluator"} & {*missing}:
        return None
    if kind == "prompts" and "Content" not in content:
        return content  # told of by those who look for it
    return found.load()


def _tell_slips(subject: Subject, kind: Kind, content: Mapping[str, object], file: str) -> None:
    """Tell of keys that are probably misspelt; others may be for a kernel, which knows more."""
    known = _KNOWN.get(kind, ())
    for key in content if known else ():
        remedy = None if key in known else did_you_mean(key, known, most=1, likeness=_NEAR)
        if remedy is not None:
            place = Place(file, key=key)
            subject.findings.add("unknown-key", f"the key {key!r} is unknown", place, remedy)


def _tell_immediate(
    subject: Subject, found: PacletDefinition, content: Mapping[str, object]
) -> None:
    key = "Initialization"
    if isinstance(content.get(key), Held) and found.is_immediate(key):
        subject.findings.add(
            "immediate-initialization",
            f"the {found.kind.removesuffix('s')} {found.item!r} has {key!r} with ->, so a kernel "
            "runs it whenever the file is read",
            Place(str(found.path), key=key),
            f'write "{key}" :> …',
        )


def _read_python(
    subject: Subject, kind: Kind, item: str, file: str, *, is_combined: bool
) -> object:
    path = subject.path(file)
    if path not in subject.python_files:
        subject.python_files.append(path)
    if not subject.is_static:
        return DefinitionFile(Path(path), kind, item, is_combined).load()
    try:
        source = subject.python_source(file)
    except SyntaxError as error:
        where = f"{path}:{error.lineno}:{error.offset}" if error.lineno else path
        raise LoadError(f"SyntaxError: {error.msg}", where=where) from None
    wanted = {kind, item} if is_combined else source.public_names
    if source.is_open or wanted & source.public_names:
        return None
    if is_combined and (source.mentions(item) or source.takes_from_others):
        return None  # an object may have the name, whatever it is bound to
    word = kind.removesuffix("s")
    expected = f"{kind} = {{{item!r}: …}}" if is_combined else f"{word} = …"
    raise LoadError(f"holds no definition of the {word} {item!r}", hint=f"expected {expected}")


def _table(subject: Subject, file: str) -> Mapping[str, object] | None:
    """The table in a file of data; None after telling that it cannot be read."""
    if file not in subject.tables:
        subject.tables[file] = _read_table(subject, file)
    return subject.tables[file]


def _read_table(subject: Subject, file: str) -> Mapping[str, object] | None:
    path = subject.path(file)
    try:
        found = parse_table(subject.files.read(file, MAX_BYTES), PurePosixPath(file).suffix)
        if isinstance(found, Mapping):
            return found
        reason = LoadError("holds no table", where=path, hint="expected { … }")
    except ValueError as error:
        hint = "save it as UTF-8" if isinstance(error, UnicodeDecodeError) else "mend it there"
        reason = LoadError(f"cannot be read: {error}", where=path, hint=hint)
    except LoadError as error:
        reason = error
    subject.findings.add_error("unreadable-definition", reason, path)
    return None
