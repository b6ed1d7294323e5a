"""What the tool `PythonDoc` does: arguments in, a file changed, an answer out.

Loaded with the first call.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, NamedTuple

from paddock.authoring.failures import ToolError
from paddock.reports.markdown import fenced
from paddock.suggestions import did_you_mean
from paddock.toolkits.paths import files_in, resolve
from paddock.toolkits.python.docstring_checks import check_module, check_symbol, file_style
from paddock.toolkits.python.docstring_places import (
    DocstringError,
    find_symbol,
    parsed,
    with_docstring,
)
from paddock.toolkits.python.docstring_styles import (
    SECTIONS,
    section_name,
    style_of,
    with_section,
)
from paddock.toolkits.python.source_files import (
    DocumentedFileError,
    change_source,
    read_source,
    write_new,
)

if TYPE_CHECKING:
    import ast
    from pathlib import Path

    from paddock.authoring.context import Context
    from paddock.toolkits.python.docstring_places import Symbol
    from paddock.toolkits.python.docstring_styles import Style

OPERATIONS = (
    *("createDocstring", "setDocstring", "setDocstringSection", "removeDocstring"),
    *("checkDocstrings", "createPage", "setPageSection", "addPageSection", "removePageSection"),
)
_WITH_CONTENT = frozenset(
    {"createDocstring", "setDocstring", "setPageSection", "addPageSection", "setDocstringSection"}
)
_ON_PAGES = frozenset({"setPageSection", "addPageSection", "removePageSection"})
_WITH_SECTION = _ON_PAGES | {"setDocstringSection"}
_MOST_FINDINGS, _MOST_FILES = 200, 5_000


class DocArgumentError(ToolError):
    """`PythonDoc` is not told what it has to know."""

    code = "python-doc-argument"


class Task(NamedTuple):
    """What is to be done."""

    operation: str
    file: str
    symbol: str
    content: str
    section: str
    style: Style | None
    page: str


def document(task: Task, ctx: Context) -> str:
    """Do what is to be done, and tell what was.

    Raises:
        ToolError: when that cannot be done.
    """
    _check(task)
    path = resolve(task.file, ctx)
    if task.operation == "checkDocstrings":
        return _checked(path, task, ctx)
    if not path.is_file():
        raise DocumentedFileError(
            f"There is no file {task.file}",
            where=str(path),
            hint="relative paths begin in the directory that the client works in",
        )
    if task.operation in _ON_PAGES:
        return _edited_page(path, task, ctx)
    if task.operation == "createPage":
        return _created_page(path, task, ctx)
    return _changed_docstring(path, task, ctx)


def _check(task: Task) -> None:
    if task.operation not in OPERATIONS:
        near = did_you_mean(task.operation, OPERATIONS)
        hint = near or f"one of {', '.join(OPERATIONS)}"
        raise DocArgumentError(f"There is no operation {task.operation!r}", hint=hint)
    for name, value, wanted in (
        ("content", task.content.strip(), _WITH_CONTENT),
        ("section", task.section.strip(), _WITH_SECTION),
        ("page", task.page.strip(), {"createPage"}),
    ):
        if task.operation in wanted and not value:
            raise DocArgumentError(f"{task.operation} needs {name}")
    if task.operation == "setDocstringSection" and section_name(task.section) is None:
        raise DocArgumentError(
            f"There is no section {task.section!r} of docstrings",
            hint=f"one of {', '.join(SECTIONS)}",
        )


def _changed_docstring(path: Path, task: Task, ctx: Context) -> str:
    where = str(path)
    ctx.raise_if_cancelled()

    def change(text: str) -> str:
        tree = parsed(text, where)
        symbol = find_symbol(tree, task.symbol, where)
        return with_docstring(text, task.symbol, _wanted(task, symbol, where, tree), where)

    change_source(path, change)
    tree = parsed(read_source(path)[0], where)
    symbol = find_symbol(tree, task.symbol, where)
    name = f"`{task.symbol}`" if task.symbol else "the module"
    parts = [f"The docstring of {name} is changed: `{path}:{symbol.line}`"]
    if symbol.docstring is None:
        return f"The docstring of {name} is removed: `{path}:{symbol.line}`"
    parts.append(fenced(symbol.docstring, "text"))
    findings = [f"- {name} {text}" for text in check_symbol(symbol, file_style(tree))]
    if findings:
        parts.append("What is still to be said about it:\n\n" + "\n".join(findings))
    return "\n\n".join(parts)


def _wanted(task: Task, symbol: Symbol, where: str, tree: ast.Module) -> str | None:
    """The docstring that a symbol is to have."""
    old = symbol.docstring
    if task.operation == "createDocstring" and old is not None:
        raise DocstringError(
            f"{task.symbol or 'The module'} has a docstring already",
            where=f"{where}:{symbol.line}",
            hint="change it with setDocstring or setDocstringSection",
        )
    if task.operation == "removeDocstring":
        return None
    if task.operation != "setDocstringSection":
        return inspect.cleandoc(task.content)
    if old is None:
        raise DocstringError(
            f"{task.symbol or 'The module'} has no docstring",
            where=f"{where}:{symbol.line}",
            hint="make one with createDocstring",
        )
    style = task.style or style_of([old]) or file_style(tree) or "google"
    return with_section(old, style, section_name(task.section) or "", task.content)


def _edited_page(path: Path, task: Task, ctx: Context) -> str:
    from paddock.toolkits.python.markdown_pages import edit_page  # noqa: PLC0415 - griffe is 70 ms

    ctx.raise_if_cancelled()
    change_source(
        path,
        lambda text: edit_page(text, task.operation, task.section, task.content, str(path)),
    )
    done = {"setPageSection": "set", "addPageSection": "added", "removePageSection": "removed"}
    return f"The section {task.section!r} is {done[task.operation]}: `{path}`"


def _created_page(path: Path, task: Task, ctx: Context) -> str:
    from paddock.toolkits.python.markdown_pages import new_page  # noqa: PLC0415 - griffe is 70 ms

    page = resolve(task.page, ctx)
    if page.exists():
        raise DocumentedFileError(
            "There is a file already",
            where=str(page),
            hint="change it with setPageSection and addPageSection, or delete it first",
        )
    text, _ = read_source(path)
    parsed(text, str(path))
    made = new_page(text, _module_of(path), path, task.symbol, task.content)
    ctx.raise_if_cancelled()
    write_new(page, made)
    count = sum(line.startswith("## ") for line in made.splitlines())
    return f"The page is written: `{page}`, with {count} sections"


def _module_of(path: Path) -> str:
    """What a file is imported as: its name below the topmost package."""
    parts = [path.stem] if path.stem != "__init__" else []
    folder = path.parent
    while (folder / "__init__.py").is_file():
        parts.insert(0, folder.name)
        folder = folder.parent
    return ".".join(parts) or path.parent.name


def _checked(place: Path, task: Task, ctx: Context) -> str:
    if not place.exists():
        raise DocumentedFileError(f"There is no file or directory {task.file}", where=str(place))
    files = [place] if place.is_file() else files_in(place, (".py",), is_deep=True).files
    told: list[str] = []
    count = 0
    for number, file in enumerate(files[:_MOST_FILES], start=1):
        ctx.raise_if_cancelled()
        ctx.progress(number, len(files), file.name)
        lines = _findings(file, task.style)
        count += len(lines)
        room = _MOST_FINDINGS - (count - len(lines))
        if lines and room > 0:
            name = file.name if file == place else str(file.relative_to(place))
            told.append(f"## {name}\n\n" + "\n".join(lines[:room]))
    title = f"# Docstrings of `{place}`\n\n**Files:** {len(files)}\n\n**Findings:** {count}"
    if count > _MOST_FINDINGS:
        told.append(f"*Showing {_MOST_FINDINGS} of {count} findings.*")
    return "\n\n".join([title, *told])


def _findings(file: Path, style: Style | None) -> list[str]:
    try:
        tree = parsed(read_source(file)[0], str(file))
    except ToolError as error:
        return [f"- {error.message}"]
    found = check_module(tree, style or file_style(tree))
    return [
        f"- Line {one.line}: {f'`{one.symbol}`' if one.symbol else 'the module'} {one.text}"
        for one in found
    ]
