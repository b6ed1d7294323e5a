"""What the caller's callbacks mean to a server: capabilities, answers to questions, notices."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from paddock.protocol.eras.v2026_07_28.discovery import TASKS_EXTENSION
from paddock.protocol.errors import METHOD_NOT_FOUND, ProtocolError
from paddock.protocol.versions import STATELESS_VERSIONS, supports_feature

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.peer.settings import Json, RootLike, ConnectSettings


def declare_capabilities(settings: ConnectSettings, version: str) -> Json:
    """What we tell a server that it may ask of us."""
    if settings.client_capabilities is not None:
        return settings.client_capabilities
    declared: Json = {}
    if settings.on_elicit is not None:
        has_modes = supports_feature(version, "url-elicitation")
        declared["elicitation"] = {"form": {}, "url": {}} if has_modes else {}
    if settings.on_sample is not None:
        declared["sampling"] = {}
    if settings.roots is not None:
        declared["roots"] = {}
    if settings.tasks and version in STATELESS_VERSIONS:
        declared["extensions"] = {TASKS_EXTENSION: {}}
    return declared


def answer_request(settings: ConnectSettings, method: str, params: Json) -> Json:
    """The answer to a question of the server.

    Raises:
        ProtocolError: when nobody is there to answer it. What a callback raises passes through.
    """
    if method == "ping":
        return {}
    if settings.on_question is not None:
        return settings.on_question(method, params)
    if method == "roots/list" and settings.roots is not None:
        return {"roots": [_to_root(root) for root in settings.roots]}
    if method == "elicitation/create" and settings.on_elicit is not None:
        return settings.on_elicit(params) or {"action": "decline"}
    if method == "sampling/createMessage" and settings.on_sample is not None:
        return _to_sampling_result(settings.on_sample(params))
    raise ProtocolError(f"This client does not answer {method}", rpc_code=METHOD_NOT_FOUND)


def make_notification_callback(settings: ConnectSettings) -> Callable[[str, Json], None] | None:
    """What is to be called for each notification; None when nobody wants to hear any."""
    by_method = {
        "notifications/message": settings.on_log,
        "notifications/progress": settings.on_progress,
    }
    every = settings.on_notification
    if every is None and not any(by_method.values()):
        return None

    def hear(method: str, params: Json) -> None:
        specific = by_method.get(method)
        if specific is not None:
            specific(params)
        if every is not None:
            every(method, params)

    return hear


def _to_root(root: RootLike) -> Json:
    if isinstance(root, dict):
        return root
    if isinstance(root, PathLike):
        return {"uri": Path(root).absolute().as_uri()}
    return {"uri": root}


def _to_sampling_result(message: Json | str) -> Json:
    if isinstance(message, dict):
        return message
    content = {"type": "text", "text": message}
    return {"role": "assistant", "content": content, "model": "paddock"}
