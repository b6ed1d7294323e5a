"""What the tool `SymbolDefinition` does: definitions of symbols as Markdown, none evaluated.

What a kernel knows is asked by `symbol_values`, how it
is shown is told by `symbol_texts`.
"""

from __future__ import annotations

import contextlib
import json
import re
from typing import TYPE_CHECKING, NamedTuple

from paddock.authoring.failures import ToolError
from paddock.kernels.calls import call_kernel
from paddock.kernels.limits import Limits
from paddock.kernels.sessions import shared_sessions
from paddock.kernels.system_names import system_names
from paddock.toolkits.wolfram.engines import engine_for, fresh_kernel
from paddock.toolkits.wolfram.recent_sessions import engine_of, latest_session
from paddock.toolkits.wolfram.symbol_texts import (
    Names,
    definition_text,
    kernel_function,
    shown_definitions,
)
from paddock.toolkits.wolfram.symbol_values import (
    Written,
    attributes_of,
    is_known,
    known_contexts,
    values_of,
)
from paddock.wolfram import spelled_out

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from paddock.authoring.context import Context
    from paddock.kernels.calls import IsCancelled, OnWait
    from paddock.kernels.engines.engine import Engine
    from paddock.kernels.outcome import Outcome
    from paddock.toolkits.wolfram.symbol_values import Ask, Values
    from paddock.wolfram import Expression

SECONDS = 60.0
MOST_CANDIDATES = 5
_NAME = re.compile(r"(?:[^\W\d_$]|\$)(?:[^\W_]|\$)*(?:`(?:[^\W\d_$]|\$)(?:[^\W_]|\$)*)*")
_CODE = ("own", "down", "sub", "up", "format")
_HAS_CODE = ("HasOwnCodeQ", "HasDownCodeQ", "HasSubCodeQ", "HasUpCodeQ", "HasPrintCodeQ")
"""What a Wolfram kernel answers for each of them."""
_UNLISTED = ("woxi",)
"""Engines whose `Names` leaves out symbols. In the others, to look at a symbol makes it."""


def look_up(
    ctx: Context, names: Sequence[str], session: str | None, length: int, *, is_detailed: bool
) -> str:
    """What is defined for symbols, as Markdown, with at most `length` characters of each.

    Raises:
        PaddockError: when there is no such session, no engine, or its kernel does not start.
    """

    def work(is_cancelled: IsCancelled, on_wait: OnWait) -> str:
        with _looking(ctx, session, is_cancelled, on_wait) as place:
            found = [_shown(name, place) for name in dict.fromkeys(names)]
            return _answer(found, length, place, is_detailed=is_detailed)

    return spelled_out(call_kernel(ctx, work, SECONDS))


class _Place(NamedTuple):
    """Where definitions are looked up."""

    engine: Engine
    ask: Ask
    written: Written

    @property
    def system(self) -> frozenset[str]:
        """The engine's own symbols."""
        return system_names(self.engine, self.ask)


class _Shown(NamedTuple):
    """What there is to show of one symbol."""

    short: str
    text: str = ""
    definitions: tuple[Expression | str, ...] = ()


@contextlib.contextmanager
def _looking(
    ctx: Context, session: str | None, is_cancelled: IsCancelled, on_wait: OnWait
) -> Iterator[_Place]:
    """A session's kernel, or one without definitions."""
    limits = Limits(seconds=SECONDS)

    def asking(evaluate: Callable[..., Outcome]) -> Ask:
        def ask(code: str) -> str | None:
            return evaluate(code, limits, is_cancelled=is_cancelled, on_wait=on_wait).result

        return ask

    wanted = session or latest_session(ctx)
    if wanted is not None:
        engine = engine_of(wanted) or engine_for(ctx)
        with shared_sessions().using(
            wanted, engine, seconds=SECONDS, is_cancelled=is_cancelled, on_wait=on_wait
        ) as opened:
            if opened.history:
                codes = [entry.code for entry in opened.history if entry.is_lasting]
                yield _Place(engine, asking(opened.ask), Written(codes))
                return
        if session is not None:
            raise ToolError(
                f"There is no session {session!r}",
                hint="give the id from an answer of WolframLanguageEvaluator, or none",
            )
    engine = engine_for(ctx)
    if "evaluation" not in engine.capabilities:
        raise ToolError(
            "There is no Wolfram Language engine here, so nothing has a definition",
            hint="paddock engines says how to get one",
        )
    with fresh_kernel(engine, limits) as kernel:
        yield _Place(engine, asking(kernel.evaluate), Written())


def _shown(name: str, place: _Place) -> _Shown:
    short = name.rpartition("`")[2] or name
    if not _NAME.fullmatch(name):
        return _Shown(short, f"Error: Invalid symbol name {name!r}")
    name = name.removeprefix("System`" if short in place.system else "Global`")
    is_system = name in place.system
    is_there = is_system or name in place.written.names or is_known(name, place.ask)
    if not is_there and place.engine.name not in _UNLISTED:
        return _Shown(short, _unknown(name, short, place))
    attributes = attributes_of(name, place.ask)
    if {"Locked", "ReadProtected"} <= {*attributes}:
        return _Shown(
            short, f"Error: {name} is Locked and ReadProtected: its definitions cannot be shown"
        )
    is_wolfram = place.engine.name == "wolfram"
    values = values_of(
        name, place.ask, place.written, is_protected=is_wolfram and "ReadProtected" in attributes
    )
    if not is_there and not (values.definitions or values.attributes or values.raw):
        return _Shown(short, _unknown(name, short, place))
    return _Shown(short, "", tuple(_definitions(name, values, place, is_system=is_system)))


def _definitions(
    name: str, values: Values, place: _Place, *, is_system: bool
) -> list[Expression | str]:
    is_wolfram = place.engine.name == "wolfram"
    shown = shown_definitions(name, values, is_built_in=is_system and not is_wolfram)
    if not is_wolfram:
        return shown
    answer = place.ask(f"{{{', '.join(f'System`Private`{test}[{name}]' for test in _HAS_CODE)}}}")
    has = re.findall(r"True|False", answer or "")
    return shown + [
        kernel_function(kind, name)
        for kind, told in zip(_CODE, has, strict=False)
        if told == "True"
    ]


def _unknown(name: str, short: str, place: _Place) -> str:
    text = f"Error: The symbol {name} does not exist"
    others = [f"{context}{short}" for context in known_contexts(short, place.ask)]
    others = [other for other in others if other != name][:MOST_CANDIDATES]
    if not others:
        return text
    return f"{text}\n\nDid you mean one of these?\n\n```wl\n" + "\n".join(others) + "\n```"


def _answer(found: list[_Shown], length: int, place: _Place, *, is_detailed: bool) -> str:
    names = Names(place.system)
    for one in found:
        names.add(one.definitions)
    parts = [_part(one, names, length) for one in found]
    if is_detailed and names.by_context:
        table = {context: sorted(names.by_context[context]) for context in sorted(names.by_context)}
        text = json.dumps(table, indent=2, ensure_ascii=False)
        parts.append(f"## Contexts\n\n```json\n{text}\n```")
    return "\n\n".join(parts)


def _part(one: _Shown, names: Names, length: int) -> str:
    title = f"# {one.short}"
    if one.text:
        return f"{title}\n\n{one.text}"
    if not one.definitions:
        return f"{title}\n\nNo definitions found"
    text = definition_text(names.shorten(each) for each in one.definitions)
    if len(text) > length:
        text = f"{text[:length]}\n... [truncated, showing {length}/{len(text)} characters]"
    return f"{title}\n\n## Definition\n\n```wl\n{text}\n```"
