"""A new text in the place of a server's definition, once it is right in every part.

For what a person has written in an editor: comments and order are theirs. Changes that a program
makes are `api.edit_server`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.servers.api import own_source
from paddock.servers.assembly import assemble
from paddock.servers.errors import ServerDefinitionError
from paddock.servers.named_server import NamedServer
from paddock.servers.serving import origin_of
from paddock.servers.store import changing, read_definition, write_text

if TYPE_CHECKING:
    from pathlib import Path


def definition_text(name: str) -> str:
    """The text of the definition of one of the user's servers, broken or not.

    Raises:
        ServerNotFoundError: when there is none of that name.
        BuiltInServerError: when it is not one of the user's own.
    """
    return own_source(name).file.read_bytes().decode("utf-8-sig", errors="replace")


def rewrite_server(name: str, draft: Path, *, before: str) -> NamedServer:
    """Put the text of a draft in the place of a definition that is still what it was before.

    Raises:
        ServerNotFoundError: when there is no such server any more.
        DefinitionError: when the draft cannot be a definition, with its line; or when somebody
            else has changed the definition meanwhile. It stays as it was.
        LoadError: when something that it names cannot be loaded.
    """
    with changing():
        source = own_source(name)
        if definition_text(name) != before:
            raise ServerDefinitionError(
                "was changed by somebody else meanwhile",
                where=str(source.file),
                hint="edit it again, beginning with what it says now",
            )
        definition = read_definition(draft, name=name)
        if definition.name != name:
            raise ServerDefinitionError(
                f"says that its name is {definition.name!r}, but it is that of {name!r}",
                where=str(draft),
                hint="create a server of the other name, then delete this one",
            )
        origin = origin_of(source)
        assemble(definition, origin._replace(where=str(draft)))
        write_text(source.file, draft.read_bytes().decode("utf-8-sig"), definition)
    return NamedServer(source)
