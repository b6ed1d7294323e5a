"""Finding the id of a request of which only the two ends are known."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddock.protocol.jsonrpc import find_request_id

BIG = b"x" * 5000


@pytest.mark.parametrize(
    ("line", "key"),
    [
        (b'{"jsonrpc":"2.0","id":7,"method":"m","params":{"a":"%b"}}', 7),
        (b'{"jsonrpc":"2.0","id":"seven","params":"%b"}', "seven"),
        (b' { "id" : -7 , "params":"%b"}', -7),
        (b'{"params":{"a":"%b"},"id":7}', 7),
        (b'{"params":"%b","id":"seven","jsonrpc":"2.0","method":"m"} ', "seven"),
        (b'{"params":{"id":5,"a":"%b"},"method":"m"}', None),
        (b'{"method":"m","params":{"a":"%b","id":5}}', None),
        (b'{"params":"%b","id":null}', None),
        (b'{"params":"%b","id":1.5}', None),
        (b'{"params":"%b \\",\\"id\\":5"}', None),
        (b"%b", None),
    ],
)
def test_only_the_id_of_the_request_itself_is_found(line: bytes, key: object) -> None:
    whole = line % BIG
    assert find_request_id(whole[:1024], whole[-1024:]) == key


@given(st.binary(max_size=1024), st.binary(max_size=1024))
def test_any_two_ends_have_an_id_or_none(head: bytes, tail: bytes) -> None:
    assert isinstance(find_request_id(head, tail), int | str | None)
