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
    previous_state = _open_state(request, key)
    earlier_answers = {**previous_state.answers, **_get_input_responses(request)}
    state = SealedState(
        expires=int(time.time()) + STATE_LIFETIME_SECONDS,
        digest=_compute_request_digest(request),
        answers={
            name: value for name, value in earlier_answers.items() if name not in required.requests
        },
        state=previous_state.state
        if request.remembered_value is None
        else request.remembered_value,
    )
    input_requests: Json = {
        name: _format_input_request(server_request)
        for name, server_request in required.requests.items()
    }
    body: Json = {"resultType": "input_required", "requestState": seal_state(state, key)}
    if input_requests:
        body["inputRequests"] = input_requests
    return body


def read_answers(request: Request, server_requests: dict[str, ServerRequest], key: bytes) -> Json:
    """The client's answers to these questions.

    Raises:
        InputRequired: when one is missing or is not an answer, with those questions.
    """
    answers = {**_open_state(request, key).answers, **_get_input_responses(request)}
    missing_requests = {
        name: server_request
        for name, server_request in server_requests.items()
        if not isinstance(answers.get(name), dict)
    }
    if missing_requests:
        for server_request in missing_requests.values():
            server_request.check_capabilities(request.era.get_client_capabilities(request))
        raise InputRequired(missing_requests)
    try:
        return {
            name: server_request.parse_answer(answers[name])
            for name, server_request in server_requests.items()
        }
    except AskError as error:
        raise InvalidParamsError(f"params.inputResponses: {error}") from None


def read_handler_state(request: Request, key: bytes) -> object:
    """What the handler kept when it last required input."""
    return _open_state(request, key).state


def check_state(request: Request, key: bytes) -> None:
    """Refuse a request whose sealed state is not ours, before any handler runs."""
    _open_state(request, key)


def seal_state(state: SealedState, key: bytes) -> str:
    """A signed text that only we can have made."""
    body = binascii.b2a_base64(encode_json(state), newline=False)
    return f"{body.decode()}.{_sign(body, key)}"


def _format_input_request(server_request: ServerRequest) -> Json:
    # The id of a web page's elicitation belongs to sessions: here nobody could be told of it.
    params = {key: value for key, value in server_request.params.items() if key != "elicitationId"}
    return {"method": server_request.method, "params": params}


def _open_state(request: Request, key: bytes) -> SealedState:
    text = cast("InputResponseParams", request.params).request_state
    if not isinstance(text, str):
        return SealedState(expires=0, digest="")
    body, _, signature = text.rpartition(".")
    if not hmac.compare_digest(signature.encode(), _sign(body.encode(), key).encode()):
        raise InvalidParamsError("params.requestState is not one that this server has issued")
    state = _decode_sealed_state(binascii.a2b_base64(body))
    if state.expires < time.time():
        raise InvalidParamsError("params.requestState has expired: send the request anew")
    if state.digest != _compute_request_digest(request):
        raise InvalidParamsError("params.requestState belongs to another request")
    return state


def _get_input_responses(request: Request) -> Json:
    responses = cast("InputResponseParams", request.params).input_responses
    return responses if isinstance(responses, dict) else {}


def _sign(body: bytes, key: bytes) -> str:
    return hmac.new(key, body, sha256).hexdigest()


def _compute_request_digest(request: Request) -> str:
    """What a repeated request must have in common with the first one."""
    params, target = request.params, ""
    arguments: object = None
    if isinstance(params, CallToolParams):
        target, arguments = params.name, _canonicalize_arguments(params.arguments)
    elif isinstance(params, GetPromptParams):
        target, arguments = params.name, params.arguments
    elif isinstance(params, ReadResourceParams):
        target = params.uri
    # No arguments may be written as none, as null and as an empty object.
    owner = None if request.principal is None else request.principal.key
    identity = [request.method, target, arguments or None, owner]
    return sha256(msgspec.json.encode(identity, order="deterministic")).hexdigest()


def _canonicalize_arguments(arguments: object) -> object:
    """Arguments without regard to how they are written, unless they are too deep to read."""
    if not isinstance(arguments, Raw):
        return None
    try:
        return msgspec.json.decode(arguments)
    except RecursionError:
        return bytes(arguments)
