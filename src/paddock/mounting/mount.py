"""A mounted server, local or remote, and the names of its items on the mounting server."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from paddock.authoring.methods import ServerMethods
from paddock.authoring.tool import MAX_TOOL_NAME_CHARACTERS
from paddock.errors import DefinitionError
from paddock.mounting.request_forwarder import UpstreamSource

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.authoring.base_server import BaseServer
    from paddock.authoring.mounted_items import MountSource
    from paddock.mounting.upstream import Upstream

    MountChangeCallback = Callable[["Mount", str, str | None], int]

_PREFIX_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-/")
_SCHEME_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789.-")


class ItemPrefix:
    """The prefix in the names of a mounted server's tools, prompts and resources.

    The names of tools and prompts are prefixed, as in `weather_forecast`. Names may contain the
    separator, because they are looked up and never split.

    Resources keep their URIs if they are unique on the mounting server. Otherwise, the prefix is
    put before the scheme, as in `weather+notes://today`. Every resource can be read by that URI.
    """

    def __init__(self, prefix: str | None, separator: str) -> None:
        for label, text in (("prefix", prefix), ("separator", separator)):
            if text is not None and not _PREFIX_CHARACTERS.issuperset(text):
                raise DefinitionError(
                    f"{text!r} cannot be the {label} of names", hint="use A-Z a-z 0-9 _ - . /"
                )
        if prefix == "":
            raise DefinitionError("the prefix is empty", hint="omit it, or pass prefix=None")
        self.prefix = prefix
        self.name_prefix = "" if prefix is None else prefix + separator
        self.uri_scheme = None if prefix is None else _to_uri_scheme(prefix)
        """The part of a prefixed URI before the `+`."""

    def get_prefixed_name(self, kind: str, name: str) -> str:
        """Return the name of an item on the mounting server, unless that name is in use."""
        return self.name_prefix + name if kind in ("tools", "prompts") else name

    def get_prefixed_uri(self, kind: str, name: str) -> str | None:
        """Return the prefixed URI of a resource, or None for other kinds or without a prefix."""
        if self.uri_scheme is None or kind in ("tools", "prompts"):
            return None
        return f"{self.uri_scheme}+{name}"

    def find_name_error(self, kind: str, key: str) -> str | None:
        """Return the reason why an item cannot have a name on the mounting server, or None.

        Args:
            kind: The kind of the item, such as `tools`.
            key: The name with the prefix.
        """
        if kind == "tools" and len(key) > MAX_TOOL_NAME_CHARACTERS:
            return (
                f"its name would have {len(key)} characters; "
                f"the limit is {MAX_TOOL_NAME_CHARACTERS}"
            )
        return None


def _to_uri_scheme(prefix: str) -> str:
    """Convert a prefix to a URI scheme, which allows fewer characters (RFC 3986, section 3.1)."""
    text = "".join(
        character if character in _SCHEME_CHARACTERS else "-" for character in prefix.lower()
    )
    return text if text[0].isalpha() else f"x{text}"


class Mount(ABC):
    """A server whose items are offered by another server, the mounting server.

    `LocalMount` is for servers in this process, and `RemoteMount` for servers behind a connection.
    """

    def __init__(self, target: object, item_prefix: ItemPrefix, source: MountSource) -> None:
        self.target = target
        self.item_prefix = item_prefix
        self.source = source
        self._change_callback: MountChangeCallback | None = None

    def set_change_callback(self, callback: MountChangeCallback) -> None:
        """Call `callback` when the mounted server reports a change."""
        self._change_callback = callback

    def clear_change_callback(self) -> None:
        """Stop calling the callback of `set_change_callback`."""
        self._change_callback = None

    def announce_change(self, kind: str, uri: str | None = None) -> int:
        """Report a change in the mounted server to the mounting server's callback.

        Args:
            kind: The list that changed, such as `tools`.
            uri: The resource that changed, or None for a list.

        Returns:
            The number of clients that were notified.
        """
        return 0 if self._change_callback is None else self._change_callback(self, kind, uri)

    @abstractmethod
    def add_holder(self, holder: object) -> None:
        """Keep remote servers connected as long as an object such as a connection needs them."""

    @abstractmethod
    def remove_holder(self, holder: object) -> None:
        """Remove an object that `add_holder` has registered."""

    @abstractmethod
    def take_over(self, replacement: Mount) -> bool:
        """Continue this mount after its server definition was reloaded, if possible.

        The mount then keeps its state or connection, and the replacement is not mounted.

        Args:
            replacement: The mount of the reloaded definition.

        Returns:
            Whether this mount continues. Otherwise, the replacement must be mounted.
        """

    def __repr__(self) -> str:
        return repr(self.target)


class LocalMount(Mount):
    """A mounted server that runs in this process."""

    def __init__(self, server: BaseServer, item_prefix: ItemPrefix) -> None:
        super().__init__(server, item_prefix, ServerMethods(server))
        self.server = server

    def set_change_callback(self, callback: MountChangeCallback) -> None:
        """Call a function when the mounted server reports a change."""
        super().set_change_callback(callback)
        # The mounting server is notified like a client. The second argument would stop a client's
        # connection, which is not possible here.
        self.server.add_connection(self.announce_change, None)

    def clear_change_callback(self) -> None:
        """Stop calling the callback of `set_change_callback`."""
        super().clear_change_callback()
        self.server.remove_connection(self.announce_change)

    def add_holder(self, holder: object) -> None:
        """Keep remote servers mounted on this server connected."""
        if self.server.mounts is not None:
            self.server.mounts.add_holder(holder)

    def remove_holder(self, holder: object) -> None:
        """Remove an object that `add_holder` has registered."""
        if self.server.mounts is not None:
            self.server.mounts.remove_holder(holder)

    def take_over(self, replacement: Mount) -> bool:
        """Take over a reloaded server's items, keeping the state of the current lifespan."""
        if not isinstance(replacement, LocalMount):
            return False
        self.server.update_from(replacement.server)
        return True


class RemoteMount(Mount):
    """A mounted server that is reached over a connection."""

    def __init__(self, target: object, item_prefix: ItemPrefix, upstream: Upstream) -> None:
        super().__init__(target, item_prefix, UpstreamSource(upstream))
        self.upstream = upstream

    def set_change_callback(self, callback: MountChangeCallback) -> None:
        """Call a function when the upstream reports a change."""
        super().set_change_callback(callback)
        self.upstream.on_change = self.announce_change

    def clear_change_callback(self) -> None:
        """Stop calling the callback of `set_change_callback`."""
        super().clear_change_callback()
        self.upstream.on_change = None

    def add_holder(self, holder: object) -> None:
        """Keep the upstream connected as long as an object such as a connection needs it."""
        self.upstream.add_holder(holder)

    def remove_holder(self, holder: object) -> None:
        """Remove an object that `add_holder` has registered."""
        self.upstream.remove_holder(holder)

    def take_over(self, replacement: Mount) -> bool:
        """Keep the connection if the replacement has the same URL or command."""
        return self.target == replacement.target

    def __repr__(self) -> str:
        return repr(self.upstream)
