"""Offline answers with the engine that is there: what `offline` leaves to a kernel.

What the tool `WolframAlpha` does: asks the service, or answers offline where that is sure.

Loaded with the first call.

What the Context tools and Search prompts get from Wolfram|Alpha.

Each sentence of a context is a query. A service that is missing is told in the text, since whoever
asked may go on without. Loaded with the first call.

What `WolframContext` and `WolframSearch` give: results of Wolfram|Alpha, and documentation.

Loaded with the first call.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from paddock.authoring.handler_errors import ToolError
from paddock.docsearch.corpora.registry import WOLFRAM_CORPORA
from paddock.docsearch.search import format_hits, search_with_notes
from paddock.errors import PaddockError
from paddock.kernels.handler_calls import call_kernel
from paddock.kernels.kernel import EvaluationLimits
from paddock.toolkits.alpha.client import AlphaClient, QueryFailure
from paddock.toolkits.alpha.fetch import fetch_images
from paddock.toolkits.alpha.offline import EngineResult, OfflineAnswer, answer_offline
from paddock.toolkits.alpha.results import (
    NO_RESULTS_TEXT,
    TIMED_OUT_TEXT,
    QueryResult,
    build_result_content,
    format_result,
)
from paddock.toolkits.alpha.service_urls import create_service_urls
from paddock.toolkits.alpha.settings import MAX_QUERIES, describe_app_id_setup, find_app_id
from paddock.toolkits.tool_options import ENGINE_OPTION_NAME
from paddock.toolkits.wolfram.evaluator import describe_engine, get_engine_by_name, open_kernel

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from paddock.authoring.context import Context
    from paddock.kernels.handler_calls import CancelCheck, ProgressCallback
    from paddock.kernels.kernel import EvaluationResult
    from paddock.toolkits.alpha.results import ResultPiece, ToolContent


OFFLINE_LIMITS = EvaluationLimits(seconds=10, memory_bytes=1 << 30)


def find_offline_answer(
    ctx: Context, query: str, options: Mapping[str, Any]
) -> OfflineAnswer | None:
    """An answer that is sure, or nothing."""

    def evaluate(code: str) -> EngineResult | None:
        try:
            engine = get_engine_by_name(options.get(ENGINE_OPTION_NAME))

            def work(is_cancelled: CancelCheck, on_wait: ProgressCallback) -> EvaluationResult:
                with open_kernel(engine, OFFLINE_LIMITS) as kernel:
                    return kernel.evaluate(
                        code, OFFLINE_LIMITS, is_cancelled=is_cancelled, on_wait=on_wait
                    )

            outcome = call_kernel(ctx, work, OFFLINE_LIMITS.seconds)
        except PaddockError:
            return None  # without an engine there is less that can be answered
        ctx.raise_if_cancelled()
        if outcome.status != "done" or outcome.result is None or outcome.outputs:
            return None
        return EngineResult(outcome.result, describe_engine(engine))

    return answer_offline(query, evaluate)


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
        found.pieces,
        create_service_urls(ctx.options["BaseURL"]),
        ctx.options,
        lambda: ctx.is_cancelled,
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
        found = AlphaClient.from_options(app_id, options).run_queries(
            queries, lambda: ctx.is_cancelled
        )
    else:
        how = describe_app_id_setup(is_local=ctx.is_local)
        found = [QueryFailure(query, "app-id", how) for query in queries]
    ctx.raise_if_cancelled()
    answered = [_fall_back_to_offline(ctx, one, options) for one in found]
    troubles = [one for one in answered if isinstance(one, QueryFailure)]
    if len(troubles) == len(answered) and not all(
        one.kind in _SOFT_FAILURE_TEXTS for one in troubles
    ):
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


def _format_answer(
    found: QueryResult | QueryFailure, options: Mapping[str, Any]
) -> list[ResultPiece]:
    if isinstance(found, QueryResult):
        return format_result(found, options["MaxCharacterCount"])
    text = _SOFT_FAILURE_TEXTS.get(found.kind)
    pieces = (f"{text}. {found.message}" if text else found.message,)
    return format_result(QueryResult(found.query, pieces), options["MaxCharacterCount"])


ALPHA_HEADER = (
    "IMPORTANT: These results of Wolfram|Alpha were found for the text that was given. Use what is "
    "in them, and say that it is from Wolfram|Alpha."
)
SECTION_SEPARATOR = "======"
IMAGE_HINT = (
    "To show a picture to the user, repeat its Markdown link; to name a source, give the URL of "
    "the result."
)
MAX_SENTENCE_CHARACTERS = 200
"""Of a sentence that can be a query; Wolfram|Alpha does not understand long ones."""
_SENTENCE_END_PATTERN = re.compile(r"(?<=[.?!;])\s+(?=[A-Z\d\"'(])|[\n\r\t]+")
_ABBREVIATION_PATTERN = re.compile(r"\b(?:[A-Z]|e\.g|i\.e|vs|approx|Dr|Mr|Mrs|Ms|St|No|Mt|U\.S)\.$")


def collect_alpha_context(ctx: Context, context: str) -> ToolContent:
    """The results for a context, with their pictures; nothing when there is nothing to ask."""
    pieces = collect_alpha_pieces(ctx, context, ctx.options)
    pictures = fetch_images(
        pieces, create_service_urls(ctx.options["BaseURL"]), ctx.options, lambda: ctx.is_cancelled
    )
    ctx.raise_if_cancelled()
    return build_result_content(pieces, pictures)


def collect_alpha_pieces(
    ctx: Context, context: str, options: Mapping[str, Any], *, severity: str = "Error"
) -> list[ResultPiece]:
    """The results for a context, or what is missing, or nothing."""
    queries = extract_queries(context)[: options["MaxItems"]]
    if not queries:
        return []
    try:
        found = run_queries(ctx, queries, options)
    except NoResultError as error:
        return [f"{severity}: {error}"]
    return [ALPHA_HEADER, SECTION_SEPARATOR, *found.pieces, IMAGE_HINT]


def extract_queries(context: str) -> list[str]:
    """The sentences that can be asked, each once."""
    sentences: list[str] = []
    for part in _SENTENCE_END_PATTERN.split(context):
        if sentences and _ABBREVIATION_PATTERN.search(sentences[-1]):
            sentences[-1] = f"{sentences[-1]} {part}"
        else:
            sentences.append(part)
    found = (" ".join(one.strip(" \t-*#>.").split()) for one in sentences)
    return list(dict.fromkeys(one for one in found if _is_queryable(one)))


def _is_queryable(sentence: str) -> bool:
    return len(sentence) <= MAX_SENTENCE_CHARACTERS and any(letter.isalnum() for letter in sentence)


DOCUMENTATION_HEADER = (
    "IMPORTANT: Use these pages of documentation when you write Wolfram Language code."
)
MAX_DOCUMENTATION_CHARACTERS = 12_000
"""Characters of documentation."""


def collect_wolfram_context(ctx: Context, context: str) -> ToolContent:
    """What was found for a context, with pictures; nothing when nothing was."""
    pieces = collect_wolfram_pieces(ctx, context, ctx.options)
    pictures = fetch_images(
        pieces, create_service_urls(ctx.options["BaseURL"]), ctx.options, lambda: ctx.is_cancelled
    )
    ctx.raise_if_cancelled()
    return build_result_content(pieces, pictures)


def collect_wolfram_pieces(
    ctx: Context, context: str, options: Mapping[str, Any]
) -> list[ResultPiece]:
    """What was found for a context; a part in which nothing was is left out."""
    asked = {**options, "MaxItems": options["WolframAlphaMaxItems"]}
    alpha = collect_alpha_pieces(ctx, context, asked, severity="Warning")
    pages = search_documentation(context, options["WolframLanguageMaxItems"])
    return [*alpha, *([SECTION_SEPARATOR] if alpha and pages else []), *pages]


def search_documentation(context: str, limit: int) -> list[str]:
    """Pages of documentation below a header, or what is missing, or nothing."""
    if not limit or not context.strip():
        return []
    try:
        found = search_with_notes(
            context, WOLFRAM_CORPORA, limit=limit, budget=MAX_DOCUMENTATION_CHARACTERS
        )
    except PaddockError as error:
        return [f"Warning: the documentation cannot be searched: {error}"]
    if not found.hits:
        return []
    return [
        DOCUMENTATION_HEADER,
        format_hits(found.hits, MAX_DOCUMENTATION_CHARACTERS),
        *found.notes,
    ]
