"""Text files that are changed in place: as a whole or not at all, and only what is to change.

What is wrong with docstrings: none, or one that says other things than the code.

What the tool `PythonDoc` does: arguments in, a file changed, an answer out.

Loaded with the first call.
"""

from __future__ import annotations

import ast
import inspect
import io
import tokenize
from typing import TYPE_CHECKING, NamedTuple

from paddock.authoring.handler_errors import ToolError
from paddock.files import lock_file, read_regular_file, write_atomically
from paddock.reports.text import format_code_block
from paddock.suggestions import did_you_mean
from paddock.toolkits.paths import list_allowed_files, resolve_path
from paddock.toolkits.python.docstring_edits import (
    DocstringError,
    DocumentedSymbol,
    list_symbols,
    parse_source,
    replace_docstring,
    require_symbol,
)
from paddock.toolkits.python.docstring_styles import (
    SECTION_ORDER,
    detect_style,
    find_section_name,
    list_documented_names,
    replace_section,
    split_sections,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from paddock.authoring.context import Context
    from paddock.toolkits.python.docstring_styles import DocstringStyle


MAX_SOURCE_BYTES = 20_000_000
_NEW_FILE_MODE = 0o644


class DocumentedFileError(ToolError):
    """A file that is to be documented cannot be read, changed or written."""

    code = "documented-file"


def read_source_file(path: Path) -> tuple[str, str]:
    """A text and its encoding, as Python reads it; ends of lines stay what they are.

    Raises:
        DocumentedFileError: when it cannot be read.
    """
    return _decode_source(_read_bytes(path), path)


def edit_source_file(path: Path, change: Callable[[str], str]) -> None:
    """Put in the place of a text what a function makes of it.

    Raises:
        DocumentedFileError: when it cannot be read or written, or another program writes it too.
    """
    with lock_file(path):
        before = _read_bytes(path)
        text, encoding = _decode_source(before, path)
        try:
            after = change(text).encode(encoding)
        except UnicodeEncodeError as error:
            sign = error.object[error.start]
            raise DocumentedFileError(
                f"It is in {encoding}, which has no {sign!r}", where=str(path), hint="spell it out"
            ) from None

        def check() -> None:
            if _read_bytes(path) != before:
                raise DocumentedFileError(
                    "Another program has changed it meanwhile", where=str(path), hint="try again"
                )

        _write_file(path, after, check)


def write_new_file(path: Path, text: str) -> None:
    """Write a file that is not there yet, with the directories that it needs.

    Raises:
        DocumentedFileError: when it is there, or cannot be written.
    """
    try:
        with lock_file(path):
            write_atomically(path, text.encode(), mode=_NEW_FILE_MODE, is_new=True)
    except FileExistsError:
        raise DocumentedFileError(
            "There is a file already", where=str(path), hint="change it, or delete it first"
        ) from None
    except OSError as error:
        reason = error.strerror or error
        raise DocumentedFileError(f"It cannot be written: {reason}", where=str(path)) from None


def _write_file(path: Path, data: bytes, check: Callable[[], None]) -> None:
    try:
        write_atomically(path, data, before_replacing=check)
    except OSError as error:
        reason = error.strerror or error
        raise DocumentedFileError(f"It cannot be written: {reason}", where=str(path)) from None


def _read_bytes(path: Path) -> bytes:
    try:
        return read_regular_file(path, MAX_SOURCE_BYTES)
    except OSError as error:
        reason = error.strerror or error
        raise DocumentedFileError(f"It cannot be read: {reason}", where=str(path)) from None


def _decode_source(data: bytes, path: Path) -> tuple[str, str]:
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        return data.decode(encoding), encoding
    except (SyntaxError, UnicodeDecodeError, LookupError) as error:
        raise DocumentedFileError(f"It cannot be read: {error}", where=str(path)) from None


_FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
_EXEMPT_DECORATORS = frozenset({"override", "overload", "setter", "deleter"})


class DocstringFinding(NamedTuple):
    """Something that is wrong with a docstring."""

    symbol: str
    line: int
    text: str


def detect_file_style(tree: ast.Module) -> DocstringStyle | None:
    """The style of the docstrings of a file."""
    return detect_style(symbol.docstring or "" for symbol in list_symbols(tree))


def check_module_docstrings(
    tree: ast.Module, style: DocstringStyle | None
) -> Iterator[DocstringFinding]:
    """What is wrong with the docstrings of a module and all in it that is public."""
    for symbol in list_symbols(tree):
        for text in check_symbol_docstring(symbol, style):
            yield DocstringFinding(symbol.name, symbol.line, text)


def check_symbol_docstring(symbol: DocumentedSymbol, style: DocstringStyle | None) -> Iterator[str]:
    """What is wrong with one docstring."""
    docstring = symbol.docstring
    if docstring is None:
        if _is_public(symbol) and not _inherits_docstring(symbol.node):
            yield "has no docstring"
        return
    if not docstring.strip():
        yield "has an empty docstring"
        return
    own = detect_style([docstring])
    if own and style and own != style:
        yield f"is in the style {own}, and the file in {style}"
    if own:
        yield from _check_parameters(symbol.node, docstring, own)


def _check_parameters(node: ast.AST, docstring: str, style: DocstringStyle) -> Iterator[str]:
    function = _find_function(node)
    if function is None:
        return
    described = list_documented_names(docstring, style) + list_documented_names(
        docstring, style, "Keyword Args"
    )
    there = _list_parameters(function)
    takes_any = function.args.kwarg is not None
    for name in dict.fromkeys(described):
        if name not in there and not takes_any:
            yield f"describes `{name}`, which is no parameter"
    for name in sorted({name for name in described if described.count(name) > 1}):
        yield f"describes `{name}` more than once"
    missing = [name for name in there if name not in described and not name.startswith("_")]
    stars = {one.arg for one in (function.args.vararg, function.args.kwarg) if one}
    if described and node is function:
        for name in missing:
            if name not in stars:
                yield f"does not describe `{name}`"
    sections = {section.name for section in split_sections(docstring, style)}
    if "Returns" in sections and node is function and not _has_return_value(function):
        yield "describes what it returns, and returns nothing"


def _find_function(node: ast.AST) -> _FunctionNode | None:
    """What a docstring describes the parameters of: of a class, its constructor."""
    if isinstance(node, ast.ClassDef):
        found = [
            one for one in node.body if isinstance(one, _FunctionNode) and one.name == "__init__"
        ]
        return found[0] if found else None
    return node if isinstance(node, _FunctionNode) else None


def _list_parameters(function: _FunctionNode) -> list[str]:
    arguments = function.args
    names = [one.arg for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    names += [one.arg for one in (arguments.vararg, arguments.kwarg) if one]
    return [name for name in names if name not in ("self", "cls")]


def _has_return_value(function: _FunctionNode) -> bool:
    """Whether a function has a value, or is only declared."""
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Return) and node.value is not None:
            return True
        if isinstance(node, ast.Yield | ast.YieldFrom | ast.Raise):
            return True
        if not isinstance(node, _FunctionNode | ast.Lambda | ast.ClassDef):
            waiting += ast.iter_child_nodes(node)
    last = function.body[-1]
    return isinstance(last, ast.Expr) and isinstance(last.value, ast.Constant)


def _is_public(symbol: DocumentedSymbol) -> bool:
    return not any(part.startswith("_") for part in symbol.name.split("."))


def _inherits_docstring(node: ast.AST) -> bool:
    """Whether something is documented elsewhere."""
    decorators = getattr(node, "decorator_list", ())
    return any(ast.unparse(one).rpartition(".")[2] in _EXEMPT_DECORATORS for one in decorators)


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
        return replace_docstring(
            text, task.symbol, _build_docstring(task, symbol, where, tree), where
        )

    edit_source_file(path, change)
    tree = parse_source(read_source_file(path)[0], where)
    symbol = require_symbol(tree, task.symbol, where)
    name = f"`{task.symbol}`" if task.symbol else "the module"
    parts = [f"The docstring of {name} is changed: `{path}:{symbol.line}`"]
    if symbol.docstring is None:
        return f"The docstring of {name} is removed: `{path}:{symbol.line}`"
    parts.append(format_code_block(symbol.docstring, "text"))
    findings = [
        f"- {name} {text}" for text in check_symbol_docstring(symbol, detect_file_style(tree))
    ]
    if findings:
        parts.append("What is still to be said about it:\n\n" + "\n".join(findings))
    return "\n\n".join(parts)


def _build_docstring(
    task: DocTask, symbol: DocumentedSymbol, where: str, tree: ast.Module
) -> str | None:
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
    from paddock.toolkits.python.reference_pages import edit_page  # noqa: PLC0415 - griffe is 70 ms

    ctx.raise_if_cancelled()
    edit_source_file(
        path,
        lambda text: edit_page(text, task.operation, task.section, task.content, str(path)),
    )
    done = {"setPageSection": "set", "addPageSection": "added", "removePageSection": "removed"}
    return f"The section {task.section!r} is {done[task.operation]}: `{path}`"


def _create_page(path: Path, task: DocTask, ctx: Context) -> str:
    from paddock.toolkits.python.reference_pages import create_page  # noqa: PLC0415 - griffe is 70 ms

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
