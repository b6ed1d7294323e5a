"""Prompts and their arguments, as their authors declare them.

Loaded before msgspec, so it needs nothing but the interpreter; what a prompt's messages are is
worked out in `authoring.rendering`.
"""

from __future__ import annotations

from paddock.errors import DefinitionError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from paddock.protocol.content import Content, Icon, PromptMessage

    Json = dict[str, object]
    CompletionSource = Sequence[str] | Callable[..., Sequence[str]]
    PromptMessages = str | Content | PromptMessage | Sequence[str | Content | PromptMessage]


class PromptArgument:
    """One argument of a prompt; its value is always text."""

    __slots__ = ("description", "name", "required", "title")

    def __init__(
        self, name: str, description: str = "", *, required: bool = False, title: str | None = None
    ) -> None:
        self.name = name
        self.description = description
        self.required = required
        self.title = title


class Prompt:
    """A conversation opener that a person chooses.

    Either `messages`, whose texts may hold `{argument}` and `{?argument?only with it}`, or a
    `handler` that makes them: a function of the arguments (by its own parameters), returning a
    string, content, a message or a list of those. With `takes_dictionary` the handler takes the
    arguments as one dictionary instead.
    """

    __slots__ = (
        "arguments",
        "completions",
        "description",
        "handler",
        "icons",
        "messages",
        "meta",
        "name",
        "takes_dictionary",
        "title",
    )

    def __init__(
        self,
        name: str,
        messages: PromptMessages | None = None,
        *,
        handler: Callable[..., Any] | None = None,
        description: str | None = None,
        arguments: Sequence[PromptArgument] | None = None,
        title: str | None = None,
        icons: Sequence[Icon | Json] | None = None,
        meta: Json | None = None,
        completions: Mapping[str, CompletionSource] | None = None,
        takes_dictionary: bool = False,
    ) -> None:
        if (messages is None) == (handler is None):
            raise DefinitionError("a prompt has either messages or a handler", where=name)
        self.name = name
        self.takes_dictionary = takes_dictionary
        self.messages = messages
        self.handler = handler
        self.description = description
        self.arguments = arguments
        self.title = title
        self.icons = icons
        self.meta = meta
        self.completions = dict(completions or {})

    def __repr__(self) -> str:
        return f"Prompt({self.name!r})"
