"""Declarations of prompts and their arguments.

Loaded before msgspec, so it imports nothing outside the standard library.
`authoring.prompt_renderer` builds the messages.
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
    """An argument of a prompt. Its value is always text."""

    def __init__(
        self, name: str, description: str = "", *, required: bool = False, title: str | None = None
    ) -> None:
        self.name = name
        self.description = description
        self.required = required
        self.title = title


class Prompt:
    """A reusable message template that a user selects in a client.

    Args:
        name: The prompt's name.
        messages: Text, content or messages. Texts may contain `{argument}` and optional sections
            `{?argument?text}`, which are included only if the argument is given.
        handler: A function that returns the messages, used instead of `messages`. Its parameters
            are the prompt's arguments.
        arguments: The declared arguments; by default, derived from the handler or the messages.
        completions: Suggested values for arguments, as lists or functions.
        takes_dictionary: The handler takes the arguments as one dictionary.
    """

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
