"""Queries of the Wolfram|Alpha tools and prompts, with offline answers as a fallback.

In the Context tools, each sentence is a query. Their text also reports service problems, because
the model may be able to continue without the service.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any

from paddock.authoring.handler_errors import ToolError
from paddock.docsearch.corpora.registry import WOLFRAM_CORPORA
from paddock.docsearch.search import format_hits, search_with_notes
from paddock.errors import PaddockError
from paddock.kernels.handler_calls import call_kernel
from paddock.kernels.kernel import EvaluationLimits
from paddock.toolkits.alpha.client import (
    AlphaClient,
    QueryFailure,
    create_service_urls,
    fetch_images,
)
from paddock.toolkits.alpha.offline import EngineResult, OfflineAnswer, answer_offline
from paddock.toolkits.alpha.results import (
    NO_RESULTS_TEXT,
    TIMED_OUT_TEXT,
    QueryResult,
    build_result_content,
    format_result,
    join_pieces,
)
from paddock.toolkits.alpha.settings import MAX_QUERIES, describe_app_id_setup, find_app_id
from paddock.toolkits.alpha.tools import wolfram_alpha_context_tool, wolfram_context_tool
from paddock.toolkits.search_prompts import format_search_text, get_option_values
from paddock.toolkits.tool_options import ENGINE_OPTION_NAME
from paddock.toolkits.wolfram.evaluator import describe_engine, get_engine_by_name, open_kernel

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from paddock.authoring.context import Context
    from paddock.kernels.kernel import EvaluationControl, EvaluationResult
    from paddock.toolkits.alpha.results import ResultPiece
    from paddock.toolkits.alpha.tools import (
        AlphaAndDocsContextArguments,
        AlphaContextArguments,
        AlphaQueryArguments,
    )
    from paddock.toolkits.tool_options import ToolContent


OFFLINE_LIMITS = EvaluationLimits(seconds=10, memory_bytes=1 << 30)
MAX_QUERY_CHARACTERS = 2000
_SOFT_FAILURE_TEXTS = {"not-understood": NO_RESULTS_TEXT, "timeout": TIMED_OUT_TEXT}
ALPHA_HEADER = (
    "IMPORTANT: These Wolfram|Alpha results are relevant to the given text. Use them, and say that "
    "they are from Wolfram|Alpha."
)
SECTION_SEPARATOR = "======"
IMAGE_HINT = (
    "To show an image to the user, repeat its Markdown link. To cite a source, give the URL of the "
    "result."
)
# Wolfram|Alpha does not understand longer sentences.
MAX_SENTENCE_CHARACTERS = 200
_SENTENCE_END_PATTERN = re.compile(r"(?<=[.?!;])\s+(?=[A-Z\d\"'(])|[\n\r\t]+")
_ABBREVIATION_PATTERN = re.compile(r"\b(?:[A-Z]|e\.g|i\.e|vs|approx|Dr|Mr|Mrs|Ms|St|No|Mt|U\.S)\.$")
DOCUMENTATION_HEADER = (
    "IMPORTANT: Use these documentation pages when you write Wolfram Language code."
)
MAX_DOCUMENTATION_CHARACTERS = 12_000


def find_offline_answer(
    ctx: Context, query: str, options: Mapping[str, Any]
) -> OfflineAnswer | None:
    """Answer a query on this machine, without Wolfram|Alpha, if an answer is certain.

    For calculus and algebra, a Wolfram Language engine is used if one is installed. Returns None
    if no answer is certain.
    """
    return answer_offline(query, partial(_evaluate_in_new_kernel, ctx, options))


def _evaluate_in_new_kernel(
    ctx: Context, options: Mapping[str, Any], code: str
) -> EngineResult | None:
    """Evaluate Wolfram Language code in a new kernel.

    Returns None if there is no engine or no result. Also returns None if there is other output,
    such as a message, because the result may then be wrong.
    """
    try:
        engine = get_engine_by_name(options.get(ENGINE_OPTION_NAME))

        def evaluate_in_kernel(control: EvaluationControl) -> EvaluationResult:
            with open_kernel(engine, OFFLINE_LIMITS) as kernel:
                return kernel.evaluate(code, OFFLINE_LIMITS, control)

        result = call_kernel(ctx, evaluate_in_kernel, OFFLINE_LIMITS.seconds)
    except PaddockError:
        return None  # Without an engine, fewer questions can be answered.
    ctx.raise_if_cancelled()
    if result.status != "done" or result.result is None or result.outputs:
        return None
    return EngineResult(result.result, describe_engine(engine))


class NoResultError(ToolError):
    """No query has a result."""

    code = "no-answer"


def query_wolfram_alpha(arguments: AlphaQueryArguments, ctx: Context) -> ToolContent:
    """Answer a query, or multiple queries separated by tabs.

    Raises:
        NoResultError: No query has a result. The message tells the user how to fix that.
    """
    pieces = run_queries(ctx, split_queries(arguments.query), ctx.options)
    return _build_content_with_images(ctx, pieces)


def _build_content_with_images(ctx: Context, pieces: Sequence[ResultPiece]) -> ToolContent:
    """Download the images in results, and convert the results to the content of a tool result."""
    images = fetch_images(
        pieces, create_service_urls(ctx.options["BaseURL"]), ctx.options, lambda: ctx.is_cancelled
    )
    ctx.raise_if_cancelled()
    return build_result_content(pieces, images)


def split_queries(text: str) -> list[str]:
    """Split text into queries at tabs, and check their number and length.

    Raises:
        ToolError: There are no queries or too many, or one is too long.
    """
    queries = [part for part in (" ".join(line.split()) for line in text.split("\t")) if part]
    if not queries:
        raise ToolError("`query` is empty")
    if len(queries) > MAX_QUERIES:
        raise ToolError(f"got {len(queries)} queries, expected at most {MAX_QUERIES}")
    if max(map(len, queries)) > MAX_QUERY_CHARACTERS:
        raise ToolError(
            f"a query has more than {MAX_QUERY_CHARACTERS:,} characters",
            hint="ask about one thing, in few words",
        )
    return queries


def run_queries(
    ctx: Context, queries: Sequence[str], options: Mapping[str, Any]
) -> list[ResultPiece]:
    """Send queries to Wolfram|Alpha, and return their formatted results in order.

    A query without a result gets an offline answer if one is certain. If no query has a result or
    answer, an error is raised, unless all failures are soft. A soft failure, such as a query that
    the service did not understand, can be fixed by rewording, so it is shown as a result.

    Raises:
        NoResultError: No query has a result. The message tells the user how to fix that.
    """
    app_id = find_app_id(options)
    online_results: Sequence[QueryResult | QueryFailure]
    if app_id:
        client = AlphaClient.from_options(app_id, options)
        online_results = client.run_queries(queries, lambda: ctx.is_cancelled)
    else:
        setup = describe_app_id_setup(is_local=ctx.is_local)
        online_results = [QueryFailure(query, "app-id", setup) for query in queries]
    ctx.raise_if_cancelled()
    results = [_fall_back_to_offline(ctx, result, options) for result in online_results]
    failures = [result for result in results if isinstance(result, QueryFailure)]
    are_all_soft = all(failure.kind in _SOFT_FAILURE_TEXTS for failure in failures)
    if len(failures) == len(results) and not are_all_soft:
        raise NoResultError("\n".join(dict.fromkeys(failure.message for failure in failures)))
    return [piece for result in results for piece in _format_answer(result, options)]


def _fall_back_to_offline(
    ctx: Context, result: QueryResult | QueryFailure, options: Mapping[str, Any]
) -> QueryResult | QueryFailure:
    """Replace a failed query with an offline answer, if one is certain and the options allow it.

    The answer begins with the reason for the failure. A missing AppID is not mentioned because
    the long setup instructions would be repeated in every answer.
    """
    if isinstance(result, QueryResult) or not options.get("Offline"):
        return result
    answer = find_offline_answer(ctx, result.query, options)
    if answer is None:
        return result
    reason = result.message if result.kind != "app-id" else ""
    attribution = f"{answer.attribution} {reason}".strip()
    return QueryResult(result.query, (attribution, *answer.markdown_pieces))


def _format_answer(
    result: QueryResult | QueryFailure, options: Mapping[str, Any]
) -> list[ResultPiece]:
    """Return the Markdown texts and images of a result. A failure is formatted as a result too."""
    if isinstance(result, QueryResult):
        return format_result(result, options["MaxCharacterCount"])
    summary = _SOFT_FAILURE_TEXTS.get(result.kind)
    message = f"{summary}. {result.message}" if summary else result.message
    return format_result(QueryResult(result.query, (message,)), options["MaxCharacterCount"])


def get_alpha_context(arguments: AlphaContextArguments, ctx: Context) -> ToolContent:
    """Return the results for a context, with images. The list is empty if there are no queries."""
    pieces = collect_alpha_pieces(ctx, arguments.context, ctx.options)
    return _build_content_with_images(ctx, pieces)


def search_wolfram_alpha(arguments: dict[str, str], ctx: Context) -> str:
    """Return the text of a prompt: a query, and Wolfram|Alpha results for it.

    The options are those of the tool `WolframAlphaContext`.

    Args:
        arguments: The arguments of the prompt, `{"query": …}`.
        ctx: The context of the call.
    """
    query = arguments["query"]
    options = get_option_values(ctx, wolfram_alpha_context_tool)
    return format_search_text(query, join_pieces(collect_alpha_pieces(ctx, query, options)))


def collect_alpha_pieces(
    ctx: Context, context: str, options: Mapping[str, Any], *, severity: str = "Error"
) -> list[ResultPiece]:
    """Return Wolfram|Alpha results for the sentences of a text, as Markdown texts and images.

    If the service has a problem, its message is returned instead of raising an error. The model
    can then continue without results.

    Args:
        ctx: The context of the call.
        context: Text in which each sentence is a query. Without sentences, nothing is returned.
        options: The options of the tool.
        severity: The first word of the message about a problem, `Error` or `Warning`.
    """
    queries = extract_queries(context)[: options["MaxItems"]]
    if not queries:
        return []
    try:
        pieces = run_queries(ctx, queries, options)
    except NoResultError as error:
        return [f"{severity}: {error}"]
    return [ALPHA_HEADER, SECTION_SEPARATOR, *pieces, IMAGE_HINT]


def extract_queries(context: str) -> list[str]:
    """Return the distinct sentences in a text that are suitable as queries.

    A period after an abbreviation, such as "e.g.", does not end a sentence. Markdown characters
    around a sentence are removed.
    """
    sentences: list[str] = []
    for part in _SENTENCE_END_PATTERN.split(context):
        if sentences and _ABBREVIATION_PATTERN.search(sentences[-1]):
            sentences[-1] = f"{sentences[-1]} {part}"
        else:
            sentences.append(part)
    normalized = (" ".join(sentence.strip(" \t-*#>.").split()) for sentence in sentences)
    return list(dict.fromkeys(sentence for sentence in normalized if _is_queryable(sentence)))


def _is_queryable(sentence: str) -> bool:
    return len(sentence) <= MAX_SENTENCE_CHARACTERS and any(
        character.isalnum() for character in sentence
    )


def get_wolfram_context(arguments: AlphaAndDocsContextArguments, ctx: Context) -> ToolContent:
    """Return Wolfram|Alpha results and documentation for a context, with images."""
    pieces = collect_wolfram_pieces(ctx, arguments.context, ctx.options)
    return _build_content_with_images(ctx, pieces)


def search_wolfram(arguments: dict[str, str], ctx: Context) -> str:
    """Return the text of a prompt: a query, and Wolfram|Alpha results and documentation for it.

    The options are those of the tool `WolframContext`.

    Args:
        arguments: The arguments of the prompt, `{"query": …}`.
        ctx: The context of the call.
    """
    query = arguments["query"]
    options = get_option_values(ctx, wolfram_context_tool)
    return format_search_text(query, join_pieces(collect_wolfram_pieces(ctx, query, options)))


def collect_wolfram_pieces(
    ctx: Context, context: str, options: Mapping[str, Any]
) -> list[ResultPiece]:
    """Return Wolfram|Alpha results and documentation pages for the sentences of a text."""
    # `WolframAlphaContext` has the same option under another name.
    alpha_options = {**options, "MaxItems": options["WolframAlphaMaxItems"]}
    alpha_pieces = collect_alpha_pieces(ctx, context, alpha_options, severity="Warning")
    documentation_pieces = collect_documentation_pieces(context, options["WolframLanguageMaxItems"])
    if not alpha_pieces or not documentation_pieces:
        return [*alpha_pieces, *documentation_pieces]
    return [*alpha_pieces, SECTION_SEPARATOR, *documentation_pieces]


def collect_documentation_pieces(context: str, limit: int) -> list[str]:
    """Return Wolfram Language documentation pages for a text, after a header for the model.

    The list is empty if no page matches. If the search fails, the list contains a warning.

    Args:
        context: The text.
        limit: The maximum number of pages.
    """
    if not limit or not context.strip():
        return []
    try:
        results = search_with_notes(
            context, WOLFRAM_CORPORA, limit=limit, budget=MAX_DOCUMENTATION_CHARACTERS
        )
    except PaddockError as error:
        return [f"Warning: the documentation cannot be searched: {error}"]
    if not results.hits:
        return []
    return [
        DOCUMENTATION_HEADER,
        format_hits(results.hits, MAX_DOCUMENTATION_CHARACTERS),
        *results.notes,
    ]
