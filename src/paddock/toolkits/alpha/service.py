"""Asking Wolfram|Alpha: what is sent for a query, and what an answer or the lack of it means."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple
from urllib.parse import urlencode

from paddock.authoring.failures import ToolError
from paddock.toolkits.alpha.app_id import masked
from paddock.toolkits.alpha.fetching import Allowance, Answer, Failure, Wanted, fetch_all
from paddock.toolkits.alpha.full_results import read_full_results
from paddock.toolkits.alpha.llm_text import read_llm_text
from paddock.toolkits.alpha.pieces import Result
from paddock.toolkits.alpha.places import Places, places

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

Kind = Literal["not-understood", "app-id", "quota", "timeout", "unavailable", "request"]
MOST_BYTES = 4 << 20
"""Of one answer without its pictures; the usual one has some kilobytes."""
_QUOTA = re.compile(r"credits|limit[- ]exceeded|quota|usage[- ]limit", re.IGNORECASE)
_OK, _BAD_REQUEST, _UNAUTHORIZED, _FORBIDDEN = 200, 400, 401, 403
_TIMEOUT, _TOO_MANY, _FAULT, _NOT_UNDERSTOOD = 408, 429, 500, 501
_SHOWN = 1500
"""Characters of a service's own words that are passed on."""


class Trouble(NamedTuple):
    """Why there is no result for a query."""

    query: str
    kind: Kind
    text: str
    """What to tell the model."""


@dataclass(frozen=True)
class Service:
    """Wolfram|Alpha, with the settings that hold for a call."""

    app_id: str
    places: Places
    is_full: bool
    seconds: float
    characters: int
    units: str | None
    with_code: bool

    @classmethod
    def of(cls, app_id: str, options: Mapping[str, Any]) -> Service:
        """The service as a tool's options have it.

        Raises:
            ToolError: when it is at a place where no AppID may be sent, or that is none.
        """
        if not (app_id.isascii() and app_id.isprintable() and " " not in app_id):
            raise ToolError("What is given as the AppID is none: it has blanks or other signs")
        return cls(
            app_id=app_id,
            places=places(options["BaseURL"]),
            is_full=options["Method"] == "FullResults",
            seconds=options["TimeConstraint"],
            characters=options["MaxCharacterCount"],
            units=options["Units"],
            with_code=options["IncludeWolframLanguageResults"],
        )

    def ask(
        self, queries: Sequence[str], is_cancelled: Callable[[], bool]
    ) -> list[Result | Trouble]:
        """What it says about each query; they are asked at the same time."""
        wanted = [self._wanted(query) for query in queries]
        answers = fetch_all(wanted, self.seconds, is_cancelled)
        found = zip(queries, answers, strict=True)
        return [self._read(query, answer) for query, answer in found]

    def _wanted(self, query: str) -> Wanted:
        parameters: dict[str, object] = {"input": query}
        headers = {}
        if self.units:
            parameters["units"] = self.units
        if self.is_full:
            formats = "plaintext,image,minput" if self.with_code else "plaintext,image"
            parameters |= {"appid": self.app_id, "output": "json", "format": formats}
        else:
            # Not in the URL, which others on the way may keep.
            headers = {"Authorization": f"Bearer {self.app_id}"}
            parameters["maxchars"] = self.characters
        place = self.places.full_results if self.is_full else self.places.llm
        return Wanted(
            f"{place}?{urlencode(parameters)}",
            Allowance(MOST_BYTES),
            headers,
            is_own=self.places.is_own,
        )

    def _read(self, query: str, answer: Answer | Failure) -> Result | Trouble:
        if isinstance(answer, Failure):
            return self._failed(query, answer)
        text = masked(answer.body.decode(errors="replace"), self.app_id).strip()
        words = (
            text[:_SHOWN] if answer.mime.startswith("text/") and "html" not in answer.mime else ""
        )
        if answer.status != 200:
            return self._refused(query, answer.status, words)
        if self.is_full:
            return self._full(query, answer.body)
        pieces = read_llm_text(text) if words else ()
        return Result(query, pieces) if pieces else self._unreadable(query, answer.mime)

    def _full(self, query: str, body: bytes) -> Result | Trouble:
        reading = read_full_results(body.replace(self.app_id.encode(), b"*" * 3))
        if reading is None:
            return self._unreadable(query, "no JSON of the documented form")
        if reading.is_app_id_wrong:
            return self._refused(query, _FORBIDDEN, reading.error)
        if reading.error:
            return self._refused(query, _BAD_REQUEST, reading.error)
        if not reading.pieces:
            return _not_understood(query, "\n".join(filter(None, reading.suggestions)))
        return Result(query, reading.pieces)

    def _refused(self, query: str, status: int, words: str) -> Trouble:
        """What a status other than success means."""
        if status == _TOO_MANY or (status != _NOT_UNDERSTOOD and _QUOTA.search(words)):
            text = (
                "The limit on queries to Wolfram|Alpha is reached: tell the user. "
                "They can see their limits at https://developer.wolframalpha.com."
            )
            return Trouble(query, "quota", _quoting(text, words))
        if status == _NOT_UNDERSTOOD:
            return _not_understood(query, words)
        if status in (_UNAUTHORIZED, _FORBIDDEN):
            text = (
                "Wolfram|Alpha does not accept the AppID: tell the user. It may be mistyped, or be "
                "for another of the services: see https://developer.wolframalpha.com."
            )
            return Trouble(query, "app-id", _quoting(text, words))
        if status == _TIMEOUT:
            return Trouble(query, "timeout", "Wolfram|Alpha took too long.")
        if _BAD_REQUEST <= status < _FAULT:
            text = f"Wolfram|Alpha refused the query (HTTP {status}): put it in other words."
            return Trouble(query, "request", _quoting(text, words))
        if status < _BAD_REQUEST:
            text = f"Wolfram|Alpha redirects elsewhere (HTTP {status}); Paddock does not follow."
            return Trouble(query, "unavailable", text)
        text = f"Wolfram|Alpha has a fault of its own (HTTP {status}): try again later."
        return Trouble(query, "unavailable", _quoting(text, words))

    def _failed(self, query: str, failure: Failure) -> Trouble:
        if failure.reason == "timeout":
            text = f"Wolfram|Alpha gave no answer within {self.seconds:g} s: try a simpler query."
            return Trouble(query, "timeout", text)
        if failure.reason == "unreachable":
            text = f"Wolfram|Alpha cannot be reached ({failure.text}): is this machine online?"
        elif failure.reason == "too-large":
            text = f"The answer of Wolfram|Alpha is larger than {MOST_BYTES >> 20} MiB."
        else:
            text = f"Wolfram|Alpha was not asked: {failure.text}."
        return Trouble(query, "unavailable", masked(text, self.app_id))

    def _unreadable(self, query: str, what: str) -> Trouble:
        text = f"The answer of Wolfram|Alpha cannot be read: it is {what}. Try again later."
        return Trouble(query, "unavailable", text)


def _not_understood(query: str, words: str) -> Trouble:
    return Trouble(query, "not-understood", words or "Put the query in other, simpler words.")


def _quoting(text: str, words: str) -> str:
    return f"{text} The service says: {words}" if words else text
