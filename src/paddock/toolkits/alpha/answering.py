"""What the tool `WolframAlpha` does: asks the service, or answers offline where that is sure.

Loaded with the first call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from paddock.authoring.failures import ToolError
from paddock.toolkits.alpha.app_id import find_app_id, describe_app_id_setup
from paddock.toolkits.alpha.kernel_answers import find_offline_answer
from paddock.toolkits.alpha.options import MAX_QUERIES
from paddock.toolkits.alpha.pictures import fetch_images
from paddock.toolkits.alpha.pieces import QueryResult
from paddock.toolkits.alpha.places import create_service_urls
from paddock.toolkits.alpha.service import AlphaClient, QueryFailure
from paddock.toolkits.alpha.wording import NO_RESULTS_TEXT, TIMED_OUT_TEXT, format_result, build_result_content

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from paddock.authoring.context import Context
    from paddock.toolkits.alpha.pieces import ResultPiece
    from paddock.toolkits.alpha.wording import ToolContent

MAX_QUERY_CHARACTERS = 2000
"""Of one query; the service takes fewer words than that."""
_SOFT_FAILURE_TEXTS = {"not-understood": NO_RESULTS_TEXT, "timeout": TIMED_OUT_TEXT}


class NoResultError(ToolError):
    """There is no answer to any query."""

    code = "no-answer"


class QueryAnswers(NamedTuple):
    """What was found for several queries."""

    pieces: list[ResultPiece]
    has_results: bool


def answer_query(ctx: Context, query: str) -> ToolContent:
    """The answer to a query, or to several that tabs separate.

    Raises:
        NoAnswerError: when there is none, with what can be done.
    """
    found = run_queries(ctx, split_queries(query), ctx.options)
    pictures = fetch_images(
        found.pieces, create_service_urls(ctx.options["BaseURL"]), ctx.options, lambda: ctx.is_cancelled
    )
    ctx.raise_if_cancelled()
    return build_result_content(found.pieces, pictures)


def split_queries(text: str) -> list[str]:
    """The queries in a text.

    Raises:
        ToolError: when there are none, or too many.
    """
    found = [part for part in (" ".join(line.split()) for line in text.split("\t")) if part]
    if not found:
        raise ToolError("There is nothing to ask: `query` is empty")
    if len(found) > MAX_QUERIES:
        raise ToolError(f"There are {len(found)} queries, expected at most {MAX_QUERIES}")
    if max(map(len, found)) > MAX_QUERY_CHARACTERS:
        raise ToolError(
            f"A query has more than {MAX_QUERY_CHARACTERS:,} characters",
            hint="ask for one thing, in few words",
        )
    return found


def run_queries(ctx: Context, queries: Sequence[str], options: Mapping[str, Any]) -> QueryAnswers:
    """The blocks for queries, in their order.

    Raises:
        NoAnswerError: when there is no answer to any, with what can be done.
    """
    app_id = find_app_id(options)
    if app_id:
        found = AlphaClient.from_options(app_id, options).run_queries(queries, lambda: ctx.is_cancelled)
    else:
        how = describe_app_id_setup(is_local=ctx.is_local)
        found = [QueryFailure(query, "app-id", how) for query in queries]
    ctx.raise_if_cancelled()
    answered = [_fall_back_to_offline(ctx, one, options) for one in found]
    troubles = [one for one in answered if isinstance(one, QueryFailure)]
    if len(troubles) == len(answered) and not all(one.kind in _SOFT_FAILURE_TEXTS for one in troubles):
        raise NoResultError("\n".join(dict.fromkeys(one.message for one in troubles)))
    pieces = [piece for one in answered for piece in _format_answer(one, options)]
    return QueryAnswers(pieces, len(troubles) < len(answered))


def _fall_back_to_offline(
    ctx: Context, found: QueryResult | QueryFailure, options: Mapping[str, Any]
) -> QueryResult | QueryFailure:
    """The same, or an answer of our own where the service has none."""
    if isinstance(found, QueryResult) or not options.get("Offline"):
        return found
    pieces = find_offline_answer(ctx, found.query, options)
    if pieces is None:
        return found
    why = f"{pieces.attribution} {found.message if found.kind != 'app-id' else ''}".strip()
    return QueryResult(found.query, (why, *pieces.markdown_pieces))


def _format_answer(found: QueryResult | QueryFailure, options: Mapping[str, Any]) -> list[ResultPiece]:
    if isinstance(found, QueryResult):
        return format_result(found, options["MaxCharacterCount"])
    text = _SOFT_FAILURE_TEXTS.get(found.kind)
    pieces = (f"{text}. {found.message}" if text else found.message,)
    return format_result(QueryResult(found.query, pieces), options["MaxCharacterCount"])
