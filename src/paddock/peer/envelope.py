"""The `_meta` that our requests carry: in the stateless era, all that a server is to know of us."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from paddock.peer.callbacks import capabilities
from paddock.peer.tracing import trace_context
from paddock.protocol.model.params import Level, Meta
from paddock.protocol.versions import STATELESS_VERSIONS
from paddock.version import __version__

if TYPE_CHECKING:
    from paddock.peer.settings import Json, Settings

RUNS_A_HANDLER = frozenset({"tools/call", "prompts/get", "resources/read"})
"""Methods of which progress may be told."""


class Envelope:
    """Wraps the parameters of requests in one protocol version."""

    def __init__(self, settings: Settings, version: str) -> None:
        self._trace_context = settings.trace_context
        self._wants_progress = settings.on_progress is not None
        self._tokens = 0
        self.version = version
        self.is_stateless = version in STATELESS_VERSIONS
        self.capabilities = capabilities(settings, version)
        self.client_info = settings.client_info or {"name": "paddock", "version": __version__}
        self.log_level: Level | None = "info" if settings.on_log is not None else None

    def wrap(self, method: str, params: Json) -> Json:
        """The parameters with our `_meta`; what they have of their own wins."""
        meta: Json = msgspec.to_builtins(self._meta(method))
        meta.update(trace_context(self._trace_context))
        own = params.get("_meta")
        if isinstance(own, dict):
            meta.update(own)
        return {**params, "_meta": meta} if meta else params

    def _meta(self, method: str) -> Meta:
        meta = Meta()
        if self._wants_progress and method in RUNS_A_HANDLER:
            self._tokens += 1
            meta.progress_token = self._tokens
        if self.is_stateless:
            meta.version = self.version
            meta.capabilities = self.capabilities
            meta.client_info = self.client_info
            if self.log_level is not None:
                meta.log_level = self.log_level
        return meta
