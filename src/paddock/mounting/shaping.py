"""Requests and results on their way through: the same in both eras, whoever speaks which.

What the protocol itself has put there is taken off and put on anew; everything else stays as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import msgspec
from msgspec import UNSET, Struct, field

from paddock.mounting.errors import UpstreamError
from paddock.peer.errors import PeerError
from paddock.protocol.ask import Ask
from paddock.protocol.eras.v2025_11_25.codec import RESOURCE_NOT_FOUND
from paddock.protocol.eras.v2026_07_28.discovery import META_CAPABILITIES, META_SERVER_INFO
from paddock.protocol.errors import (
    METHOD_NOT_FOUND,
    ProtocolError,
    ResourceNotFoundError,
)
from paddock.protocol.versions import STATELESS_VERSIONS

if TYPE_CHECKING:
    from paddock.authoring.offering import Offering
    from paddock.errors import PaddockError
    from paddock.peer.peer import Peer
    from paddock.protocol.model.params import (
        CallToolParams,
        CompleteParams,
        GetPromptParams,
        Reference,
    )
    from paddock.protocol.request import Request

Json = dict[str, Any]

_OF_THE_PROTOCOL = "io.modelcontextprotocol/"
_META_LEVEL = _OF_THE_PROTOCOL + "logLevel"
_ASKABLE = ("elicitation", "sampling", "roots")
_OF_STATELESS = ("resultType", "ttlMs", "cacheScope")


class _Params(Struct):
    meta: dict[str, Any] = field(default_factory=dict, name="_meta")


class _Line(Struct):
    params: _Params


_decode_line = msgspec.json.Decoder(_Line).decode


def call_params(request: Request, name: str) -> Json:
    """The parameters of `tools/call` for the upstream; the arguments are not even decoded."""
    arguments = cast("CallToolParams", request.params).arguments
    return {"name": name} if arguments is UNSET else {"name": name, "arguments": arguments}


def prompt_params(request: Request, name: str) -> Json:
    """The parameters of `prompts/get` for the upstream."""
    arguments = cast("GetPromptParams", request.params).arguments
    return {"name": name, "arguments": arguments} if isinstance(arguments, dict) else {"name": name}


def read_params(uri: str) -> Json:
    """The parameters of `resources/read` for the upstream."""
    return {"uri": uri}


def completion_params(request: Request, reference: Reference) -> Json:
    """The parameters of `completion/complete` for the upstream."""
    params = cast("CompleteParams", request.params)
    sent: Json = {"ref": reference, "argument": params.argument}
    return sent if params.context is UNSET else {**sent, "context": params.context}


def meta_for(request: Request, peer: Peer, token: str) -> Json:
    """The `_meta` of a request for the upstream: that of the client, less what is between us."""
    meta: Json = {}
    if request.meta is not None:
        given = _decode_line(request.line).params.meta
        meta = {key: value for key, value in given.items() if not key.startswith(_OF_THE_PROTOCOL)}
        if meta.pop("progressToken", None) is not None:
            meta["progressToken"] = token
    if peer.protocol_version in STATELESS_VERSIONS:
        declared = request.era.client_capabilities(request)
        meta[META_CAPABILITIES] = {key: declared[key] for key in _ASKABLE if key in declared}
        level = request.era.log_level(request)
        if level is not None:
            meta[_META_LEVEL] = level
    return meta


def shaped(result: Json, request: Request) -> Json:
    """A result of the upstream as the client's own era has it."""
    kept = result if request.era.is_stateless else _without(result, _OF_STATELESS)
    kept = _without(kept, ("resultType",))
    meta = kept.get("_meta")
    if isinstance(meta, dict) and META_SERVER_INFO in meta:
        rest = _without(meta, (META_SERVER_INFO,))
        kept = {**kept, "_meta": rest} if rest else _without(kept, ("_meta",))
    return kept


def question(method: str, params: Json) -> Ask:
    """A question of the upstream, to be put to the client.

    Raises:
        ProtocolError: when it is none that a client could be asked.
    """
    if method == "elicitation/create":
        needs: Json = {"elicitation": {str(params.get("mode", "form")): {}}}
    elif method == "sampling/createMessage":
        needs = {"sampling": {"tools": {}} if "tools" in params else {}}
    elif method == "roots/list":
        needs = {"roots": {}}
    else:
        raise ProtocolError(f"A client cannot be asked {method}", rpc_code=METHOD_NOT_FOUND)
    own = {key: value for key, value in params.items() if key != "_meta"}
    return Ask(method, own, needs, lambda answer: answer)


def protocol_error(error: PaddockError, owner: Offering, uri: str = "") -> ProtocolError:
    """What the client is told of an error on the way."""
    if isinstance(error, ProtocolError):
        return error
    if isinstance(error, PeerError):
        data = error.data if isinstance(error.data, dict) else {}
        if error.rpc_code == RESOURCE_NOT_FOUND or (uri and data.get("uri") == uri):
            return ResourceNotFoundError(uri)
        return ProtocolError(error.message, rpc_code=error.rpc_code, data=error.data)
    return ProtocolError(told(error, owner))


def told(error: PaddockError, owner: Offering) -> str:
    """What clients may read about an upstream that failed."""
    if isinstance(error, UpstreamError) and owner.mask_errors:
        return f"The upstream {error.label!r} is not available"
    return str(error)


def _without(members: Json, keys: tuple[str, ...]) -> Json:
    return {key: value for key, value in members.items() if key not in keys}
