"""Only a plain request that was authorized is known again, and only by exactly the same bytes."""

from typing import Any

import pytest

from paddock.transports.http.http1_connection import ParsedRequest, RequestHeadCache
from paddock.transports.http.messages import HttpResponse, RequestHead

HEAD = b"POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2\r\n\r\n"


def arrived(head: bytes, body: bytes = b"{}", **changed: Any) -> ParsedRequest:
    first, *lines = head.split(b"\r\n")[:-2]
    pairs = [(name.lower(), value) for name, _, value in (line.partition(b": ") for line in lines)]
    method, path, _ = first.decode().split(" ")
    whole = ParsedRequest(
        RequestHead.from_pairs(method, path, pairs), body, keeps_alive=True, accepts_chunked=True
    )
    return whole._replace(**changed)


def test_the_same_head_is_known_with_another_body() -> None:
    heads = RequestHeadCache()
    heads.add_head(HEAD + b"{}", arrived(HEAD))
    found = heads.find_head(HEAD + b"[]")
    assert found is not None
    head, body = found
    assert (head.method, head.path, body) == ("POST", "/mcp", b"[]")


@pytest.mark.parametrize(
    "data",
    [
        HEAD + b"{",
        HEAD + b"{}{}",
        HEAD,
        HEAD.replace(b"localhost", b"Localhost") + b"{}",
        b"{}" + HEAD + b"{}",
        b"",
        b"\r\n\r\n",
    ],
)
def test_anything_else_is_not_known(data: bytes) -> None:
    heads = RequestHeadCache()
    heads.add_head(HEAD + b"{}", arrived(HEAD))
    assert heads.find_head(data) is None


@pytest.mark.parametrize(
    "line",
    [
        b"authorization: Bearer x",
        b"connection: close",
        b"cookie: a=b",
        b"expect: 100-continue",
        b"transfer-encoding: chunked",
        b"upgrade: h2c",
        b"host: another",
    ],
)
def test_a_head_that_changes_parsing_or_holds_credentials_is_not_cached(line: bytes) -> None:
    heads, head = RequestHeadCache(), HEAD.replace(b"\r\n\r\n", b"\r\n" + line + b"\r\n\r\n")
    heads.add_head(head + b"{}", arrived(head))
    assert heads.find_head(head + b"{}") is None


@pytest.mark.parametrize(
    "changed",
    [{"keeps_alive": False}, {"accepts_chunked": False}, {"early_response": HttpResponse(403, [])}],
)
def test_a_request_that_was_not_plainly_accepted_is_not_cached(changed: dict[str, Any]) -> None:
    heads = RequestHeadCache()
    heads.add_head(HEAD + b"{}", arrived(HEAD, **changed))
    assert heads.find_head(HEAD + b"{}") is None


def test_other_methods_and_requests_without_a_length_are_not_kept() -> None:
    heads = RequestHeadCache()
    for head in (HEAD.replace(b"POST", b"GET"), HEAD.replace(b"content-length: 2\r\n", b"")):
        heads.add_head(head + b"{}", arrived(head))
        assert heads.find_head(head + b"{}") is None


def test_the_last_part_of_a_request_teaches_nothing() -> None:
    heads, head = RequestHeadCache(), HEAD.replace(b"length: 2", b"length: 16")
    heads.add_head(b"AAAA\r\n\r\nBBBB", arrived(head, b"xxxxAAAA\r\n\r\nBBBB"))
    assert heads.find_head(b"AAAA\r\n\r\n" + b"y" * 16) is None
