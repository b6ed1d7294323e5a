"""Name, version and capabilities of a server.

The module is loaded first when a server starts, so it imports nothing outside the interpreter.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

Json = dict[str, object]


def make_default_capabilities() -> Json:
    """Return the default capabilities of a server, which are all of them.

    For example, a server without prompts may add some while it runs.
    """
    return {
        "tools": {"listChanged": True},
        "prompts": {"listChanged": True},
        "resources": {"subscribe": True, "listChanged": True},
        "completions": {},
        "logging": {},
        "tasks": {},
    }


class ServerMetadata:
    """Name, version, description, instructions, icons and capabilities of a server."""

    def __init__(
        self,
        name: str,
        *,
        version: str = "0.0.0",
        title: str | None = None,
        description: str | None = None,
        instructions: str | None = None,
        website_url: str | None = None,
        icons: list[Json] | None = None,
        capabilities: Mapping[str, object] | None = None,
        cache_ttl_ms: int = 0,
        cache_scope: str = "private",
    ) -> None:
        self.name = name
        self.version = version
        self.title = title
        self.description = description
        self.instructions = instructions
        self.website_url = website_url
        self.icons = icons
        self.cache_ttl_ms = cache_ttl_ms
        self.cache_scope = cache_scope
        self._has_explicit_capabilities = capabilities is not None
        self.capabilities: Json = dict(
            make_default_capabilities() if capabilities is None else capabilities
        )

    def to_server_info(self) -> Json:
        """Return the protocol's `serverInfo`, such as `{"name": "Calc", "version": "1.0"}`."""
        optional_fields = {
            "title": self.title,
            "description": self.description,
            "websiteUrl": self.website_url,
            "icons": self.icons,
        }
        present_fields = {key: value for key, value in optional_fields.items() if value}
        return {"name": self.name, "version": self.version, **present_fields}

    def to_cache_hints(self) -> Json:
        """Return the hints for how long and by whom lists and resources may be cached."""
        return {"ttlMs": self.cache_ttl_ms, "cacheScope": self.cache_scope}

    def has_capability(self, capability: str) -> bool:
        """Return whether the server declares a capability."""
        return self.capabilities.get(capability) is not None

    def declare_extension(self, name: str, settings: Json) -> None:
        """Add a protocol extension to the capabilities unless it is already declared.

        Capabilities set explicitly by the author are complete, so they are not changed.

        Args:
            name: The identifier of the extension.
            settings: The extension's settings, often empty.
        """
        if not self._has_explicit_capabilities and self.get_extension_settings(name) is None:
            self.capabilities = {
                **self.capabilities,
                "extensions": {**self._get_declared_extensions(), name: settings},
            }

    def get_extension_settings(self, name: str) -> Json | None:
        """Return the settings of a declared extension, or None if it is not declared."""
        settings = self._get_declared_extensions().get(name)
        return settings if isinstance(settings, dict) else None

    def _get_declared_extensions(self) -> Json:
        extensions = self.capabilities.get("extensions")
        return extensions if isinstance(extensions, dict) else {}
