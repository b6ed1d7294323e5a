"""Resolves the contexts of symbols in package files without a kernel.

Some engines support qualified names but not `BeginPackage`, `Begin` and `Needs`. `ContextResolver`
follows these declarations through the files of a paclet and returns the code with qualified names
for all symbols defined by the packages. Local variables and pattern names are unchanged.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from paddock.wolfram.assignments import iter_assignments
from paddock.wolfram.expressions import Atom, Node, has_head, is_atom, is_symbol
from paddock.wolfram.literals import evaluate
from paddock.wolfram.parser import parse

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.source import ParsedSource

GLOBAL_CONTEXT, SYSTEM_CONTEXT = "Global`", "System`"


class PackageFile(NamedTuple):
    """A package file's text and display name."""

    text: str
    display_name: str


class _ContextState(NamedTuple):
    """The contexts (namespaces) that apply to unqualified symbol names at one point in a file."""

    context: str
    """The current context, where new symbols are created: `` "MyPaclet`Private`" ``."""
    path: tuple[str, ...]
    """The context path (`$ContextPath`)."""

    @property
    def search_path(self) -> tuple[str, ...]:
        """The contexts where kernels look up a name, in lookup order."""
        return (self.context, *self.path)


class _PackageExpression(NamedTuple):
    """A top-level expression, and the context state that applies to its names."""

    source: ParsedSource
    expression: Expression
    context_state: _ContextState


class ContextResolver:
    """Resolver that finds the qualified names of symbols in a paclet's packages.

    `load` reads the file that provides a context, and everything it needs. `take_new_code` then
    returns the code to evaluate, and `qualify_code` translates later input that refers to the
    loaded packages.

    Args:
        find: Returns the file that provides a context, or None.
        is_system: Returns whether a name is a built-in symbol, which packages cannot define.
    """

    def __init__(
        self, find: Callable[[str], PackageFile | None], is_system: Callable[[str], bool]
    ) -> None:
        self._find_file = find
        self._is_system = is_system
        self._symbols_by_context: defaultdict[str, set[str]] = defaultdict(set)
        self._pending_expressions: list[_PackageExpression] = []
        """Expressions from loaded files that `take_new_code` has not returned yet."""
        self._loaded_contexts: set[str] = set()
        self.missing_contexts: list[str] = []
        """Contexts that loaded files refer to but no file provides."""
        self.problems: list[str] = []
        """Syntax problems, with their locations."""

    @property
    def contexts(self) -> tuple[str, ...]:
        """The loaded contexts."""
        return tuple(self._loaded_contexts)

    def load(self, context: str) -> bool:
        """Load the package file that provides a context, and the files it needs.

        A context such as `` "MyPaclet`" `` is only loaded once, as with `Needs`. Returns False if
        no file provides the context.
        """
        if context in self._loaded_contexts:
            return True
        file = self._find_file(context)
        if file is None:
            return False
        # Record the context before reading its file, because packages may load each other.
        self._loaded_contexts.add(context)
        self._read_file(file)
        return True

    def take_new_code(self) -> list[str]:
        """Return the code of all files loaded since the last call, with qualified names.

        Names are resolved here, after all files have been read, so code can refer to symbols that
        are defined later.
        """
        pending, self._pending_expressions = self._pending_expressions, []
        return [
            self._qualify_names(package.source, package.expression, package.context_state)
            for package in pending
        ]

    def qualify_code(self, text: str) -> str:
        """Return the user's code with qualified names for symbols from loaded packages.

        All loaded packages are searched. Code that is not a single valid expression is returned
        unchanged.
        """
        source = parse(text)
        if source.problems or len(source.expressions) != 1:
            return text
        contexts = sorted(self._loaded_contexts)
        state = _ContextState(GLOBAL_CONTEXT, (*contexts, SYSTEM_CONTEXT))
        return self._qualify_names(source, source.expressions[0], state)

    def has_symbol(self, name: str) -> bool:
        """Return whether the packages define the symbol with this qualified name."""
        context, mark, short_name = name.rpartition("`")
        return short_name in self._symbols_by_context.get(context + mark, ())

    def _read_file(self, file: PackageFile) -> None:
        """Parse a package file, and queue its expressions with their contexts.

        A file with a syntax error is skipped, and its first problem is recorded in `problems`.
        """
        source = parse(file.text)
        if source.problems:
            problem = source.problems[0]
            line, column = source.get_position(problem.start)
            self.problems.append(f"{file.display_name}:{line}:{column}: {problem.message}")
            return
        file_contexts = _FileContexts(self._load_or_note)
        for expression in source.expressions:
            # A declaration such as `Begin` changes the state for the expressions after it.
            state = file_contexts.state
            if file_contexts.handle_declaration(expression):
                continue
            self._record_definitions(expression, state)
            self._pending_expressions.append(_PackageExpression(source, expression, state))

    def _load_or_note(self, context: str) -> bool:
        """Load a context for a declaration such as `Needs`.

        A context that no file provides is recorded in `missing_contexts`, unless it is a system
        context. Returns whether the context was loaded.
        """
        if self.load(context):
            return True
        is_system = context.startswith(SYSTEM_CONTEXT)
        if not is_system and context not in self.missing_contexts:
            self.missing_contexts.append(context)
        return False

    def _record_definitions(self, expression: Expression, state: _ContextState) -> None:
        """Record the symbols that an expression defines, by context.

        A symbol that is a whole statement counts too, because kernels create a symbol when it is
        first mentioned. Packages use such statements to export names.
        """
        symbols = [assignment.symbol for assignment in iter_assignments(expression)]
        statement = _strip_semicolon(expression)
        if is_atom(statement, "symbol"):
            symbols.append(statement)
        for symbol in symbols:
            # Packages cannot define built-in symbols.
            if "`" not in symbol.text and self._is_system(symbol.text):
                continue
            qualified_name = self._find_qualified_name(symbol.text, state) or _make_absolute(
                symbol.text, state.context
            )
            context, backtick, short_name = qualified_name.rpartition("`")
            self._symbols_by_context[context + backtick].add(short_name)

    def _find_qualified_name(self, name: str, state: _ContextState) -> str | None:
        """Return the qualified name of a symbol that a loaded package defines.

        Returns None for any other symbol.
        """
        if "`" in name:
            name = _make_absolute(name, state.context)
            return name if self.has_symbol(name) else None
        for context in state.search_path:
            if name in self._symbols_by_context.get(context, ()):
                return context + name
        return None

    def _qualify_names(
        self, source: ParsedSource, expression: Expression, state: _ContextState
    ) -> str:
        """Return the code of an expression with qualified names for package symbols."""

        def qualify(name: str) -> str | None:
            qualified_name = self._find_qualified_name(name, state)
            is_global = qualified_name is None or qualified_name.startswith(GLOBAL_CONTEXT)
            return None if is_global else qualified_name

        return source.get_code(expression, qualify)


