"""Saving and restoring a Python session across processes.

Modules are imported again, the session's functions and classes are executed again from their source
text, and all other values are pickled. Values that cannot be pickled, such as open files, threads
and generators, are reported as missing.
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
"""Size limit for a session's pickled values. Values beyond it are reported as missing."""
_STATE_FORMAT = 1
_TOO_LARGE_MESSAGE = "too large to be saved"


def dump_state(
    names: dict[str, Any], definitions: PythonDefinitions, cell_number: int
) -> bytes | None:
    """Pickle a session so that `load_state` can restore it in another process.

    Modules and their members are saved by name, the session's functions and classes as source text,
    and all other values as pickles.

    Args:
        names: The session's global names and their values.
        definitions: The functions and classes that the session has defined.
        cell_number: The number of the last cell.
    """
    pickle = _import_pickle()
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
    pickled_values, missing = _pickle_values(values, _make_pickle_function(texts, pickle))
    state: bytes = pickle.dumps(
        {
            "format": _STATE_FORMAT,
            "number": cell_number,
            "prefix": sys.prefix,
            "directory": _get_directory(),
            "path": [entry for entry in sys.path if isinstance(entry, str)],
            "modules": modules,
            "members": members,
            "definitions": texts,
            "missing": missing,
            "values": pickled_values,
        },
        4,
    )
    return state


def load_state(
    state: bytes, names: dict[str, Any], definitions: PythonDefinitions
) -> tuple[int, str]:
    """Restore a session saved by `dump_state`.

    Anything that cannot be restored, such as a module that is no longer installed, is skipped.

    Args:
        state: The saved session.
        names: The global names of the new session, to which the restored ones are added.
        definitions: The definitions of the new session, to which the restored ones are added.

    Returns:
        The number of the last cell, and a description of the missing values and the reasons.

    Raises:
        ValueError: The state has a format that this version does not support.
    """
    pickle = _import_pickle()
    # Unpickling can run code. The file belongs to the user, and the code that produced it ran with
    # the same rights as this process.
    saved = pickle.loads(state)
    if saved["format"] != _STATE_FORMAT:
        raise ValueError(
            f"The saved state has format {saved['format']}; only {_STATE_FORMAT} is supported"
        )
    missing: dict[str, str] = dict(saved["missing"])
    # Packages from another environment may not work with this interpreter.
    if saved.get("prefix", sys.prefix) == sys.prefix:
        sys.path += [entry for entry in saved["path"] if entry not in sys.path]
    try:
        os.chdir(saved["directory"])
    except OSError as error:
        missing["the working directory"] = error.strerror or "gone"
    for name, module in saved["modules"].items():
        _try_restore(missing, name, _import_value, names, name, module)
    for name, (module, member) in saved["members"].items():
        _try_restore(missing, name, _import_value, names, name, module, member)
    for name, text in saved["definitions"].items():
        _try_restore(missing, name, _redefine, names, definitions, name, text)
    # Values are restored last, because they may be instances of classes defined above.
    _try_restore(missing, "all values", lambda: names.update(pickle.loads(saved["values"])))
    return saved["number"], _format_missing(missing)


def _try_restore(missing: dict[str, str], name: str, restore: Any, *args: Any) -> None:
    try:
        restore(*args)
    except Exception as error:  # user code can raise anything; the rest still counts
        missing[name] = f"{type(error).__name__}: {error}"


def _import_pickle() -> Any:
    """Import `pickle` lazily, so that users do not wait for it when a kernel starts."""
    import pickle

    return pickle


def _is_module_member(value: Any) -> bool:
    """Return whether a value is an attribute of a module under its own qualified name."""
    module = getattr(value, "__module__", None)
    name = getattr(value, "__qualname__", None)
    if not isinstance(module, str) or not isinstance(name, str) or module == "__main__":
        return False
    return getattr(sys.modules.get(module), name, None) is value


def _import_value(names: dict[str, Any], name: str, module: str, member: str = "") -> None:
    """Import a module or one of its members, and bind it to a name in the session."""
    __import__(module)
    names[name] = getattr(sys.modules[module], member) if member else sys.modules[module]


def _redefine(names: dict[str, Any], definitions: PythonDefinitions, name: str, text: str) -> None:
    exec(compile(text, f"<{name}>", "exec", 0, True), names)  # the user's own definition
    definitions.add(name, names[name], text)


def _format_missing(missing: dict[str, str]) -> str:
    shown = [f"{name} ({reason})" for name, reason in missing.items()]
    more = f" and {len(shown) - 20} more" if len(shown) > 20 else ""
    return f"{', '.join(shown[:20])}{more}"


def _get_directory() -> str:
    try:
        return os.getcwd()
    except OSError:
        return os.sep


class _BoundedBuffer(io.BytesIO):
    """Buffer that raises OverflowError if it would grow beyond `MAX_STATE_BYTES`.

    The size is checked during pickling, because a huge value could exhaust memory before its pickle
    is complete.
    """

    def write(self, data: Any) -> int:
        """Append pickled bytes."""
        if self.tell() + len(data) > MAX_STATE_BYTES:
            raise OverflowError(_TOO_LARGE_MESSAGE)
        return super().write(data)


def _make_pickle_function(texts: dict[str, str], pickle: Any) -> Callable[[object], bytes]:
    """Return a function that pickles a value, if another process can unpickle it.

    The returned function raises an exception for session functions and classes whose source text is
    unknown, because another process could not define them.

    Args:
        texts: Source texts of the session's functions and classes, keyed by name.
        pickle: The `pickle` module, which is imported lazily.
    """

    class Pickler(pickle.Pickler):  # type: ignore[misc]  # a lazily imported base class
        def reducer_override(self, value: Any) -> Any:
            """Pickle modules by name, and reject functions and classes without a known source."""
            if isinstance(value, type(sys)):
                return __import__("importlib").import_module, (value.__name__,)
            # Pickle stores classes and functions by name only. The session's classes and functions
            # exist in another process only if their source text was saved.
            is_class_or_function = isinstance(value, (type, type(_make_pickle_function)))
            if is_class_or_function and value.__module__ == "__main__":
                name = value.__qualname__.partition(".")[0]
                if name not in texts:
                    raise pickle.PicklingError(f"{name} cannot be defined again from its source")
            return NotImplemented

    def dump(value: object) -> bytes:
        stream = _BoundedBuffer()
        Pickler(stream, 4).dump(value)
        return stream.getvalue()

    return dump


def _pickle_values(
    values: dict[str, Any], dump: Callable[[object], bytes]
) -> tuple[bytes, dict[str, str]]:
    """Pickle all of a session's values that can be pickled.

    The values are pickled together, because objects shared by two values must still be shared after
    unpickling.

    Args:
        values: The values, keyed by name.
        dump: Function that pickles a value.

    Returns:
        The pickled dictionary, and the reason for each value that it lacks, keyed by name.
    """
    missing: dict[str, str] = {}
    try:
        return dump(values), missing
    except Exception:  # pickling runs user code, which can raise any exception
        picklable = dict(values)
    # Find the values that fail by pickling each one separately.
    size = 0
    for name, value in values.items():
        try:
            size += len(dump(value))
            if size > MAX_STATE_BYTES // 2:
                raise OverflowError(_TOO_LARGE_MESSAGE)
        except Exception as error:
            is_large = isinstance(error, OverflowError)
            missing[name] = _TOO_LARGE_MESSAGE if is_large else type(value).__name__
            del picklable[name]
    try:
        return dump(picklable), missing
    except Exception as error:
        missing.update((name, type(error).__name__) for name in picklable)
        return dump({}), missing
