"""What the tool `WolframAlpha` does: asks the service, or answers offline where that is sure.

Loaded with the first call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from paddock.authoring.failures import ToolError
from paddock.toolkits.alpha.app_id import find_app_id, how_to_get
from paddock.toolkits.alpha.kernel_answers import offline_answer
from paddock.toolkits.alpha.options import MAX_QUERIES
from paddock.toolkits.alpha.pictures import fetch_pictures
from paddock.toolkits.alpha.pieces import Result
from paddock.toolkits.alpha.places import places
from paddock.toolkits.alpha.service import Service, Trouble
from paddock.toolkits.alpha.wording import NO_RESULTS, TIMED_OUT, block, contents

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from paddock.authoring.context import Context
    from paddock.toolkits.alpha.pieces import Piece
    from paddock.toolkits.alpha.wording import Content

MOST_CHARACTERS = 2000
"""Of one query; the service takes fewer words than that."""
_SOFT = {"not-understood": NO_RESULTS, "timeout": TIMED_OUT}


class NoAnswerError(ToolError):
    """There is no answer to any query."""

    code = "no-answer"


class Answers(NamedTuple):
    """What was found for several queries."""

    pieces: list[Piece]
    is_any_found: bool


def answer(ctx: Context, query: str) -> Content:
    """The answer to a query, or to several that tabs separate.

    Raises:
        NoAnswerError: when there is none, with what can be done.
    """
    found = ask(ctx, queries_in(query), ctx.options)
    pictures = fetch_pictures(
        found.pieces, places(ctx.options["BaseURL"]), ctx.options, lambda: ctx.is_cancelled
    )
    ctx.raise_if_cancelled()
    return contents(found.pieces, pictures)


def queries_in(text: str) -> list[str]:
    """The queries in a text.

    Raises:
        ToolError: when there are none, or too many.
    """
    found = [part for part in (" ".join(line.split()) for line in text.split("\t")) if part]
    if not found:
        raise ToolError("There is nothing to ask: `query` is empty")
    if len(found) > MAX_QUERIES:
        raise ToolError(f"There are {len(found)} queries, expected at most {MAX_QUERIES}")
    if max(map(len, found)) > MOST_CHARACTERS:
        raise ToolError(
            f"A query has more than {MOST_CHARACTERS:,} characters",
            hint="ask for one thing, in few words",
        )
    return found


def ask(ctx: Context, queries: Sequence[str], options: Mapping[str, Any]) -> Answers:
    """The blocks for queries, in their order.

    Raises:
        NoAnswerError: when there is no answer to any, with what can be done.
    """
    app_id = find_app_id(options)
    if app_id:
        found = Service.of(app_id, options).ask(queries, lambda: ctx.is_cancelled)
    else:
        how = how_to_get(is_local=ctx.is_local)
        found = [Trouble(query, "app-id", how) for query in queries]
    ctx.raise_if_cancelled()
    answered = [_with_offline(ctx, one, options) for one in found]
    troubles = [one for one in answered if isinstance(one, Trouble)]
    if len(troubles) == len(answered) and not all(one.kind in _SOFT for one in troubles):
        raise NoAnswerError("\n".join(dict.fromkeys(one.text for one in troubles)))
    pieces = [piece for one in answered for piece in _block(one, options)]
    return Answers(pieces, len(troubles) < len(answered))


def _with_offline(
    ctx: Context, found: Result | Trouble, options: Mapping[str, Any]
) -> Result | Trouble:
    """The same, or an answer of our own where the service has none."""
    if isinstance(found, Result) or not options.get("Offline"):
        return found
    pieces = offline_answer(ctx, found.query, options)
    if pieces is None:
        return found
    why = f"{pieces.label} {found.text if found.kind != 'app-id' else ''}".strip()
    return Result(found.query, (why, *pieces.pieces))


def _block(found: Result | Trouble, options: Mapping[str, Any]) -> list[Piece]:
    if isinstance(found, Result):
        return block(found, options["MaxCharacterCount"])
    text = _SOFT.get(found.kind)
    pieces = (f"{text}. {found.text}" if text else found.text,)
    return block(Result(found.query, pieces), options["MaxCharacterCount"])
