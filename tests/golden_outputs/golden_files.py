"""Writing, comparing and accepting recorded outputs.

A test owns one folder below `recorded` and passes the whole content of it, so tests share no file
and a file that no test produces any more is a failure.
"""

from __future__ import annotations

import difflib
import json
import re
import sys
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

RECORDED = Path(__file__).with_name("recorded")
REPOSITORY = Path(__file__).parents[2]
MAX_DIFF_LINES = 60

WORDING_KEYS = frozenset(
    {"description", "title", "summary", "instructions", "help", "message", "remedy", "hint"}
)
"""Keys whose text may be rewritten; a table below such a key is a schema, and stays."""

LABEL_KEYS = ("name", "uri", "uriTemplate", "id")
"""Keys that tell the elements of a list apart, so that a new one does not rename the others."""

PROPERTIES = "properties"
"""The key of a JSON schema whose order is kept: forms and models show parameters in it."""


class GoldenFiles:
    """Compares outputs with the recorded files, or replaces the files on request."""

    def __init__(self, *, accepts: bool, root: Path = RECORDED) -> None:
        self._accepts = accepts
        self._root = root

    def check(self, folder: str, files: Mapping[str, str]) -> None:
        """Fail if the files of a folder are not exactly these.

        Args:
            folder: Which folder below `recorded`; no other test may use it.
            files: Texts by their paths in the folder.
        """
        directory = self._root / folder
        if self._accepts:
            self._write(directory, files)
        recorded = {
            file.relative_to(directory).as_posix(): file.read_bytes().decode("utf-8")
            for file in directory.rglob("*")
            if file.is_file()
        }
        differences = [
            line
            for name in sorted({*recorded, *files})
            for line in _compare(f"{folder}/{name}", recorded.get(name), files.get(name))
        ]
        assert not differences, "\n".join(
            [
                "Output differs from the recorded files.",
                *differences[:MAX_DIFF_LINES],
                *([f"… {len(differences)} lines"] if len(differences) > MAX_DIFF_LINES else []),
                "To accept it: pytest tests/golden_outputs --accept",
            ]
        )

    @staticmethod
    def _write(directory: Path, files: Mapping[str, str]) -> None:
        stale = [file for file in directory.rglob("*") if file.is_file()]
        for name, text in files.items():
            file = directory / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text.encode("utf-8"))
            stale = [one for one in stale if one != file]
        for file in stale:
            file.unlink()


def _compare(name: str, recorded: str | None, produced: str | None) -> Iterator[str]:
    if recorded == produced:
        return
    if recorded is None:
        yield f"+++ {name} is not recorded"
    elif produced is None:
        yield f"--- {name} is recorded and no longer produced"
    else:
        before, after = recorded.split("\n"), produced.split("\n")
        yield from difflib.unified_diff(before, after, name, "now", lineterm="", n=2)


def dump_json(value: object) -> str:
    """Format JSON with one key per line and sorted keys, except for those of `properties`."""
    return json.dumps(_sort_keys(value), indent=2, ensure_ascii=False) + "\n"


def _sort_keys(value: object, key: str = "") -> object:
    if isinstance(value, dict):
        keeps_order = key == PROPERTIES and all(isinstance(one, dict) for one in value.values())
        items = value.items() if keeps_order else sorted(value.items())
        return {name: _sort_keys(one, name) for name, one in items}
    if isinstance(value, list):
        return [_sort_keys(one) for one in value]
    return value


def split_wording(value: object) -> tuple[object, dict[str, str]]:
    """Take the wording out of JSON data.

    Returns:
        The data without it, and the texts by their paths.
    """
    wording: dict[str, str] = {}
    return _split(value, "", wording), wording


def _split(value: object, path: str, wording: dict[str, str]) -> object:
    if isinstance(value, dict):
        rest = {}
        for key, one in sorted(value.items()):
            place = f"{path} {key}".lstrip()
            if key in WORDING_KEYS and isinstance(one, str):
                wording[place] = one
            else:
                rest[key] = _split(one, place, wording)
        return {key: rest[key] for key in value if key in rest}
    if isinstance(value, list):
        labels = [_get_label(one) for one in value]
        are_unique = None not in labels and len(set(labels)) == len(labels)
        return [
            _split(one, f"{path} {label if are_unique else index}".lstrip(), wording)
            for index, (one, label) in enumerate(zip(value, labels, strict=True))
        ]
    return value


def _get_label(value: object) -> str | None:
    if isinstance(value, dict):
        for key in LABEL_KEYS:
            if isinstance(value.get(key), str):
                return str(value[key])
    return None


def format_texts(texts: Mapping[str, str]) -> str:
    """Format texts one below the other, each below its name."""
    return "\n".join(f"[{path}]\n{text}\n" for path, text in texts.items())


def split_files(name: str, value: object) -> dict[str, str]:
    """Make two files of JSON data: `name.json` for the contract, `name.wording.txt`."""
    contract, wording = split_wording(value)
    files = {f"{name}.json": dump_json(contract)}
    if wording:
        files[f"{name}.wording.txt"] = format_texts(wording)
    return files


class MachineNames:
    """Replaces what differs from machine to machine: directories, the interpreter, the version."""

    def __init__(self, **directories: Path) -> None:
        names = {str(path): name.upper() for name, path in directories.items()}
        names |= {str(path.resolve()): name.upper() for name, path in directories.items()}
        names |= {sys.executable: "PYTHON", str(Path(sys.executable).resolve()): "PYTHON"}
        names |= {str(REPOSITORY): "REPOSITORY"}
        self._names = dict(sorted(names.items(), key=lambda item: -len(item[0])))
        self._version = re.compile(rf"(?<![\w.]){re.escape(version('paddock'))}(?![\w.])")

    def hide(self, text: str) -> str:
        """Return a text without the names of this machine."""
        for path, name in self._names.items():
            text = text.replace(path, name)
        return self._version.sub("VERSION", text)

    def hide_in(self, value: Any) -> Any:
        """Return JSON data without them."""
        return json.loads(self._hide_in_json(json.dumps(value)))

    def _hide_in_json(self, text: str) -> str:
        for path, name in self._names.items():
            text = text.replace(json.dumps(path)[1:-1], name)
        return self._version.sub("VERSION", text)
