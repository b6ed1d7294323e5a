"""Asking Wolfram|Alpha: what is sent for a query, and what an answer or the lack of it means."""

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
MAX_RESPONSE_BYTES = 4 << 20
"""Of one answer without its pictures; the usual one has some kilobytes."""
_QUOTA_PATTERN = re.compile(r"credits|limit[- ]exceeded|quota|usage[- ]limit", re.IGNORECASE)
_HTTP_OK, _HTTP_BAD_REQUEST, _HTTP_UNAUTHORIZED, _HTTP_FORBIDDEN = 200, 400, 401, 403
_HTTP_TIMEOUT, _HTTP_TOO_MANY_REQUESTS, _HTTP_SERVER_ERROR, _HTTP_NOT_UNDERSTOOD = (
    408,
    429,
    500,
    501,
)
_MAX_QUOTED_CHARACTERS = 1500
"""Characters of a service's own words that are passed on."""


class QueryFailure(NamedTuple):
    """Why there is no result for a query."""

    query: str
    kind: QueryFailureKind
    message: str
    """What to tell the model."""


@dataclass(frozen=True)
class AlphaClient:
    """Wolfram|Alpha, with the settings that hold for a call."""

    app_id: str
    service_urls: ServiceUrls
    uses_full_results: bool
    timeout_seconds: float
    max_characters: int
    units: str | None
    includes_code: bool

    @classmethod
    def from_options(cls, app_id: str, options: Mapping[str, Any]) -> AlphaClient:
        """The service as a tool's options have it.

        Raises:
            ToolError: when it is at a place where no AppID may be sent, or that is none.
        """
        if not (app_id.isascii() and app_id.isprintable() and " " not in app_id):
            raise ToolError("What is given as the AppID is none: it has blanks or other signs")
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
        """What it says about each query; they are asked at the same time."""
        wanted = [self._build_request(query) for query in queries]
        answers = fetch_all(wanted, self.timeout_seconds, is_cancelled)
        found = zip(queries, answers, strict=True)
        return [self._read_response(query, answer) for query, answer in found]

    def _build_request(self, query: str) -> FetchRequest:
        parameters: dict[str, object] = {"input": query}
        headers = {}
        if self.units:
            parameters["units"] = self.units
        if self.uses_full_results:
            formats = "plaintext,image,minput" if self.includes_code else "plaintext,image"
            parameters |= {"appid": self.app_id, "output": "json", "format": formats}
        else:
            # Not in the URL, which others on the way may keep.
            headers = {"Authorization": f"Bearer {self.app_id}"}
            parameters["maxchars"] = self.max_characters
        place = self.service_urls.full_results if self.uses_full_results else self.service_urls.llm
        return FetchRequest(
            f"{place}?{urlencode(parameters)}",
            ByteBudget(MAX_RESPONSE_BYTES),
            headers,
            is_configured_url=self.service_urls.is_configured_url,
        )

    def _read_response(
        self, query: str, answer: FetchResponse | FetchFailure
    ) -> QueryResult | QueryFailure:
        if isinstance(answer, FetchFailure):
            return self._convert_failure(query, answer)
        text = mask_app_id(answer.body.decode(errors="replace"), self.app_id).strip()
        words = (
            text[:_MAX_QUOTED_CHARACTERS]
            if answer.mime.startswith("text/") and "html" not in answer.mime
            else ""
        )
        if answer.status != 200:
            return self._convert_status(query, answer.status, words)
        if self.uses_full_results:
            return self._read_full_results(query, answer.body)
        pieces = parse_llm_text(text) if words else ()
        return (
            QueryResult(query, pieces)
            if pieces
            else self._create_unreadable_failure(query, answer.mime)
        )

    def _read_full_results(self, query: str, body: bytes) -> QueryResult | QueryFailure:
        reading = parse_full_results(body.replace(self.app_id.encode(), b"*" * 3))
        if reading is None:
            return self._create_unreadable_failure(query, "no JSON of the documented form")
        if reading.is_app_id_wrong:
            return self._convert_status(query, _HTTP_FORBIDDEN, reading.error)
        if reading.error:
            return self._convert_status(query, _HTTP_BAD_REQUEST, reading.error)
        if not reading.pieces:
            return _create_not_understood_failure(
                query, "\n".join(filter(None, reading.suggestions))
            )
        return QueryResult(query, reading.pieces)

    def _convert_status(self, query: str, status: int, words: str) -> QueryFailure:
        """What a status other than success means."""
        if status == _HTTP_TOO_MANY_REQUESTS or (
            status != _HTTP_NOT_UNDERSTOOD and _QUOTA_PATTERN.search(words)
        ):
            text = (
                "The limit on queries to Wolfram|Alpha is reached: tell the user. "
                "They can see their limits at https://developer.wolframalpha.com."
            )
            return QueryFailure(query, "quota", _append_service_text(text, words))
        if status == _HTTP_NOT_UNDERSTOOD:
            return _create_not_understood_failure(query, words)
        if status in (_HTTP_UNAUTHORIZED, _HTTP_FORBIDDEN):
            text = (
                "Wolfram|Alpha does not accept the AppID: tell the user. It may be mistyped, or be "
                "for another of the services: see https://developer.wolframalpha.com."
            )
            return QueryFailure(query, "app-id", _append_service_text(text, words))
        if status == _HTTP_TIMEOUT:
            return QueryFailure(query, "timeout", "Wolfram|Alpha took too long.")
        if _HTTP_BAD_REQUEST <= status < _HTTP_SERVER_ERROR:
            text = f"Wolfram|Alpha refused the query (HTTP {status}): put it in other words."
            return QueryFailure(query, "request", _append_service_text(text, words))
        if status < _HTTP_BAD_REQUEST:
            text = f"Wolfram|Alpha redirects elsewhere (HTTP {status}); Paddock does not follow."
            return QueryFailure(query, "unavailable", text)
        text = f"Wolfram|Alpha has a fault of its own (HTTP {status}): try again later."
        return QueryFailure(query, "unavailable", _append_service_text(text, words))

    def _convert_failure(self, query: str, failure: FetchFailure) -> QueryFailure:
        if failure.reason == "timeout":
            text = f"Wolfram|Alpha gave no answer within {self.timeout_seconds:g} s: try a simpler query."
            return QueryFailure(query, "timeout", text)
        if failure.reason == "unreachable":
            text = f"Wolfram|Alpha cannot be reached ({failure.message}): is this machine online?"
        elif failure.reason == "too-large":
            text = f"The answer of Wolfram|Alpha is larger than {MAX_RESPONSE_BYTES >> 20} MiB."
        else:
            text = f"Wolfram|Alpha was not asked: {failure.message}."
        return QueryFailure(query, "unavailable", mask_app_id(text, self.app_id))

    def _create_unreadable_failure(self, query: str, what: str) -> QueryFailure:
        text = f"The answer of Wolfram|Alpha cannot be read: it is {what}. Try again later."
        return QueryFailure(query, "unavailable", text)


def _create_not_understood_failure(query: str, words: str) -> QueryFailure:
    return QueryFailure(query, "not-understood", words or "Put the query in other, simpler words.")


def _append_service_text(text: str, words: str) -> str:
    return f"{text} The service says: {words}" if words else text
