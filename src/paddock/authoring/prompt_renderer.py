"""The little language of prompt texts.

`{name}` is replaced by the argument; `{?name?text}` is the text when the argument was given, and
nothing otherwise. Blocks nest. A placeholder of an unknown argument stays as it is, and a value
is never looked into for further placeholders.

How one prompt becomes messages: from a text with placeholders, or by its handler.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec

from paddock.authoring.context import Context, bind_dict_handler
from paddock.authoring.signature import HandlerSignature
from paddock.authoring.type_hooks import decode_hook
from paddock.errors import DefinitionError
from paddock.protocol.content import Content, PromptMessage, TextContent
from paddock.protocol.errors import InvalidParamsError
from paddock.protocol.request import SlowHandlerTracker

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from paddock.authoring.base_server import BaseServer
    from paddock.authoring.prompt import Prompt
    from paddock.authoring.signature import HandlerParameter
    from paddock.protocol.request import Request


_PLACEHOLDER = re.compile(r"\{(\w+)\}|\{\?(\w+)\?")


def fill_template(template: str, arguments: Mapping[str, str]) -> str:
    """A text with its placeholders replaced."""
    pieces: list[str] = []
    position = 0
    while match := _PLACEHOLDER.search(template, position):
        pieces.append(template[position : match.start()])
        name = match[1] or match[2]
        if match[1]:
            pieces.append(arguments.get(name, match[0]))
            position = match.end()
            continue
        end = _find_closing_brace(template, match.end())
        if end is None:
            pieces.append(match[0])
            position = match.end()
            continue
        if name in arguments:
            pieces.append(fill_template(template[match.end() : end], arguments))
        position = end + 1
    pieces.append(template[position:])
    return "".join(pieces)


def list_placeholders(template: str) -> list[str]:
    """The names of the arguments that a text uses, in order."""
    found = (match[1] or match[2] for match in _PLACEHOLDER.finditer(template))
    return list(dict.fromkeys(found))


def _find_closing_brace(template: str, start: int) -> int | None:
    depth = 1
    for index in range(start, len(template)):
        character = template[index]
        depth += (character == "{") - (character == "}")
        if depth == 0:
            return index
    return None


Json = dict[str, Any]


class PromptRenderer:
    """One prompt, ready to be rendered."""

    __slots__ = (
        "_server",
        "_signature",
        "arguments",
        "description",
        "is_async",
        "prompt",
        "slow_tracker",
    )

    def __init__(self, prompt: Prompt, offering: BaseServer) -> None:
        self.prompt = prompt
        self.slow_tracker = SlowHandlerTracker()
        self._server = offering
        self._signature: HandlerSignature | None = None
        if prompt.handler is not None:
            self._signature = HandlerSignature(
                prompt.handler,
                Context,
                prompt.name,
                is_schema_needed=not prompt.takes_dictionary,
            )
        self.is_async = self._signature is not None and self._signature.is_async
        self.description = prompt.description or (
            self._signature.description if self._signature else ""
        )
        self.arguments = self._list_arguments()

    def require_arguments(self, given: dict[str, str]) -> None:
        """Whether the required arguments are there.

        Raises:
            InvalidParamsError: naming the ones that are not.
        """
        missing = [
            str(argument["name"])
            for argument in self.arguments
            if argument.get("required") and argument["name"] not in given
        ]
        if missing:
            raise InvalidParamsError(
                f"Prompt {self.prompt.name!r} needs: {', '.join(missing)}",
                data={"missing": missing},
            )

    def call_handler(self, given: dict[str, str], request: Request) -> Any:
        """What the handler returns for these arguments, or the messages as they were declared."""
        if self._signature is None or self.prompt.handler is None:
            return self.prompt.messages
        if self.prompt.takes_dictionary:
            call = bind_dict_handler(
                self.prompt.handler, lambda asked: Context(asked, self._server)
            )
            return call({**given}, request)
        values = {
            taken.name: _convert_argument(taken, given[taken.name], self.prompt.name)
            for taken in self._signature.parameters
            if taken.name in given
        }
        if self._signature.context_parameter is not None:
            values[self._signature.context_parameter] = Context(request, self._server)
        return self.prompt.handler(**values)

    def build_result(self, messages: Any, given: dict[str, str]) -> Json:
        """The result of `prompts/get`."""
        is_template = self.prompt.handler is None
        several = messages if isinstance(messages, list | tuple) else [messages]
        rendered = [
            _build_message(one, given if is_template else None, self.prompt.name) for one in several
        ]
        found: Json = {"messages": rendered}
        if self.description:
            found["description"] = self.description
        return found

    def _list_arguments(self) -> list[Json]:
        if self.prompt.arguments is not None:
            return [
                _build_argument(one.name, one.description, required=one.required, title=one.title)
                for one in self.prompt.arguments
            ]
        if self._signature is not None:
            descriptions = self._signature.get_parameter_descriptions()
            return [
                _build_argument(taken.name, descriptions[taken.name], required=taken.is_required)
                for taken in self._signature.parameters
            ]
        texts = [_get_message_text(one) for one in _to_list(self.prompt.messages)]
        names = dict.fromkeys(name for text in texts for name in list_placeholders(text))
        return [_build_argument(name, "", required=False) for name in names]


def build_prompt_entry(rendering: PromptRenderer) -> Json:
    """A prompt as `prompts/list` shows it."""
    prompt = rendering.prompt
    found: Json = {"name": prompt.name}
    optional = {
        "title": prompt.title,
        "description": rendering.description,
        "arguments": rendering.arguments,
        "icons": prompt.icons,
        "_meta": prompt.meta,
    }
    found.update({key: value for key, value in optional.items() if value})
    if prompt.description is not None:
        found["description"] = rendering.description  # asked for, even if there is nothing to say
    return found


def _build_argument(
    name: str, description: str, *, required: bool, title: str | None = None
) -> Json:
    found: Json = {"name": name, "required": required}
    if description:
        found["description"] = description
    if title:
        found["title"] = title
    return found


def _convert_argument(taken: HandlerParameter, text: str, where: str) -> Any:
    """The text of an argument as the type that the handler declares."""
    if taken.type_hint in (str, Any):
        return text
    attempts: list[Callable[[], Any]] = [
        lambda: msgspec.convert(text, taken.type_hint, strict=False, dec_hook=decode_hook),
        lambda: msgspec.json.decode(text.encode(), type=taken.type_hint, dec_hook=decode_hook),
    ]
    reason = ""
    for attempt in attempts:
        try:
            return attempt()
        except (msgspec.DecodeError, NotImplementedError) as error:
            reason = reason or str(error)
    raise InvalidParamsError(f"Prompt {where!r}: argument {taken.name!r}: {reason}")


def _build_message(one: Any, given: dict[str, str] | None, where: str) -> Json:
    role = "user"
    if isinstance(one, PromptMessage):
        role, one = one.role, one.content
    elif isinstance(one, dict) and "role" in one and "content" in one:
        role, one = str(one["role"]), one["content"]
    if role not in ("user", "assistant"):
        raise DefinitionError(
            f"a message has the role {role!r}", where=where, hint="user or assistant"
        )
    if isinstance(one, str):
        one = TextContent(one)
    if isinstance(one, TextContent) and given is not None:
        one = msgspec.structs.replace(one, text=fill_template(one.text, given))
    if not isinstance(one, Content | dict):
        raise DefinitionError(
            f"a message is a {type(one).__name__}",
            where=where,
            hint="return text, content, PromptMessage, or a list of those",
        )
    return {"role": role, "content": one}


def _to_list(messages: Any) -> list[Any]:
    return list(messages) if isinstance(messages, list | tuple) else [messages]


def _get_message_text(one: Any) -> str:
    content = one.content if isinstance(one, PromptMessage) else one
    if isinstance(content, TextContent):
        return content.text
    return content if isinstance(content, str) else ""
