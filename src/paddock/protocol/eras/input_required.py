"""Questions to the client as round trips of the request itself.

A handler that asks is ended; the client gets the questions and repeats the request with its
answers, and the handler runs again, this time finding them. What earlier rounds answered, and
what the handler wants to remember, travels with the client, sealed: signed with a secret, bound
to the request, to whoever sent it and to a time. The client can read it and cannot change it.
"""

from __future__ import annotations

import binascii
import hmac
import time
from hashlib import sha256
from typing import TYPE_CHECKING, cast

import msgspec
from msgspec import Raw, Struct

from paddock.protocol.errors import InvalidParamsError
from paddock.protocol.jsonrpc import encode_json
from paddock.protocol.params import CallToolParams, GetPromptParams, ReadResourceParams
from paddock.protocol.request import InputRequired
from paddock.protocol.server_requests import AskError

if TYPE_CHECKING:
    from paddock.protocol.params import InputResponseParams
    from paddock.protocol.request import Request
    from paddock.protocol.server_metadata import Json
    from paddock.protocol.server_requests import ServerRequest

STATE_LIFETIME_SECONDS = 600
"""Seconds within which a client must repeat a request."""


class SealedState(Struct):
    """What travels with the client between two rounds."""

    expires: int
    digest: str
    answers: dict[str, object] = {}
    state: object = None


_decode_sealed_state = msgspec.json.Decoder(SealedState).decode


def make_input_required_result(request: Request, required: InputRequired, key: bytes) -> Json:
    """The `input_required` result that carries a handler's questions."""
    known = _open_state(request, key)
    earlier = {**known.answers, **_get_input_responses(request)}
    sealed = SealedState(
        expires=int(time.time()) + STATE_LIFETIME_SECONDS,
        digest=_compute_request_digest(request),
        answers={name: value for name, value in earlier.items() if name not in required.requests},
        state=known.state if request.remembered_value is None else request.remembered_value,
    )
    asked: Json = {name: _format_input_request(ask) for name, ask in required.requests.items()}
    body: Json = {"resultType": "input_required", "requestState": seal_state(sealed, key)}
    if asked:
        body["inputRequests"] = asked
    return body


def read_answers(request: Request, asks: dict[str, ServerRequest], key: bytes) -> Json:
    """The client's answers to these questions.

    Raises:
        InputRequired: when one is missing or is not an answer, with those questions.
    """
    found = {**_open_state(request, key).answers, **_get_input_responses(request)}
    missing = {name: ask for name, ask in asks.items() if not isinstance(found.get(name), dict)}
    if missing:
        for ask in missing.values():
            ask.check_capabilities(request.era.get_client_capabilities(request))
        raise InputRequired(missing)
    try:
        return {name: ask.parse_answer(found[name]) for name, ask in asks.items()}
    except AskError as error:
        raise InvalidParamsError(f"params.inputResponses: {error}") from None


def read_handler_state(request: Request, key: bytes) -> object:
    """What the handler kept when it last required input."""
    return _open_state(request, key).state


def check_state(request: Request, key: bytes) -> None:
    """Refuse a request whose sealed state is not ours, before any handler runs."""
    _open_state(request, key)


def seal_state(sealed: SealedState, key: bytes) -> str:
    """A signed text that only we can have made."""
    body = binascii.b2a_base64(encode_json(sealed), newline=False)
    return f"{body.decode()}.{_sign(body, key)}"


def _format_input_request(ask: ServerRequest) -> Json:
    # The id of a web page's elicitation belongs to sessions: here nobody could be told of it.
    params = {key: value for key, value in ask.params.items() if key != "elicitationId"}
    return {"method": ask.method, "params": params}


def _open_state(request: Request, key: bytes) -> SealedState:
    text = cast("InputResponseParams", request.params).request_state
    if not isinstance(text, str):
        return SealedState(expires=0, digest="")
    body, _, signature = text.rpartition(".")
    if not hmac.compare_digest(signature.encode(), _sign(body.encode(), key).encode()):
        raise InvalidParamsError("params.requestState is not one that this server has issued")
    sealed = _decode_sealed_state(binascii.a2b_base64(body))
    if sealed.expires < time.time():
        raise InvalidParamsError("params.requestState has expired: send the request anew")
    if sealed.digest != _compute_request_digest(request):
        raise InvalidParamsError("params.requestState belongs to another request")
    return sealed


def _get_input_responses(request: Request) -> Json:
    given = cast("InputResponseParams", request.params).input_responses
    return given if isinstance(given, dict) else {}


def _sign(body: bytes, key: bytes) -> str:
    return hmac.new(key, body, sha256).hexdigest()


def _compute_request_digest(request: Request) -> str:
    """What a repeated request must have in common with the first one."""
    params, subject = request.params, ""
    arguments: object = None
    if isinstance(params, CallToolParams):
        subject, arguments = params.name, _canonicalize_arguments(params.arguments)
    elif isinstance(params, GetPromptParams):
        subject, arguments = params.name, params.arguments
    elif isinstance(params, ReadResourceParams):
        subject = params.uri
    # No arguments may be written as none, as null and as an empty object.
    owner = None if request.principal is None else request.principal.key
    identity = [request.method, subject, arguments or None, owner]
    return sha256(msgspec.json.encode(identity, order="deterministic")).hexdigest()


def _canonicalize_arguments(arguments: object) -> object:
    """Arguments without regard to how they are written, unless they are too deep to read."""
    if not isinstance(arguments, Raw):
        return None
    try:
        return msgspec.json.decode(arguments)
    except RecursionError:
        return bytes(arguments)
