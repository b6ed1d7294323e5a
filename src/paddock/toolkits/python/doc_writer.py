"""Operations of the `PythonDoc` tool: edit and check docstrings, and write reference pages."""

from __future__ import annotations

import ast
import inspect
import io
import tokenize
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from paddock.authoring.handler_errors import ToolError
from paddock.authoring.handler_reference import resolve_handler
from paddock.files import read_regular_file
from paddock.reports.text import format_code_block
from paddock.suggestions import did_you_mean
from paddock.toolkits.file_edits import edit_file
from paddock.toolkits.paths import list_allowed_files, require_file, require_path
from paddock.toolkits.python.docstring_edits import (
    DocstringError,
    DocumentedSymbol,
    has_decorator,
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
    from paddock.toolkits.python.tools import PythonDocArguments


MAX_SOURCE_BYTES = 20_000_000
_EXEMPT_DECORATORS = frozenset({"override", "overload", "setter", "deleter"})
"""Decorators of functions whose documentation is elsewhere."""
_REQUIRED_ARGUMENTS = {
    "createDocstring": ("content",),
    "setDocstring": ("content",),
    "setDocstringSection": ("content", "section"),
    "removeDocstring": (),
    "checkDocstrings": (),
    "createPage": ("page",),
    "setPageSection": ("content", "section"),
    "addPageSection": ("content", "section"),
    "removePageSection": ("section",),
}
"""The operations and the arguments that each one requires."""
_MAX_FINDINGS, _MAX_FILES = 200, 5_000
# The library for pages takes 70 ms to load, and most calls only involve docstrings.
_edit_page = resolve_handler("paddock.toolkits.python.reference_pages:edit_reference_page")
_create_page = resolve_handler("paddock.toolkits.python.reference_pages:create_reference_page")


class DocumentedFileError(ToolError):
    """A file to document cannot be read, changed or written."""

    code = "documented-file"


def read_source_file(path: Path) -> str:
    """Return the text of a Python file, with its line endings.

    Raises:
        DocumentedFileError: The file cannot be read.
    """
    return _decode_source(_read_bytes(path), path)[0]


def edit_source_file(path: Path, edit: Callable[[str], str]) -> None:
    """Replace the text of a file with the result of a function, under a lock.

    The file's declared encoding is kept.

    Raises:
        DocumentedFileError: The file cannot be read or written, or another program changed it.
    """

    def apply_edit(before: bytes | None) -> bytes:
        """Return the edited content in the file's own encoding."""
        text, encoding = _decode_source(before or b"", path)
        try:
            return edit(text).encode(encoding)
        except UnicodeEncodeError as error:
            character = error.object[error.start]
            raise DocumentedFileError(
                f"the file is in {encoding}, which cannot encode {character!r}",
                where=str(path),
                hint="use an escape sequence or other words",
            ) from None

    with convert_write_errors(path):
        edit_file(path, _read_bytes, apply_edit)


@contextmanager
def convert_write_errors(path: Path) -> Iterator[None]:
    """Convert an OSError while writing a file into a DocumentedFileError with its path."""
    try:
        yield
    except FileExistsError:
        raise DocumentedFileError(
            "the file exists already", where=str(path), hint="edit it, or delete it first"
        ) from None
    except OSError as error:
        reason = error.strerror or error
        raise DocumentedFileError(
            f"the file cannot be written: {reason}", where=str(path)
        ) from None


def _read_bytes(path: Path) -> bytes:
    try:
        return read_regular_file(path, MAX_SOURCE_BYTES)
    except OSError as error:
        reason = error.strerror or error
        raise DocumentedFileError(f"the file cannot be read: {reason}", where=str(path)) from None


def _decode_source(data: bytes, path: Path) -> tuple[str, str]:
    """Decode a source file as Python does, and return the text and its encoding."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        return data.decode(encoding), encoding
    except (SyntaxError, UnicodeDecodeError, LookupError) as error:
        raise DocumentedFileError(f"the file cannot be read: {error}", where=str(path)) from None


_FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


def detect_file_style(tree: ast.Module) -> DocstringStyle | None:
    """Return the prevailing docstring style of a file, or None."""
    return detect_style(symbol.docstring or "" for symbol in list_symbols(tree))


def check_symbol_docstring(symbol: DocumentedSymbol, style: DocstringStyle | None) -> Iterator[str]:
    """Yield the problems of one docstring as predicates, such as "has no docstring".

    Args:
        symbol: The symbol.
        style: The prevailing style of the file, or None to accept any style.
    """
    docstring = symbol.docstring
    if docstring is None:
        is_exempt = has_decorator(symbol.node, _EXEMPT_DECORATORS)
        is_private = any(part.startswith("_") for part in symbol.name.split("."))
        if not is_exempt and not is_private:
            yield "has no docstring"
        return
    if not docstring.strip():
        yield "has an empty docstring"
        return
    own_style = detect_style([docstring])
    if own_style and style and own_style != style:
        yield f"is in {own_style} style, but the file is in {style} style"
    if own_style:
        yield from _check_parameters(symbol.node, docstring, own_style)


def _check_parameters(node: ast.AST, docstring: str, style: DocstringStyle) -> Iterator[str]:
    """Yield the differences between the parameters in a docstring and those in the signature.

    Undescribed parameters are reported only if the docstring describes at least one. A described
    return value is also reported if the function does not return a value.
    """
    function = _find_function(node)
    if function is None:
        return
    described = [
        *list_documented_names(docstring, style),
        *list_documented_names(docstring, style, "Keyword Args"),
    ]
    parameters = _list_parameters(function)
    # With `**kwargs`, described names may be keyword arguments that the signature does not show.
    takes_any_name = function.args.kwarg is not None
    for name in dict.fromkeys(described):
        if name not in parameters and not takes_any_name:
            yield f"describes `{name}`, which is not a parameter"
    for name in sorted({name for name in described if described.count(name) > 1}):
        yield f"describes `{name}` more than once"
    # The parameters of `__init__` may be described in its own docstring, not in the class's.
    if described and node is function:
        star_names = {arg.arg for arg in (function.args.vararg, function.args.kwarg) if arg}
        for name in parameters:
            if name not in (*described, *star_names) and not name.startswith("_"):
                yield f"does not describe `{name}`"
    sections = {section.name for section in split_sections(docstring, style)}
    if "Returns" in sections and node is function and not _has_return_value(function):
        yield "describes a return value, but returns none"


def _find_function(node: ast.AST) -> _FunctionNode | None:
    """Return the function whose parameters the docstring of a definition describes.

    This is the function itself, or the `__init__` method of a class. It is None if a class has no
    such method.
    """
    if isinstance(node, ast.ClassDef):
        constructors = [
            member
            for member in node.body
            if isinstance(member, _FunctionNode) and member.name == "__init__"
        ]
        return constructors[0] if constructors else None
    return node if isinstance(node, _FunctionNode) else None


def _list_parameters(function: _FunctionNode) -> list[str]:
    args = function.args
    listed = (*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg)
    return [arg.arg for arg in listed if arg and arg.arg not in ("self", "cls")]


def _has_return_value(function: _FunctionNode) -> bool:
    """Return True if a function may return a value.

    It may if it contains `yield`, or `return` with a value. Functions without an implementation,
    such as those that only raise an error or consist of a docstring or `...`, are also included.
    """
    pending_nodes: list[ast.AST] = list(function.body)
    while pending_nodes:
        node = pending_nodes.pop()
        if isinstance(node, ast.Return) and node.value is not None:
            return True
        if isinstance(node, ast.Yield | ast.YieldFrom | ast.Raise):
            return True
        if not isinstance(node, _FunctionNode | ast.Lambda | ast.ClassDef):
            pending_nodes += ast.iter_child_nodes(node)
    last_statement = function.body[-1]
    return isinstance(last_statement, ast.Expr) and isinstance(last_statement.value, ast.Constant)


class DocArgumentError(ToolError):
    """An argument of `PythonDoc` is missing or invalid."""

    code = "python-doc-argument"


class DocTask(NamedTuple):
    """The arguments of a call to `PythonDoc`. Texts that were not given are empty.

    Attributes:
        operation: A key of `_REQUIRED_ARGUMENTS`.
        file: The Python file or page to edit, or a directory to check.
        symbol: The dotted name of the symbol; empty for the module.
        content: The new docstring, section or introduction.
        section: The name of a docstring section, or the heading of a page section.
        style: The docstring style to use or check. None means the file's own style.
        page: The path of the page to create.
    """

    operation: str
    file: str
    symbol: str
    content: str
    section: str
    style: DocstringStyle | None
    page: str


def write_python_doc(arguments: PythonDocArguments, ctx: Context) -> str:
    """Perform an operation of the `PythonDoc` tool and return a message about the result.

    The arguments are checked before any file is touched.

    Raises:
        ToolError: The operation is invalid or fails.
    """
    task = DocTask(
        arguments.operation.strip(),
        arguments.file,
        (arguments.symbol or "").strip(),
        arguments.content or "",
        (arguments.section or "").strip(),
        arguments.style,
        arguments.page or "",
    )
    _check_task(task)
    if task.operation == "checkDocstrings":
        return _check_docstrings(task, ctx)
    if task.operation.endswith("PageSection"):
        return str(_edit_page(task, ctx))
    if task.operation == "createPage":
        return str(_create_page(task, ctx))
    return _change_docstring(task, ctx)


def _check_task(task: DocTask) -> None:
    """Check that the operation exists and that its required arguments are given.

    Raises:
        DocArgumentError: The operation is unknown, or one of its arguments is missing or invalid.
    """
    if task.operation not in _REQUIRED_ARGUMENTS:
        suggestion = did_you_mean(task.operation, _REQUIRED_ARGUMENTS)
        hint = suggestion or f"expected one of {', '.join(_REQUIRED_ARGUMENTS)}"
        raise DocArgumentError(f"unknown operation {task.operation!r}", hint=hint)
    for name in _REQUIRED_ARGUMENTS[task.operation]:
        if not getattr(task, name).strip():
            raise DocArgumentError(f"{task.operation} requires `{name}`")
    if task.operation == "setDocstringSection" and find_section_name(task.section) is None:
        raise DocArgumentError(
            f"unknown docstring section {task.section!r}",
            hint=f"expected one of {', '.join(SECTION_ORDER)}",
        )


def _change_docstring(task: DocTask, ctx: Context) -> str:
    """Change or remove a symbol's docstring, and return it with its remaining problems."""
    path = require_file(task.file, ctx, DocumentedFileError)
    where = str(path)
    ctx.raise_if_cancelled()

    def change_source(source: str) -> str:
        tree = parse_source(source, where)
        symbol = require_symbol(tree, task.symbol, where)
        docstring = _build_docstring(task, symbol, where, tree)
        return replace_docstring(source, task.symbol, docstring, where)

    edit_source_file(path, change_source)
    # The file is read again so that the result shows what was actually written.
    tree = parse_source(read_source_file(path), where)
    symbol = require_symbol(tree, task.symbol, where)
    name = f"`{task.symbol}`" if task.symbol else "the module"
    location = f"the docstring of {name}: `{path}:{symbol.line}`"
    if symbol.docstring is None:
        return f"Removed {location}"
    parts = [f"Changed {location}", format_code_block(symbol.docstring, "text")]
    problems = [
        f"- {name} {problem}" for problem in check_symbol_docstring(symbol, detect_file_style(tree))
    ]
    if problems:
        parts.append("Remaining problems:\n\n" + "\n".join(problems))
    return "\n\n".join(parts)


def _build_docstring(
    task: DocTask, symbol: DocumentedSymbol, where: str, tree: ast.Module
) -> str | None:
    """Return the docstring that a symbol has after the operation, or None to remove it.

    A section is written in the style that the call names, or else in the style of the docstring,
    or else in the style of the file.

    Raises:
        DocstringError: The docstring to create already exists, or the docstring whose section
            should change does not.
    """
    current = symbol.docstring
    if task.operation == "createDocstring" and current is not None:
        raise DocstringError(
            f"{task.symbol or 'The module'} has a docstring already",
            where=f"{where}:{symbol.line}",
            hint="change it with setDocstring or setDocstringSection",
        )
    if task.operation == "removeDocstring":
        return None
    if task.operation != "setDocstringSection":
        return inspect.cleandoc(task.content)
    if current is None:
        raise DocstringError(
            f"{task.symbol or 'The module'} has no docstring",
            where=f"{where}:{symbol.line}",
            hint="create one with createDocstring",
        )
    style = task.style or detect_style([current]) or detect_file_style(tree) or "google"
    return replace_section(current, style, find_section_name(task.section) or "", task.content)


def _check_docstrings(task: DocTask, ctx: Context) -> str:
    """Return a report on the docstrings of a file, or of all Python files in a directory.

    Findings beyond the limit are counted but not shown.
    """
    path = require_path(task.file, ctx, DocumentedFileError)
    files = [path]
    if path.is_dir():
        files = list_allowed_files(path, (".py",), include_subfolders=True).files
    reports: list[str] = []
    finding_count = 0
    for number, file in enumerate(files[:_MAX_FILES], start=1):
        ctx.raise_if_cancelled()
        ctx.progress(number, len(files), file.name)
        findings = _list_findings(file, task.style)
        shown_findings = findings[: max(0, _MAX_FINDINGS - finding_count)]
        finding_count += len(findings)
        if shown_findings:
            name = file.name if file == path else str(file.relative_to(path))
            reports.append(f"## {name}\n\n" + "\n".join(shown_findings))
    title = f"# Docstrings of `{path}`\n\n**Files:** {len(files)}\n\n**Findings:** {finding_count}"
    if finding_count > _MAX_FINDINGS:
        reports.append(f"*Showing {_MAX_FINDINGS} of {finding_count} findings.*")
    return "\n\n".join([title, *reports])


def _list_findings(file: Path, style: DocstringStyle | None) -> list[str]:
    """Return the docstring problems in a file, as in "- Line 3: `f` has no docstring".

    A file that cannot be parsed is reported as a single finding.
    """
    try:
        tree = parse_source(read_source_file(file), str(file))
    except ToolError as error:
        return [f"- {error.message}"]
    style = style or detect_file_style(tree)
    return [
        f"- Line {symbol.line}: {f'`{symbol.name}`' if symbol.name else 'the module'} {problem}"
        for symbol in list_symbols(tree)
        for problem in check_symbol_docstring(symbol, style)
    ]
