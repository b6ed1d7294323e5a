"""The `_meta` that our requests carry: in the stateless era, all that a server is to know of us."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from paddock.peer.callbacks import declare_capabilities
from paddock.peer.tracing import collect_trace_context
from paddock.protocol.model.params import LoggingLevel, RequestMeta
from paddock.protocol.versions import STATELESS_VERSIONS
from paddock.version import __version__

if TYPE_CHECKING:
    from paddock.peer.settings import Json, ConnectSettings

METHODS_WITH_PROGRESS = frozenset({"tools/call", "prompts/get", "resources/read"})
"""Methods of which progress may be told."""


class RequestMetaBuilder:
    """Wraps the parameters of requests in one protocol version."""

    def __init__(self, settings: ConnectSettings, version: str) -> None:
        self._trace_context_source = settings.trace_context
        self._wants_progress = settings.on_progress is not None
        self._last_progress_token = 0
        self.version = version
        self.is_stateless = version in STATELESS_VERSIONS
        self.capabilities = declare_capabilities(settings, version)
        self.client_info = settings.client_info or {"name": "paddock", "version": __version__}
        self.log_level: LoggingLevel | None = "info" if settings.on_log is not None else None

    def add_meta(self, method: str, params: Json) -> Json:
        """The parameters with our `_meta`; what they have of their own wins."""
        meta: Json = msgspec.to_builtins(self._build_meta(method))
        meta.update(collect_trace_context(self._trace_context_source))
        own = params.get("_meta")
        if isinstance(own, dict):
            meta.update(own)
        return {**params, "_meta": meta} if meta else params

    def _build_meta(self, method: str) -> RequestMeta:
        meta = RequestMeta()
        if self._wants_progress and method in METHODS_WITH_PROGRESS:
            self._last_progress_token += 1
            meta.progress_token = self._last_progress_token
        if self.is_stateless:
            meta.version = self.version
            meta.capabilities = self.capabilities
            meta.client_info = self.client_info
            if self.log_level is not None:
                meta.log_level = self.log_level
        return meta
