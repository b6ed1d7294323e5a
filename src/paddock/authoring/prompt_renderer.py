"""Rendering of prompts to messages, from templates or by a handler.

In a template, `{name}` is replaced by an argument, and the section `{?name?text}` is included only
if the argument is given. Sections can be nested. A placeholder for an unknown argument is left
unchanged. Values are inserted literally, without expanding placeholders in them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec

from paddock.authoring.context import Context, bind_dict_handler
from paddock.authoring.prompt import PromptArgument
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
    """Return a template with its placeholders and optional sections expanded.

    A placeholder `{name}` is replaced by the argument, or kept if the argument is missing. A
    section `{?name?…}` is included only if the argument is given. For example, the template
    `Review {file}{?focus? for {focus}}` becomes `Review a.py` if only `file` is given.
    """
    pieces: list[str] = []
    position = 0
    while match := _PLACEHOLDER.search(template, position):
        pieces.append(template[position : match.start()])
        name = match[1] or match[2]
        if match[1]:
            pieces.append(arguments.get(name, match[0]))
            position = match.end()
            continue
        # Sections can be nested, so a section ends at the matching brace, not at the next one.
        section_end = _find_closing_brace(template, match.end())
        # Without a closing brace, the start of a section is ordinary text.
        if section_end is None:
            pieces.append(match[0])
            position = match.end()
            continue
        if name in arguments:
            pieces.append(fill_template(template[match.end() : section_end], arguments))
        position = section_end + 1
    pieces.append(template[position:])
    return "".join(pieces)


def list_placeholders(template: str) -> list[str]:
    """Return the names of the arguments that a template uses, in order of appearance."""
    names = (match[1] or match[2] for match in _PLACEHOLDER.finditer(template))
    return list(dict.fromkeys(names))


def _find_closing_brace(template: str, start: int) -> int | None:
    """Return the index of the brace that closes a section of a template, or None.

    Args:
        template: The template.
        start: The index after the opening brace. Matching pairs of braces are skipped from there.
    """
    depth = 1
    for index in range(start, len(template)):
        character = template[index]
        depth += (character == "{") - (character == "}")
        if depth == 0:
            return index
    return None


Json = dict[str, Any]


class PromptRenderer:
    """A prompt that is ready to be rendered."""

    def __init__(self, prompt: Prompt, server: BaseServer) -> None:
        self.prompt = prompt
        self.slow_tracker = SlowHandlerTracker()
        self._server = server
        self._signature: HandlerSignature | None = None
        if prompt.handler is not None:
            self._signature = HandlerSignature(
                prompt.handler,
                Context,
                prompt.name,
                reads_parameters=not prompt.takes_dictionary,
            )
        self.is_async = self._signature is not None and self._signature.is_async
        self.description = prompt.description or (
            self._signature.description if self._signature else ""
        )
        self.arguments = self._list_arguments()

    def require_arguments(self, arguments: dict[str, str]) -> None:
        """Check that a request contains all of the prompt's required arguments.

        Raises:
            InvalidParamsError: Arguments are missing. The error's `data` lists them for the client.
        """
        missing = [
            str(argument["name"])
            for argument in self.arguments
            if argument.get("required") and argument["name"] not in arguments
        ]
        if missing:
            raise InvalidParamsError(
                f"Prompt {self.prompt.name!r} requires: {', '.join(missing)}",
                data={"missing": missing},
            )

    def call_handler(self, arguments: dict[str, str], request: Request) -> Any:
        """Call the prompt's handler and return its value, or return the declared messages.

        The protocol transmits prompt arguments as strings, which are converted to the types of the
        handler's parameters.

        Raises:
            InvalidParamsError: An argument cannot be converted.
        """
        if self._signature is None or self.prompt.handler is None:
            return self.prompt.messages
        if self.prompt.takes_dictionary:
            # Unlike tools, prompts are rarely used, so the handler is bound on each request.
            call = bind_dict_handler(
                self.prompt.handler, lambda request: Context(request, self._server)
            )
            return call({**arguments}, request)
        keyword_arguments = {
            parameter.name: _convert_argument(
                parameter, arguments[parameter.name], self.prompt.name
            )
            for parameter in self._signature.parameters
            if parameter.name in arguments
        }
        if self._signature.context_parameter is not None:
            keyword_arguments[self._signature.context_parameter] = Context(request, self._server)
        return self.prompt.handler(**keyword_arguments)

    def build_result(self, messages: Any, arguments: dict[str, str]) -> Json:
        """Return the result of `prompts/get`, as in `{"messages": [{"role": "user", …}]}`.

        Args:
            messages: The prompt's declared messages, whose placeholders are filled here, or its
                handler's value. Text from a handler is not a template, because it may contain
                literal braces.
            arguments: The arguments of the request.
        """
        template_arguments = arguments if self.prompt.handler is None else None
        result: Json = {
            "messages": [
                _build_message(message, template_arguments, self.prompt.name)
                for message in _to_list(messages)
            ]
        }
        if self.description:
            result["description"] = self.description
        return result

    def _list_arguments(self) -> list[Json]:
        """Return the entries of the prompt's arguments for `prompts/list`.

        These are the arguments declared by the author. By default, they are the handler's
        parameters or, if there is no handler, the placeholders in the messages.
        """
        prompt, signature = self.prompt, self._signature
        if prompt.arguments is not None:
            return [_build_argument_entry(argument) for argument in prompt.arguments]
        if signature is not None:
            descriptions = signature.get_parameter_descriptions()
            arguments = [
                PromptArgument(
                    parameter.name, descriptions[parameter.name], required=parameter.is_required
                )
                for parameter in signature.parameters
            ]
        else:
            texts = [_get_message_text(message) for message in _to_list(prompt.messages)]
            names = dict.fromkeys(name for text in texts for name in list_placeholders(text))
            arguments = [PromptArgument(name) for name in names]
        return [_build_argument_entry(argument) for argument in arguments]


def build_prompt_entry(renderer: PromptRenderer) -> Json:
    """Return a prompt's entry in `prompts/list`, such as `{"name": "review", …}`."""
    prompt = renderer.prompt
    entry: Json = {"name": prompt.name}
    optional = {
        "title": prompt.title,
        "description": renderer.description,
        "arguments": renderer.arguments,
        "icons": prompt.icons,
        "_meta": prompt.meta,
    }
    entry.update({key: value for key, value in optional.items() if value})
    if prompt.description is not None:
        entry["description"] = renderer.description  # an empty description was set intentionally
    return entry


