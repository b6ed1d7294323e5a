"""Translation of requests, results and errors between the eras of a client and an upstream.

Members of `_meta` that belong to the protocol are removed and set again for the other side. All
others are passed through.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import msgspec
from msgspec import UNSET, Struct, field

from paddock.client.errors import PeerError
from paddock.errors import PaddockError
from paddock.protocol.early_handshake import META_CAPABILITIES, META_SERVER_INFO
from paddock.protocol.eras.session import RESOURCE_NOT_FOUND
from paddock.protocol.errors import METHOD_NOT_FOUND, ProtocolError, ResourceNotFoundError
from paddock.protocol.server_requests import ServerRequest
from paddock.protocol.versions import STATELESS_VERSIONS

if TYPE_CHECKING:
    from paddock.authoring.base_server import BaseServer
    from paddock.client.peer import Peer
    from paddock.protocol.params import (
        CallToolParams,
        CompleteParams,
        CompletionReference,
        GetPromptParams,
    )
    from paddock.protocol.request import Request


class UpstreamError(PaddockError):
    """A mounted remote server is unreachable or does not respond."""

    code = "upstream"

    def __init__(self, label: str, reason: str) -> None:
        super().__init__(f"The upstream {label!r} is not available: {reason}")
        self.label = label


Json = dict[str, Any]

_PROTOCOL_META_PREFIX = "io.modelcontextprotocol/"
_META_LOG_LEVEL = _PROTOCOL_META_PREFIX + "logLevel"
_QUESTION_CAPABILITIES = ("elicitation", "sampling", "roots")
_STATELESS_FIELDS = ("resultType", "ttlMs", "cacheScope")


class _MetaParams(Struct):
    meta: dict[str, Any] = field(default_factory=dict, name="_meta")


class _MetaMessage(Struct):
    params: _MetaParams


_decode_meta_message = msgspec.json.Decoder(_MetaMessage).decode


def build_call_params(request: Request, name: str) -> Json:
    """Return the parameters of `tools/call`; the arguments are passed on without decoding."""
    arguments = cast("CallToolParams", request.params).arguments
    return {"name": name} if arguments is UNSET else {"name": name, "arguments": arguments}


def build_prompt_params(request: Request, name: str) -> Json:
    """Return the parameters of `prompts/get`."""
    arguments = cast("GetPromptParams", request.params).arguments
    return {"name": name, "arguments": arguments} if isinstance(arguments, dict) else {"name": name}


def build_completion_params(request: Request, reference: CompletionReference) -> Json:
    """Return the parameters of `completion/complete`."""
    params = cast("CompleteParams", request.params)
    upstream_params: Json = {"ref": reference, "argument": params.argument}
    if params.context is not UNSET:
        upstream_params["context"] = params.context
    return upstream_params


def build_meta(request: Request, peer: Peer, token: str) -> Json:
    """Return the `_meta` member of a call that is forwarded to an upstream, a mounted server.

    Members set by the client's author are forwarded unchanged. Protocol members are replaced,
    because they describe the connection between the client and this server.

    Args:
        request: The client's request.
        peer: The connection to the upstream.
        token: The progress token to use for the call.
    """
    meta: Json = {}
    if request.meta is not None:
        client_meta = _decode_meta_message(request.line).params.meta
        meta = {
            key: value
            for key, value in client_meta.items()
            if not key.startswith(_PROTOCOL_META_PREFIX)
        }
        if meta.pop("progressToken", None) is not None:
            # Different clients may use the same token, so each call gets its own.
            meta["progressToken"] = token
    if peer.protocol_version in STATELESS_VERSIONS:
        # In stateless protocol versions, each request states the client's capabilities.
        declared = request.era.get_client_capabilities(request)
        meta[META_CAPABILITIES] = {
            key: declared[key] for key in _QUESTION_CAPABILITIES if key in declared
        }
        level = request.era.get_log_level(request)
        if level is not None:
            meta[_META_LOG_LEVEL] = level
    return meta


def rewrite_result(result: Json, request: Request) -> Json:
    """Convert an upstream's result to the protocol era of the client, session or stateless.

    Members that do not exist in the client's era, or that it adds again, are removed. Among them is
    the upstream's name, because the client sees only the mounting server.
    """
    removed_keys = ("resultType",) if request.era.is_stateless else _STATELESS_FIELDS
    members = _remove_keys(result, removed_keys)
    meta = members.get("_meta")
    if isinstance(meta, dict) and META_SERVER_INFO in meta:
        other_meta = _remove_keys(meta, (META_SERVER_INFO,))
        members = _remove_keys(members, ("_meta",))
        if other_meta:
            members["_meta"] = other_meta
    return members


def create_server_request(method: str, params: Json) -> ServerRequest:
    """Return an upstream's question to the user or the model as a request to the client.

    Args:
        method: The MCP method of the question, such as `elicitation/create`.
        params: The parameters of the question.

    Raises:
        ProtocolError: The method is not a request that clients accept.
    """
    if method == "elicitation/create":
        required_capabilities: Json = {"elicitation": {str(params.get("mode", "form")): {}}}
    elif method == "sampling/createMessage":
        required_capabilities = {"sampling": {"tools": {}} if "tools" in params else {}}
    elif method == "roots/list":
        required_capabilities = {"roots": {}}
    else:
        raise ProtocolError(f"A client cannot be asked {method}", rpc_code=METHOD_NOT_FOUND)
    client_params = {key: value for key, value in params.items() if key != "_meta"}
    return ServerRequest(method, client_params, required_capabilities, lambda answer: answer)


def to_protocol_error(error: PaddockError, owner: BaseServer, uri: str = "") -> ProtocolError:
    """Convert an error from an upstream, a mounted server, to the error that the client receives.

    Args:
        error: The error that was raised while forwarding the request.
        owner: The mounting server, which may mask errors.
        uri: The resource that was read, if any.
    """
    if isinstance(error, ProtocolError):
        return error
    if isinstance(error, PeerError):
        data = error.data if isinstance(error.data, dict) else {}
        # Stateless versions use the error code for invalid parameters, with the URI in the data.
        if error.rpc_code == RESOURCE_NOT_FOUND or (uri and data.get("uri") == uri):
            return ResourceNotFoundError(uri)
        return ProtocolError(error.message, rpc_code=error.rpc_code, data=error.data)
    return ProtocolError(describe_failure(error, owner))


def describe_failure(error: PaddockError, owner: BaseServer) -> str:
    """Return a message for clients about a failed upstream, masked if the server masks errors."""
    if isinstance(error, UpstreamError) and owner.mask_errors:
        return f"The upstream {error.label!r} is not available"
    return str(error)


def _remove_keys(members: Json, keys: tuple[str, ...]) -> Json:
    return {key: value for key, value in members.items() if key not in keys}
