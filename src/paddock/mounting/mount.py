"""What the items of a mounted server are called where they are offered.

Tools and prompts get the prefix before their names. Resources keep their URIs, which are meant to
be unique; one that is not gets the prefix before its scheme, as in `weather+notes://today`, and
every resource can be reached in that way. Names are looked up and never taken apart, so that an
underscore in a name means nothing.

One server that is mounted in another: where it is, and what its items are called.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.authoring.methods import ServerMethods
from paddock.authoring.tool import MAX_TOOL_NAME_CHARACTERS
from paddock.errors import DefinitionError

_PREFIX_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-/")
_SCHEME_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789.-")


class ItemPrefix:
    """The names of one mounted server's items."""

    def __init__(self, prefix: str | None, separator: str) -> None:
        for what, text in (("prefix", prefix), ("separator", separator)):
            if text is not None and not _PREFIX_CHARACTERS.issuperset(text):
                raise DefinitionError(
                    f"{text!r} cannot be the {what} of names", hint="use A-Z a-z 0-9 _ - . /"
                )
        if prefix == "":
            raise DefinitionError("the prefix is empty", hint="for none at all, write prefix=None")
        self.prefix = prefix
        self.name_prefix = "" if prefix is None else prefix + separator
        self.uri_scheme = None if prefix is None else _to_uri_scheme(prefix)
        """What stands before the `+` of a URI."""

    def get_key(self, kind: str, name: str) -> str:
        """What an item is called as long as nothing else is called that."""
        return self.name_prefix + name if kind in ("tools", "prompts") else name

    def get_alias(self, kind: str, name: str) -> str | None:
        """What an item is called when something else has its name already."""
        if self.uri_scheme is None or kind in ("tools", "prompts"):
            return None
        return f"{self.uri_scheme}+{name}"

    def find_key_error(self, kind: str, key: str) -> str | None:
        """What is wrong with a name, if anything is."""
        if kind == "tools" and len(key) > MAX_TOOL_NAME_CHARACTERS:
            return f"its name would have {len(key)} characters, and {MAX_TOOL_NAME_CHARACTERS} are the limit"
        return None


def _to_uri_scheme(prefix: str) -> str:
    """A prefix as the beginning of a URI, where fewer characters are allowed."""
    text = "".join(one if one in _SCHEME_CHARACTERS else "-" for one in prefix.lower())
    return text if text[0].isalpha() else f"x{text}"


if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.authoring.base_server import BaseServer
    from paddock.authoring.mounted_items import MountSource
    from paddock.mounting.upstream import Upstream

    MountChangeCallback = Callable[["Mount", str, str | None], int]


class Mount:
    """A mounted server: an offering in this process, or an upstream elsewhere."""

    def __init__(
        self,
        target: object,
        naming: ItemPrefix,
        *,
        offering: BaseServer | None,
        upstream: Upstream | None,
    ) -> None:
        self.target = target
        self.item_prefix = naming
        self.local_server = offering
        self.upstream = upstream
        self.source: MountSource = _create_source(offering, upstream)
        self._change_callback: MountChangeCallback | None = None

    def set_change_callback(self, changed: MountChangeCallback) -> None:
        """Have changes of the server told to the one that it is mounted in."""
        self._change_callback = changed
        if self.local_server is not None:
            self.local_server.add_connection(self.announce_change, None)
        if self.upstream is not None:
            self.upstream.on_change = self.announce_change

    def clear_change_callback(self) -> None:
        """Undo `connect`."""
        self._change_callback = None
        if self.local_server is not None:
            self.local_server.remove_connection(self.announce_change)
        if self.upstream is not None:
            self.upstream.on_change = None

    def announce_change(self, kind: str, uri: str | None = None) -> int:
        """Something has changed there; how many clients were told."""
        return 0 if self._change_callback is None else self._change_callback(self, kind, uri)

    def __repr__(self) -> str:
        return repr(self.upstream if self.local_server is None else self.local_server)


def _create_source(offering: BaseServer | None, upstream: Upstream | None) -> MountSource:
    if offering is not None:
        return ServerMethods(offering)
    if upstream is None:
        raise TypeError("a mount is either local or remote")
    return upstream
