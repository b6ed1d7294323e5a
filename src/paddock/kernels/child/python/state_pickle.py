"""What of a session can be had again in another process, and having it again.

Modules are imported again, functions and classes that the session has defined are defined again by
their texts, and all other values are pickled. What cannot be had again is told by its name: open
files and connections, threads, generators, functions that were made by others.
"""

from __future__ import annotations

import io
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from paddock.kernels.child.python.definitions import PythonDefinitions

MAX_STATE_BYTES = 64 << 20
"""Of the values of a session; what is beyond is told to be missing."""
_STATE_FORMAT = 1
_TOO_LARGE_MESSAGE = "too large to be saved"


def dump_state(names: dict[str, Any], definitions: PythonDefinitions, number: int) -> bytes | None:
    """All that can be had again."""
    import pickle  # noqa: PLC0415 - nobody waits for it here

    texts = definitions.get_current(names)
    modules, members, values = {}, {}, {}
    for name, value in names.items():
        if name.startswith("__") or name in texts:
            continue
        if isinstance(value, type(sys)):
            modules[name] = value.__name__
        elif _is_module_member(value):
            members[name] = value.__module__, value.__qualname__
        else:
            values[name] = value
    data, missing = _pickle_values(values, _make_dumper(texts, pickle))
    state = {
        "format": _STATE_FORMAT,
        "number": number,
        "prefix": sys.prefix,
        "directory": _get_directory(),
        "path": [entry for entry in sys.path if isinstance(entry, str)],
        "modules": modules,
        "members": members,
        "definitions": texts,
        "missing": missing,
        "values": data,
    }
    return pickle.dumps(state, 4)


def load_state(
    state: bytes, names: dict[str, Any], definitions: PythonDefinitions
) -> tuple[int, str]:
    """Have all that was saved; give the number of the last cell, and what is missing."""
    import pickle  # noqa: PLC0415 - seldom, and somebody waits for the start

    # The file is the user's own, and the code that made it could do whatever this could.
    found = pickle.loads(state)  # noqa: S301 - see above
    if found["format"] != _STATE_FORMAT:
        raise ValueError(
            f"The saved state has format {found['format']}, and {_STATE_FORMAT} is known"
        )
    missing: dict[str, str] = dict(found["missing"])
    if found.get("prefix", sys.prefix) == sys.prefix:  # packages of others may not fit this Python
        sys.path += [entry for entry in found["path"] if entry not in sys.path]
    try:
        os.chdir(found["directory"])
    except OSError as error:
        missing["the working directory"] = error.strerror or "gone"
    for name, module in found["modules"].items():
        _try_restore(
            missing, name, lambda name=name, module=module: _import_module(names, name, module)
        )
    for name, place in found["members"].items():
        _try_restore(
            missing, name, lambda name=name, place=place: _import_member(names, name, *place)
        )
    for name, text in found["definitions"].items():
        _try_restore(
            missing, name, lambda name=name, text=text: _redefine(names, definitions, name, text)
        )
    _try_restore(missing, "all values", lambda: names.update(pickle.loads(found["values"])))  # noqa: S301 - see above
    return found["number"], _format_missing(missing)


def _try_restore(missing: dict[str, str], name: str, act: Any) -> None:
    try:
        act()
    except Exception as error:  # noqa: BLE001 - whatever it is, the rest can still be had
        missing[name] = f"{type(error).__name__}: {error}"


def _import_module(names: dict[str, Any], name: str, module: str) -> None:
    __import__(module)
    names[name] = sys.modules[module]


def _is_module_member(value: Any) -> bool:
    """Whether it is what a module has under its own name, so that it can be taken from there."""
    module = getattr(value, "__module__", None)
    name = getattr(value, "__qualname__", None)
    if not isinstance(module, str) or not isinstance(name, str) or module == "__main__":
        return False
    return getattr(sys.modules.get(module), name, None) is value


def _import_member(names: dict[str, Any], name: str, module: str, member: str) -> None:
    __import__(module)
    names[name] = getattr(sys.modules[module], member)


def _redefine(names: dict[str, Any], definitions: PythonDefinitions, name: str, text: str) -> None:
    exec(compile(text, f"<{name}>", "exec", 0, True), names)  # noqa: S102 - the user's own definition
    definitions.add(name, names[name], text)


def _format_missing(missing: dict[str, str]) -> str:
    shown = [f"{name} ({why})" for name, why in missing.items()]
    more = f" and {len(shown) - 20} more" if len(shown) > 20 else ""
    return f"{', '.join(shown[:20])}{more}"


def _get_directory() -> str:
    try:
        return os.getcwd()  # noqa: PTH109 - pathlib takes time
    except OSError:
        return os.sep


class _BoundedBuffer(io.BytesIO):
    """Takes so many bytes, and no more."""

    def write(self, data: Any) -> int:
        """Take some bytes."""
        if self.tell() + len(data) > MAX_STATE_BYTES:
            raise OverflowError(_TOO_LARGE_MESSAGE)
        return super().write(data)


def _make_dumper(texts: dict[str, str], pickle: Any) -> Callable[[object], bytes]:
    """A function that pickles, and refuses what could not be unpickled."""

    class Pickler(pickle.Pickler):  # type: ignore[misc]  # it is imported when it is needed
        def reducer_override(self, value: Any) -> Any:
            if isinstance(value, type(sys)):
                return __import__("importlib").import_module, (value.__name__,)
            if isinstance(value, (type, type(_make_dumper))) and value.__module__ == "__main__":
                name = value.__qualname__.partition(".")[0]
                if name not in texts:
                    raise pickle.PicklingError(f"{name} cannot be defined again")
            return NotImplemented

    def dump(value: object) -> bytes:
        stream = _BoundedBuffer()
        Pickler(stream, 4).dump(value)
        return stream.getvalue()

    return dump


def _pickle_values(
    values: dict[str, Any], dump: Callable[[object], bytes]
) -> tuple[bytes, dict[str, str]]:
    """All values that can be pickled, in one piece so that what they share stays shared."""
    missing: dict[str, str] = {}
    try:
        return dump(values), missing
    except Exception:  # noqa: BLE001 - the values' own code runs here; see which one it is
        kept = dict(values)
    size = 0
    for name, value in values.items():
        try:
            size += len(dump(value))
            if size > MAX_STATE_BYTES // 2:
                raise OverflowError(_TOO_LARGE_MESSAGE)
        except Exception as error:  # noqa: BLE001 - as above
            is_large = isinstance(error, OverflowError)
            missing[name] = _TOO_LARGE_MESSAGE if is_large else type(value).__name__
            del kept[name]
    try:
        return dump(kept), missing
    except Exception as error:  # noqa: BLE001 - as above
        missing.update((name, type(error).__name__) for name in kept)
        return dump({}), missing
