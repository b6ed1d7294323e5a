"""Answers of the API that no route gives: to what may not pass, or cannot be told from nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from paddock.transports.http.contract import JSON_CONTENT_TYPE, HttpResponse

if TYPE_CHECKING:
    from paddock.transports.http.contract import Headers


def make_error_response(status: int, code: str, text: str, headers: Headers | None = None) -> HttpResponse:
    """An answer in the form that all errors of the API have."""
    body = msgspec.json.encode({"error": text, "code": code, "details": []})
    return HttpResponse(status, [JSON_CONTENT_TYPE, (b"cache-control", b"no-store"), *(headers or [])], body)
