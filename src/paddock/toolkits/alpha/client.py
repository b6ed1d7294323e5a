"""Client of the Wolfram|Alpha APIs: requests, and the meaning of responses and failures."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple
from urllib.parse import urlencode

from paddock.authoring.handler_errors import ToolError
from paddock.toolkits.alpha.fetch import (
    ByteBudget,
    FetchFailure,
    FetchRequest,
    FetchResponse,
    fetch_all,
)
from paddock.toolkits.alpha.results import QueryResult, parse_full_results, parse_llm_text
from paddock.toolkits.alpha.service_urls import ServiceUrls, create_service_urls
from paddock.toolkits.alpha.settings import mask_app_id

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

QueryFailureKind = Literal["not-understood", "app-id", "quota", "timeout", "unavailable", "request"]
MAX_RESPONSE_BYTES = 4 << 20  # Usual responses have a few kilobytes.
_QUOTA_PATTERN = re.compile(r"credits|limit[- ]exceeded|quota|usage[- ]limit", re.IGNORECASE)
_HTTP_OK, _HTTP_BAD_REQUEST, _HTTP_UNAUTHORIZED, _HTTP_FORBIDDEN = 200, 400, 401, 403
_HTTP_TIMEOUT, _HTTP_TOO_MANY_REQUESTS, _HTTP_SERVER_ERROR, _HTTP_NOT_UNDERSTOOD = (
    408,
    429,
    500,
    501,
)
_MAX_QUOTED_CHARACTERS = 1500  # Of an error message of the service.


class QueryFailure(NamedTuple):
    """The reason why a query has no result."""

    query: str
    kind: QueryFailureKind
    message: str
    """A message for the model."""


@dataclass(frozen=True)
class AlphaClient:
    """The Wolfram|Alpha service with the settings of a call.

    Attributes:
        app_id: The AppID, which must not occur in results or messages.
        service_urls: The URLs of the APIs.
        uses_full_results: Whether to use the Full Results API and not the LLM API.
        timeout_seconds: The time limit of all queries of a call together.
        max_characters: The length that is requested from the LLM API.
        units: The unit system, or None to let the service choose.
        includes_code: Whether the Full Results API returns Wolfram Language code too.
    """

    app_id: str
    service_urls: ServiceUrls
    uses_full_results: bool
    timeout_seconds: float
    max_characters: int
    units: str | None
    includes_code: bool

    @classmethod
    def from_options(cls, app_id: str, options: Mapping[str, Any]) -> AlphaClient:
        """Create a client from the options of a tool.

        Raises:
            ToolError: The base URL or the AppID is invalid.
        """
        if not (app_id.isascii() and app_id.isprintable() and " " not in app_id):
            raise ToolError(
                "invalid AppID: it must consist of printable ASCII characters without spaces"
            )
        return cls(
            app_id=app_id,
            service_urls=create_service_urls(options["BaseURL"]),
            uses_full_results=options["Method"] == "FullResults",
            timeout_seconds=options["TimeConstraint"],
            max_characters=options["MaxCharacterCount"],
            units=options["Units"],
            includes_code=options["IncludeWolframLanguageResults"],
        )

    def run_queries(
        self, queries: Sequence[str], is_cancelled: Callable[[], bool]
    ) -> list[QueryResult | QueryFailure]:
        """Run queries concurrently and return a result or failure for each, in the same order."""
        requests = [self._build_request(query) for query in queries]
        responses = fetch_all(requests, self.timeout_seconds, is_cancelled)
        return [
            self._read_response(query, response)
            for query, response in zip(queries, responses, strict=True)
        ]

    def _build_request(self, query: str) -> FetchRequest:
        """Build the request for a query. The two APIs have different parameters."""
        parameters: dict[str, object] = {"input": query}
        headers = {}
        if self.units:
            parameters["units"] = self.units
        if self.uses_full_results:
            formats = "plaintext,image,minput" if self.includes_code else "plaintext,image"
            parameters |= {"appid": self.app_id, "output": "json", "format": formats}
        else:
            # The LLM API also accepts the AppID in a header. Proxies log URLs, but not headers.
            headers = {"Authorization": f"Bearer {self.app_id}"}
            parameters["maxchars"] = self.max_characters
        api_url = (
            self.service_urls.full_results if self.uses_full_results else self.service_urls.llm
        )
        return FetchRequest(
            f"{api_url}?{urlencode(parameters)}",
            ByteBudget(MAX_RESPONSE_BYTES),
            headers,
            is_configured_url=self.service_urls.is_configured_url,
        )

    def _read_response(
        self, query: str, response: FetchResponse | FetchFailure
    ) -> QueryResult | QueryFailure:
        """Convert a response to a result, or to a failure with a message for the model.

        The AppID is masked in all text that may be quoted. HTML error pages are not quoted.
        """
        if isinstance(response, FetchFailure):
            return self._convert_failure(query, response)
        text = mask_app_id(response.body.decode(errors="replace"), self.app_id).strip()
        # Only plain text of the service is quoted in messages, not HTML.
        service_text = (
            text[:_MAX_QUOTED_CHARACTERS]
            if response.mime.startswith("text/") and "html" not in response.mime
            else ""
        )
        if response.status != 200:
            return self._convert_status(query, response.status, service_text)
        if self.uses_full_results:
            return self._read_full_results(query, response.body)
        pieces = parse_llm_text(text) if service_text else ()
        return (
            QueryResult(query, pieces)
            if pieces
            else self._create_unreadable_failure(query, response.mime)
        )

    def _read_full_results(self, query: str, body: bytes) -> QueryResult | QueryFailure:
        """Parse a response of the Full Results API.

        This API reports errors in the body of a successful response. They are converted to the HTTP
        status that describes them, so that both APIs share the messages.
        """
        result = parse_full_results(body.replace(self.app_id.encode(), b"*" * 3))
        if result is None:
            return self._create_unreadable_failure(query, "not JSON of the documented form")
        if result.is_app_id_wrong:
            return self._convert_status(query, _HTTP_FORBIDDEN, result.error)
        if result.error:
            return self._convert_status(query, _HTTP_BAD_REQUEST, result.error)
        if not result.pieces:
            return _create_not_understood_failure(
                query, "\n".join(filter(None, result.suggestions))
            )
        return QueryResult(query, result.pieces)

    def _convert_status(self, query: str, status: int, service_text: str) -> QueryFailure:
        """Convert an HTTP status to a failure with a message for the model.

        Args:
            query: The query.
            status: The status.
            service_text: The service's own message, or an empty string.
        """
        # The service reports an exceeded quota with various statuses.
        if status == _HTTP_TOO_MANY_REQUESTS or (
            status != _HTTP_NOT_UNDERSTOOD and _QUOTA_PATTERN.search(service_text)
        ):
            text = (
                "The quota of Wolfram|Alpha queries is used up. Tell the user, who can see the "
                "limits at https://developer.wolframalpha.com."
            )
            return QueryFailure(query, "quota", _append_service_text(text, service_text))
        if status == _HTTP_NOT_UNDERSTOOD:
            return _create_not_understood_failure(query, service_text)
        if status in (_HTTP_UNAUTHORIZED, _HTTP_FORBIDDEN):
            text = (
                "Wolfram|Alpha rejected the AppID. Tell the user: it may be mistyped, or valid for "
                "another API only; see https://developer.wolframalpha.com."
            )
            return QueryFailure(query, "app-id", _append_service_text(text, service_text))
        if status == _HTTP_TIMEOUT:
            return QueryFailure(query, "timeout", "Wolfram|Alpha took too long to answer.")
        if _HTTP_BAD_REQUEST <= status < _HTTP_SERVER_ERROR:
            text = f"Wolfram|Alpha rejected the query (HTTP {status}). Use other words."
            return QueryFailure(query, "request", _append_service_text(text, service_text))
        if status < _HTTP_BAD_REQUEST:
            text = f"Wolfram|Alpha redirects elsewhere (HTTP {status}), which is not followed."
            return QueryFailure(query, "unavailable", text)
        text = f"Wolfram|Alpha returned a server error (HTTP {status}). Try again later."
        return QueryFailure(query, "unavailable", _append_service_text(text, service_text))

    def _convert_failure(self, query: str, failure: FetchFailure) -> QueryFailure:
        """Convert a failed request to a failure with a message for the model."""
        if failure.reason == "timeout":
            text = (
                f"Wolfram|Alpha did not answer within {self.timeout_seconds:g} s. "
                "Try a simpler query."
            )
            return QueryFailure(query, "timeout", text)
        if failure.reason == "unreachable":
            text = f"Wolfram|Alpha cannot be reached ({failure.message}). Is this machine online?"
        elif failure.reason == "too-large":
            text = f"The response of Wolfram|Alpha is larger than {MAX_RESPONSE_BYTES >> 20} MiB."
        else:
            text = f"Wolfram|Alpha was not queried: {failure.message}."
        return QueryFailure(query, "unavailable", mask_app_id(text, self.app_id))

    def _create_unreadable_failure(self, query: str, content: str) -> QueryFailure:
        text = f"The response of Wolfram|Alpha is unreadable: it is {content}. Try again later."
        return QueryFailure(query, "unavailable", text)


def _create_not_understood_failure(query: str, service_text: str) -> QueryFailure:
    message = service_text or "Use other, simpler words."
    return QueryFailure(query, "not-understood", message)


def _append_service_text(text: str, service_text: str) -> str:
    return f"{text} Message of the service: {service_text}" if service_text else text