def _build_argument_entry(argument: PromptArgument) -> Json:
    entry: Json = {"name": argument.name, "required": argument.required}
    optional = {"description": argument.description, "title": argument.title}
    return {**entry, **{key: value for key, value in optional.items() if value}}


def _convert_argument(parameter: HandlerParameter, text: str, where: str) -> Any:
    """Convert the text of a prompt argument to the type of the handler's parameter.

    Raises:
        InvalidParamsError: The text does not represent a value of this type.
    """
    if parameter.type_hint in (str, Any):
        return text
    # The text is parsed first as a plain value ("3" for an int), then as JSON ("[1, 2]" for a
    # list).
    conversions: list[Callable[[], Any]] = [
        lambda: msgspec.convert(text, parameter.type_hint, strict=False, dec_hook=decode_hook),
        lambda: msgspec.json.decode(text.encode(), type=parameter.type_hint, dec_hook=decode_hook),
    ]
    reason = ""
    for convert in conversions:
        try:
            return convert()
        except (msgspec.DecodeError, NotImplementedError) as error:
            reason = reason or str(error)
    raise InvalidParamsError(f"Prompt {where!r}: argument {parameter.name!r}: {reason}")


def _build_message(message: Any, template_arguments: dict[str, str] | None, where: str) -> Json:
    """Return a message for the `prompts/get` result, such as `{"role": "user", "content": …}`.

    Args:
        message: Text, content, a `PromptMessage` or a dictionary.
        template_arguments: Values for placeholders. None if the text is not a template.
        where: The prompt's name, for error messages.

    Raises:
        DefinitionError: The message has another type or role.
    """
    role, content = "user", message
    if isinstance(message, PromptMessage):
        role, content = message.role, message.content
    elif isinstance(message, dict) and "role" in message and "content" in message:
        role, content = str(message["role"]), message["content"]
    if role not in ("user", "assistant"):
        raise DefinitionError(
            f"a message has the role {role!r}", where=where, hint="expected user or assistant"
        )
    if isinstance(content, str):
        content = TextContent(content)
    if isinstance(content, TextContent) and template_arguments is not None:
        text = fill_template(content.text, template_arguments)
        content = msgspec.structs.replace(content, text=text)
    if not isinstance(content, Content | dict):
        raise DefinitionError(
            f"a message is a {type(content).__name__}",
            where=where,
            hint="return text, content, PromptMessage, or a list of those",
        )
    return {"role": role, "content": content}


def _to_list(messages: Any) -> list[Any]:
    return list(messages) if isinstance(messages, list | tuple) else [messages]


def _get_message_text(message: Any) -> str:
    content = message.content if isinstance(message, PromptMessage) else message
    if isinstance(content, TextContent):
        return content.text
    return content if isinstance(content, str) else ""
