"""Stateless questions to the client: the request is repeated with the answers.

When a handler asks a question, it is stopped, and the question is returned to the client as the
result. The client repeats the request with its answers, and the handler runs again from the
beginning.

The server keeps nothing between the two rounds. Earlier answers and the value that the handler
wants to remember travel with the client in a sealed state. This state is signed and bound to the
request, its sender and an expiry time, so the client can read it but not change it.
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
"""Number of seconds that a client has to repeat a request."""


class SealedState(Struct):
    """The state that travels with the client between two rounds."""

    expires: int
    digest: str
    answers: dict[str, object] = {}
    state: object = None


_decode_sealed_state = msgspec.json.Decoder(SealedState).decode


def make_input_required_result(request: Request, required: InputRequired, key: bytes) -> Json:
    """Return the `input_required` result, which contains a handler's questions to the client.

    The client repeats the request with its answers and with `requestState`, the signed state of
    the earlier rounds. The server stores nothing until then.

    Args:
        request: The request whose handler was stopped by the exception.
        required: The exception with the handler's questions.
        key: The server's secret key for signing the state.
    """
    previous_state = open_state(request, key)
    earlier_answers = {**previous_state.answers, **_get_input_responses(request)}
    remembered_value = request.remembered_value
    if remembered_value is None:  # Not set in this round: keep the value from an earlier one.
        remembered_value = previous_state.state
    state = SealedState(
        expires=int(time.time()) + STATE_LIFETIME_SECONDS,
        digest=_compute_request_digest(request),
        answers={
            name: value for name, value in earlier_answers.items() if name not in required.requests
        },
        state=remembered_value,
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
    """Return the client's answers to a handler's questions, by question name.

    The answers are in this request or, from earlier rounds, in its sealed state.

    Raises:
        InputRequired: Answers are missing. The exception contains the unanswered questions.
        InvalidParamsError: An answer is invalid.
    """
    answers = {**open_state(request, key).answers, **_get_input_responses(request)}
    missing_requests = {
        name: server_request
        for name, server_request in server_requests.items()
        if not isinstance(answers.get(name), dict)
    }
    if missing_requests:
        for server_request in missing_requests.values():
            # A client that cannot answer the question gets an error instead of the question.
            server_request.check_capabilities(request.era.get_client_capabilities(request))
        raise InputRequired(missing_requests)
    try:
        return {
            name: server_request.parse_answer(answers[name])
            for name, server_request in server_requests.items()
        }
    except AskError as error:
        raise InvalidParamsError(f"params.inputResponses: {error}") from None


def seal_state(state: SealedState, key: bytes) -> str:
    """Encode and sign a state."""
    body = binascii.b2a_base64(encode_json(state), newline=False)
    return f"{body.decode()}.{_sign(body, key)}"


def _format_input_request(server_request: ServerRequest) -> Json:
    # The id of a URL elicitation is used for its completion notice, which only exists in sessions.
    params = {key: value for key, value in server_request.params.items() if key != "elicitationId"}
    return {"method": server_request.method, "params": params}


def open_state(request: Request, key: bytes) -> SealedState:
    """Decode and verify the sealed state that the client sends with a repeated request.

    The state contains the answers of earlier rounds. In the first round, it is empty.

    Raises:
        InvalidParamsError: The state is forged, has expired or belongs to another request.
    """
    text = cast("InputResponseParams", request.params).request_state
    if not isinstance(text, str):
        return SealedState(expires=0, digest="")
    body, _, signature = text.rpartition(".")
    # The comparison takes constant time. Otherwise, its duration would reveal how many characters
    # of a forged signature are correct.
    if not hmac.compare_digest(signature.encode(), _sign(body.encode(), key).encode()):
        raise InvalidParamsError("params.requestState was not issued by this server")
    state = _decode_sealed_state(binascii.a2b_base64(body))
    if state.expires < time.time():
        raise InvalidParamsError(
            "params.requestState has expired; send the request again without it"
        )
    if state.digest != _compute_request_digest(request):
        raise InvalidParamsError("params.requestState belongs to another request")
    return state


def _get_input_responses(request: Request) -> Json:
    responses = cast("InputResponseParams", request.params).input_responses
    return responses if isinstance(responses, dict) else {}


def _sign(body: bytes, key: bytes) -> str:
    return hmac.new(key, body, sha256).hexdigest()


def _compute_request_digest(request: Request) -> str:
    """Return a digest that is the same for a request and its repetition with answers.

    It covers the method, the tool, prompt or resource, the arguments and the sender. The sealed
    state of one request therefore cannot be used for another.
    """
    params, target = request.params, ""
    arguments: object = None
    if isinstance(params, CallToolParams):
        target, arguments = params.name, _canonicalize_arguments(params.arguments)
    elif isinstance(params, GetPromptParams):
        target, arguments = params.name, params.arguments
    elif isinstance(params, ReadResourceParams):
        target = params.uri
    # Missing arguments, null and an empty object are equivalent.
    owner = None if request.principal is None else request.principal.key
    identity = [request.method, target, arguments or None, owner]
    return sha256(msgspec.json.encode(identity, order="deterministic")).hexdigest()


def _canonicalize_arguments(arguments: object) -> object:
    """Decode JSON arguments, so that whitespace and the order of members do not matter."""
    if not isinstance(arguments, Raw):
        return None
    try:
        return msgspec.json.decode(arguments)
    except RecursionError:  # Nested too deeply to decode, so the bytes are compared.
        return bytes(arguments)