class _FileContexts:
    """The context state within one file, updated by its context declarations.

    Declarations nest: `Begin` and `BeginPackage` save the state, and `End` and `EndPackage` restore
    it.
    """

    def __init__(self, load: Callable[[str], bool]) -> None:
        self.state = _ContextState(GLOBAL_CONTEXT, (GLOBAL_CONTEXT, SYSTEM_CONTEXT))
        self._load = load
        self._outer_states: list[_ContextState] = []
        self._open_packages: list[str] = []

    def handle_declaration(self, expression: Expression) -> bool:
        """Apply a context declaration such as `` Begin["`Private`"] `` or `` Needs["Other`"] ``.

        Returns False for any other expression, which the engine must evaluate. This includes `Get`
        with a file name.
        """
        statement = _strip_semicolon(expression)
        if not isinstance(statement, Node) or not isinstance(statement.head, Atom):
            return False
        head = statement.head.text
        match head, [evaluate(arg) for arg in statement.args]:
            case "Begin" | "BeginPackage", [str() as name, *needed_contexts]:
                context = _make_absolute(name, self.state.context)
                self._begin_context(head, context, needed_contexts)
            case "End" | "EndPackage", []:
                self._end_context(head)
            case "Needs" | "Get", [str() as name, *_] if name.endswith("`"):
                self._load_context(name)
            case _:
                return False
        return True

    def _begin_context(self, head: str, context: str, needed_contexts: list[object]) -> None:
        """Enter the context that a `Begin` or `BeginPackage` declares.

        This also loads the contexts that the package needs: the other arguments of `BeginPackage`.
        """
        self._outer_states.append(self.state)
        if head == "Begin":
            self.state = self.state._replace(context=context)
            return
        self._open_packages.append(context)
        # `BeginPackage` replaces the context path, so only the needed contexts are visible inside
        # it.
        self.state = _ContextState(context, (context, SYSTEM_CONTEXT))
        for argument in needed_contexts:
            names = argument if isinstance(argument, list) else [argument]
            for name in names:
                if isinstance(name, str):
                    self._load_context(name)

    def _end_context(self, head: str) -> None:
        """Restore the state from before the matching `Begin` or `BeginPackage`."""
        if self._outer_states:
            self.state = self._outer_states.pop()
        # After `EndPackage`, the package's symbols are visible to the code that follows.
        if head == "EndPackage" and self._open_packages:
            self._add_to_path(self._open_packages.pop())

    def _load_context(self, context: str) -> None:
        if self._load(context):
            self._add_to_path(context)

    def _add_to_path(self, context: str) -> None:
        if context not in self.state.path:
            self.state = self.state._replace(path=(context, *self.state.path))


def _make_absolute(name: str, context: str) -> str:
    """Return the absolute form of a name or context used within `context`."""
    if name.startswith("`"):
        return context + name[1:]
    return name if "`" in name else context + name


def _strip_semicolon(expression: Expression) -> Expression:
    """Return the expression without its final semicolon, if any."""
    if has_head(expression, "CompoundExpression"):
        match expression.args:
            case [statement, last] if is_symbol(last, "Null"):
                return statement
    return expression
