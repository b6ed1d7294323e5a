"""`Peer`: a server that we have connected to, and everything one can ask of it.

Plain and blocking; one peer may be used by several threads at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Self, TypeVar

from msgspec import Struct

from paddock.authoring.mirroring import mirrors_of
from paddock.errors import ConnectError, DefinitionError
from paddock.peer import results
from paddock.peer.calls import PendingCall, Respond
from paddock.peer.delivery import Delivery
from paddock.peer.envelope import Envelope
from paddock.peer.errors import AnswerError, PeerError, PeerTimeoutError
from paddock.peer.link import Link
from paddock.peer.listening import METHOD as LISTEN
from paddock.peer.listening import Listening
from paddock.peer.settings import Json
from paddock.peer.skills import SkillInfo, listed_file, verified
from paddock.peer.transcript import Transcript
from paddock.protocol.errors import INVALID_PARAMS, METHOD_NOT_FOUND
from paddock.protocol.model.params import LEVELS, Level

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from paddock.peer.link import Outcome
    from paddock.peer.opening import Greeting

T = TypeVar("T", bound=Struct)
CLOSE_TIME = 2.0
"""Seconds that callbacks get to finish when the connection is closed."""


class Wire(Struct):
    """The parts of an open connection."""

    link: Link
    delivery: Delivery
    envelope: Envelope
    respond: Respond
    transcript: Transcript
    is_mirrored: bool = False
    """Whether requests repeat some arguments of tools in HTTP headers."""


class Peer:
    """A server that we are connected to. Made by `connect`; a context manager that closes it."""

    def __init__(self, wire: Wire, greeting: Greeting, timeout: float) -> None:
        self._wire = wire
        self._greeting = greeting
        self._timeout = timeout
        self.protocol_version = greeting.version
        self.server_info = greeting.server_info
        self.server_capabilities = greeting.capabilities
        self.instructions = greeting.instructions
        self.transcript = wire.transcript
        """Every message so far, when the connection is recorded; else empty."""

    @property
    def sent(self) -> list[bytes]:
        """Our messages, when the connection is recorded."""
        return self.transcript.sent

    @property
    def received(self) -> list[bytes]:
        """The server's messages, when the connection is recorded."""
        return self.transcript.received

    def within(self, seconds: float) -> Peer:
        """The same connection with another timeout, as in `peer.within(5).call("slow")`."""
        return Peer(self._wire, self._greeting, seconds)

    def tools(self) -> list[results.ToolInfo]:
        """All tools, from all pages; without those that cannot be called over HTTP as they are."""
        tools = self._listed("tools/list", "tools", results.ToolInfo)
        return [tool for tool in tools if _is_callable(tool)] if self._wire.is_mirrored else tools

    def call(
        self, name: str, arguments: Mapping[str, object] | None = None, /, **named: object
    ) -> results.ToolResult:
        """Call a tool. A tool that fails gives a result with `is_error`.

        Raises:
            PeerError: when there is no such tool, or the server cannot answer.
        """
        params: Json = {"name": name, "arguments": {**(arguments or {}), **named}}
        return results.tool_result(self.request("tools/call", params))

    def prompts(self) -> list[results.PromptInfo]:
        """All prompts, from all pages."""
        return self._listed("prompts/list", "prompts", results.PromptInfo)

    def prompt(
        self, name: str, arguments: Mapping[str, str] | None = None, /, **named: str
    ) -> results.PromptResult:
        """The messages of a prompt."""
        params: Json = {"name": name, "arguments": {**(arguments or {}), **named}}
        return results.prompt_result(self.request("prompts/get", params))

    def resources(self) -> list[results.ResourceInfo]:
        """All resources, from all pages."""
        return self._listed("resources/list", "resources", results.ResourceInfo)

    def templates(self) -> list[results.TemplateInfo]:
        """All resource templates, from all pages."""
        method = "resources/templates/list"
        return self._listed(method, "resourceTemplates", results.TemplateInfo)

    def read(self, uri: str) -> results.ReadResult:
        """The contents of a resource."""
        return results.read_result(self.request("resources/read", {"uri": uri}))

    def skills(self) -> list[SkillInfo]:
        """All skills, from all pages; none of their files is read."""
        return self._listed("skills/list", "skills", SkillInfo)

    def skill_file(self, skill: SkillInfo, uri: str | None = None) -> bytes:
        """A file of a skill, its SKILL.md unless said otherwise.

        Raises:
            AnswerError: when size, digest or frontmatter are not what was listed.
        """
        wanted = skill.uri if uri is None else uri
        listed_file(skill, wanted)
        return verified(skill, wanted, self.read(wanted))

    def complete(
        self,
        ref: str | Json,
        argument: str,
        value: str,
        context: Mapping[str, str] | None = None,
    ) -> results.Completion:
        """How an argument could go on that begins with `value`.

        `ref` is a prompt's name, a resource template (recognised by its `://`), or a reference
        as the protocol writes it; `context` holds arguments that are settled already.
        """
        if isinstance(ref, str):
            is_uri = "://" in ref
            ref = {"type": "ref/resource", "uri": ref} if is_uri else _prompt_ref(ref)
        params: Json = {"ref": ref, "argument": {"name": argument, "value": value}}
        if context is not None:
            params["context"] = {"arguments": dict(context)}
        return results.completion(self.request("completion/complete", params))

    def ping(self) -> None:
        """Ask for a sign of life. In sessions only."""
        self._in_sessions_only("ping", "use server/discover")
        self.request("ping")

    def subscribe(self, uri: str) -> None:
        """Ask to be notified of a resource's updates. In sessions only."""
        self._in_sessions_only("resources/subscribe", "use listen")
        self.request("resources/subscribe", {"uri": uri})

    def unsubscribe(self, uri: str) -> None:
        """Ask to be notified no longer. In sessions only."""
        self._in_sessions_only("resources/unsubscribe", "close what listen has returned")
        self.request("resources/unsubscribe", {"uri": uri})

    def listen(
        self,
        *,
        tools: bool = False,
        prompts: bool = False,
        resources: bool = False,
        uris: list[str] | None = None,
    ) -> Listening:
        """Ask to be notified of changes of lists and of resources. In the stateless era only."""
        if not self._wire.envelope.is_stateless:
            raise self._unknown(LISTEN, "a session is told of changes; use subscribe for resources")
        kinds = {"tools": tools, "prompts": prompts, "resources": resources}
        wanted: Json = {f"{kind}ListChanged": True for kind, is_on in kinds.items() if is_on}
        if uris:
            wanted["resourceSubscriptions"] = uris
        params = self._wire.envelope.wrap(LISTEN, {"notifications": wanted})
        listening = Listening(self._wire.link, params)
        listening.wait(self._timeout)
        return listening

    def set_log_level(self, level: Level) -> None:
        """Ask for log messages of this level and above, from now on."""
        if level not in LEVELS:
            raise PeerError(f"No such log level: {level!r}", rpc_code=INVALID_PARAMS)
        if self._wire.envelope.is_stateless:
            self._wire.envelope.log_level = level
        else:
            self.request("logging/setLevel", {"level": level})

    def request(
        self, method: str, params: Json | None = None, *, timeout: float | None = None
    ) -> Json:
        """Send a request and wait for its result, as it is.

        Raises:
            PeerError: the server answered with an error.
            PeerTimeoutError: it did not answer in time; it has been told to stop.
            ConnectError: it is gone.
        """
        call = self.start(method, params)
        try:
            return call.result(timeout)
        except PeerTimeoutError:
            call.cancel("no answer in time")
            raise

    def pages(self, method: str, key: str) -> list[Json]:
        """The items of a list method as they are, from all its pages."""
        items: list[Json] = []
        cursors: set[str] = set()
        params: Json = {}
        while True:
            answer = self.request(method, params)
            items += results.read_as(list[Json], answer.get(key), method)
            cursor = results.read_as(str | None, answer.get("nextCursor"), method)  # type: ignore[arg-type]  # a union is a type to msgspec
            if cursor is None:
                return items
            if cursor in cursors:
                raise AnswerError(f"{method} gives the same page again and again: {cursor!r}")
            cursors.add(cursor)
            params = {"cursor": cursor}

    def start(
        self, method: str, params: Json | None = None, *, answers_questions: bool = True
    ) -> PendingCall:
        """Send a request without waiting for its answer.

        A server of the stateless era may answer with questions. They are put to the callbacks and
        the request is repeated, unless `answers_questions` says that the caller sees to it.
        """
        wire = self._wire
        wrapped = wire.envelope.wrap(method, params or {})
        is_asked = wire.envelope.is_stateless and answers_questions
        respond = wire.respond if is_asked else None
        return PendingCall(
            wire.link, wire.delivery, method, wrapped, timeout=self._timeout, respond=respond
        )

    def notify(self, method: str, params: Json | None = None) -> None:
        """Send a notification."""
        self._wire.link.notify(method, params)

    def when_ended(self, callback: Callable[[str], object]) -> None:
        """Call a function, which must not block, with the reason when the connection has ended."""
        try:
            self._wire.link.expect(_End(callback))
        except ConnectError as error:
            callback(error.message)

    def close(self) -> None:
        """End the connection, and with it a server that was started for it."""
        self._wire.link.close()
        self._wire.delivery.close(CLOSE_TIME)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _listed(self, method: str, key: str, kind: type[T]) -> list[T]:
        return results.read_as(list[kind], self.pages(method, key), method)  # type: ignore[valid-type]  # the type is a value here

    def _in_sessions_only(self, method: str, instead: str) -> None:
        if self._wire.envelope.is_stateless:
            raise self._unknown(method, instead)

    def _unknown(self, method: str, instead: str) -> PeerError:
        text = f"{method} does not exist in protocol version {self.protocol_version}"
        return PeerError(text, rpc_code=METHOD_NOT_FOUND, hint=instead)


class _End:
    """Waits for an answer that never comes, and so is told when none can come any more."""

    def __init__(self, callback: Callable[[str], object]) -> None:
        self._callback = callback

    def take(self, outcome: Outcome) -> None:
        self._callback(str(outcome))


def _prompt_ref(name: str) -> Json:
    return {"type": "ref/prompt", "name": name}


def _is_callable(tool: results.ToolInfo) -> bool:
    try:
        mirrors_of(tool.input_schema, tool.name)
    except DefinitionError:
        return False  # the channel has logged why
    return True
