"""What the tool `PythonDoc` does: arguments in, a file changed, an answer out.

Loaded with the first call.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, NamedTuple

from paddock.authoring.failures import ToolError
from paddock.reports.markdown import format_code_block
from paddock.suggestions import did_you_mean
from paddock.toolkits.paths import list_allowed_files, resolve_path
from paddock.toolkits.python.docstring_checks import check_module_docstrings, check_symbol_docstring, detect_file_style
from paddock.toolkits.python.docstring_places import (
    DocstringError,
    require_symbol,
    parse_source,
    replace_docstring,
)
from paddock.toolkits.python.docstring_styles import (
    SECTION_ORDER,
    find_section_name,
    detect_style,
    replace_section,
)
from paddock.toolkits.python.source_files import (
    DocumentedFileError,
    edit_source_file,
    read_source_file,
    write_new_file,
)

if TYPE_CHECKING:
    import ast
    from pathlib import Path

    from paddock.authoring.context import Context
    from paddock.toolkits.python.docstring_places import DocumentedSymbol
    from paddock.toolkits.python.docstring_styles import DocstringStyle

DOC_OPERATIONS = (
    *("createDocstring", "setDocstring", "setDocstringSection", "removeDocstring"),
    *("checkDocstrings", "createPage", "setPageSection", "addPageSection", "removePageSection"),
)
_CONTENT_OPERATIONS = frozenset(
    {"createDocstring", "setDocstring", "setPageSection", "addPageSection", "setDocstringSection"}
)
_PAGE_OPERATIONS = frozenset({"setPageSection", "addPageSection", "removePageSection"})
_SECTION_OPERATIONS = _PAGE_OPERATIONS | {"setDocstringSection"}
_MAX_FINDINGS, _MAX_FILES = 200, 5_000


class DocArgumentError(ToolError):
    """`PythonDoc` is not told what it has to know."""

    code = "python-doc-argument"


class DocTask(NamedTuple):
    """What is to be done."""

    operation: str
    file: str
    symbol: str
    content: str
    section: str
    style: DocstringStyle | None
    page: str


def run_doc_task(task: DocTask, ctx: Context) -> str:
    """Do what is to be done, and tell what was.

    Raises:
        ToolError: when that cannot be done.
    """
    _check_task(task)
    path = resolve_path(task.file, ctx)
    if task.operation == "checkDocstrings":
        return _check_docstrings(path, task, ctx)
    if not path.is_file():
        raise DocumentedFileError(
            f"There is no file {task.file}",
            where=str(path),
            hint="relative paths begin in the directory that the client works in",
        )
    if task.operation in _PAGE_OPERATIONS:
        return _edit_page(path, task, ctx)
    if task.operation == "createPage":
        return _create_page(path, task, ctx)
    return _change_docstring(path, task, ctx)


def _check_task(task: DocTask) -> None:
    if task.operation not in DOC_OPERATIONS:
        near = did_you_mean(task.operation, DOC_OPERATIONS)
        hint = near or f"one of {', '.join(DOC_OPERATIONS)}"
        raise DocArgumentError(f"There is no operation {task.operation!r}", hint=hint)
    for name, value, wanted in (
        ("content", task.content.strip(), _CONTENT_OPERATIONS),
        ("section", task.section.strip(), _SECTION_OPERATIONS),
        ("page", task.page.strip(), {"createPage"}),
    ):
        if task.operation in wanted and not value:
            raise DocArgumentError(f"{task.operation} needs {name}")
    if task.operation == "setDocstringSection" and find_section_name(task.section) is None:
        raise DocArgumentError(
            f"There is no section {task.section!r} of docstrings",
            hint=f"one of {', '.join(SECTION_ORDER)}",
        )


def _change_docstring(path: Path, task: DocTask, ctx: Context) -> str:
    where = str(path)
    ctx.raise_if_cancelled()

    def change(text: str) -> str:
        tree = parse_source(text, where)
        symbol = require_symbol(tree, task.symbol, where)
        return replace_docstring(text, task.symbol, _build_docstring(task, symbol, where, tree), where)

    edit_source_file(path, change)
    tree = parse_source(read_source_file(path)[0], where)
    symbol = require_symbol(tree, task.symbol, where)
    name = f"`{task.symbol}`" if task.symbol else "the module"
    parts = [f"The docstring of {name} is changed: `{path}:{symbol.line}`"]
    if symbol.docstring is None:
        return f"The docstring of {name} is removed: `{path}:{symbol.line}`"
    parts.append(format_code_block(symbol.docstring, "text"))
    findings = [f"- {name} {text}" for text in check_symbol_docstring(symbol, detect_file_style(tree))]
    if findings:
        parts.append("What is still to be said about it:\n\n" + "\n".join(findings))
    return "\n\n".join(parts)


def _build_docstring(task: DocTask, symbol: DocumentedSymbol, where: str, tree: ast.Module) -> str | None:
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
    style = task.style or detect_style([old]) or detect_file_style(tree) or "google"
    return replace_section(old, style, find_section_name(task.section) or "", task.content)


def _edit_page(path: Path, task: DocTask, ctx: Context) -> str:
    from paddock.toolkits.python.markdown_pages import edit_page  # noqa: PLC0415 - griffe is 70 ms

    ctx.raise_if_cancelled()
    edit_source_file(
        path,
        lambda text: edit_page(text, task.operation, task.section, task.content, str(path)),
    )
    done = {"setPageSection": "set", "addPageSection": "added", "removePageSection": "removed"}
    return f"The section {task.section!r} is {done[task.operation]}: `{path}`"


def _create_page(path: Path, task: DocTask, ctx: Context) -> str:
    from paddock.toolkits.python.markdown_pages import create_page  # noqa: PLC0415 - griffe is 70 ms

    page = resolve_path(task.page, ctx)
    if page.exists():
        raise DocumentedFileError(
            "There is a file already",
            where=str(page),
            hint="change it with setPageSection and addPageSection, or delete it first",
        )
    text, _ = read_source_file(path)
    parse_source(text, str(path))
    made = create_page(text, _get_module_name(path), path, task.symbol, task.content)
    ctx.raise_if_cancelled()
    write_new_file(page, made)
    count = sum(line.startswith("## ") for line in made.splitlines())
    return f"The page is written: `{page}`, with {count} sections"


def _get_module_name(path: Path) -> str:
    """What a file is imported as: its name below the topmost package."""
    parts = [path.stem] if path.stem != "__init__" else []
    folder = path.parent
    while (folder / "__init__.py").is_file():
        parts.insert(0, folder.name)
        folder = folder.parent
    return ".".join(parts) or path.parent.name


def _check_docstrings(place: Path, task: DocTask, ctx: Context) -> str:
    if not place.exists():
        raise DocumentedFileError(f"There is no file or directory {task.file}", where=str(place))
    files = [place] if place.is_file() else list_allowed_files(place, (".py",), is_deep=True).files
    told: list[str] = []
    count = 0
    for number, file in enumerate(files[:_MAX_FILES], start=1):
        ctx.raise_if_cancelled()
        ctx.progress(number, len(files), file.name)
        lines = _list_findings(file, task.style)
        count += len(lines)
        room = _MAX_FINDINGS - (count - len(lines))
        if lines and room > 0:
            name = file.name if file == place else str(file.relative_to(place))
            told.append(f"## {name}\n\n" + "\n".join(lines[:room]))
    title = f"# Docstrings of `{place}`\n\n**Files:** {len(files)}\n\n**Findings:** {count}"
    if count > _MAX_FINDINGS:
        told.append(f"*Showing {_MAX_FINDINGS} of {count} findings.*")
    return "\n\n".join([title, *told])


def _list_findings(file: Path, style: DocstringStyle | None) -> list[str]:
    try:
        tree = parse_source(read_source_file(file)[0], str(file))
    except ToolError as error:
        return [f"- {error.message}"]
    found = check_module_docstrings(tree, style or detect_file_style(tree))
    return [
        f"- Line {one.line}: {f'`{one.symbol}`' if one.symbol else 'the module'} {one.text}"
        for one in found
    ]
