"""Skills of a server, read only when asked for and used only when they are what was listed.

`Peer`: a server that we have connected to, and everything one can ask of it.

Plain and blocking; one peer may be used by several threads at once.
"""

from __future__ import annotations

from hashlib import sha256
from time import monotonic
from typing import TYPE_CHECKING, Literal, Self, TypeVar

from msgspec import Struct

from paddock.authoring.header_parameters import find_header_parameters
from paddock.client import results
from paddock.client.calls import AnswerRequest, PendingCall
from paddock.client.connect_options import Json, Transcript
from paddock.client.connection import ClientConnection
from paddock.client.errors import AnswerError, PeerError, PeerTimeoutError
from paddock.client.handshake import RequestMetaBuilder
from paddock.client.notifications import LISTEN_METHOD as LISTEN
from paddock.client.notifications import NotificationQueue, Subscription
from paddock.errors import ConnectError, DefinitionError
from paddock.protocol.content import BlobResourceContents, TextResourceContents
from paddock.protocol.errors import INVALID_PARAMS, METHOD_NOT_FOUND
from paddock.protocol.params import LOGGING_LEVELS, LoggingLevel

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from paddock.client.connection import CallOutcome
    from paddock.client.handshake import HandshakeResult
    from paddock.client.results import ResourceResult


class SkillFileInfo(Struct):
    """A file of a skill, as listed."""

    uri: str
    digest: str
    size: int


class SkillInfo(Struct):
    """A skill as the server describes it."""

    uri: str
    frontmatter: Json
    resources: list[SkillFileInfo] | Literal["dynamic"]
    """Its files; or "dynamic", for those that have no digests."""


def find_listed_file(skill: SkillInfo, uri: str) -> SkillFileInfo | None:
    """What the list says about a file; None where it says nothing.

    Raises:
        AnswerError: when the file is not one of the skill.
    """
    if not isinstance(skill.resources, list):
        return None
    for file in skill.resources:
        if file.uri == uri:
            return file
    raise AnswerError(f"{uri} is not a file of the skill {skill.uri}")


def verify_skill_file(skill: SkillInfo, uri: str, result: ResourceResult) -> bytes:
    """The content of a file, if it is what the list says.

    Raises:
        AnswerError: when it is not.
    """
    data = _find_file_content(uri, result)
    listed = find_listed_file(skill, uri)
    if listed is not None:
        _check_digest(listed, data)
    if uri == skill.uri:
        _check_frontmatter(skill, data)
    return data


def _find_file_content(uri: str, result: ResourceResult) -> bytes:
    for part in result.contents:
        if isinstance(part, TextResourceContents) and part.uri == uri:
            return part.text.encode()
        if isinstance(part, BlobResourceContents) and part.uri == uri:
            return part.blob
    raise AnswerError(f"The server's answer does not hold {uri}")


def _check_digest(listed: SkillFileInfo, data: bytes) -> None:
    if len(data) != listed.size:
        raise AnswerError(f"{listed.uri} has {len(data)} bytes instead of {listed.size}, as listed")
    if f"sha256:{sha256(data).hexdigest()}" != listed.digest:
        raise AnswerError(f"{listed.uri} does not have the digest that is listed")


def _check_frontmatter(skill: SkillInfo, data: bytes) -> None:
    from paddock.authoring.frontmatter_parser import parse_frontmatter  # noqa: PLC0415 - reads YAML

    try:
        frontmatter = parse_frontmatter(data, skill.uri)
    except DefinitionError as error:
        raise AnswerError(str(error)) from None
    different_keys = sorted(
        key
        for key in {*frontmatter, *skill.frontmatter}
        if frontmatter.get(key) != skill.frontmatter.get(key)
    )
    if different_keys:
        fields = ", ".join(different_keys)
        raise AnswerError(f"The frontmatter of {skill.uri} is not what is listed: {fields}")


T = TypeVar("T", bound=Struct)
MAX_PAGES = 1000
"""Pages of a list that are read; a server that has more does not mean it."""


class OpenConnection(Struct):
    """The parts of an open connection."""

    connection: ClientConnection
    notification_queue: NotificationQueue
    meta_builder: RequestMetaBuilder
    answer_request: AnswerRequest
    transcript: Transcript
    mirrors_arguments: bool = False
    """Whether requests repeat some arguments of tools in HTTP headers."""


class Peer:
    """A server that we are connected to. Made by `connect`; a context manager that closes it."""

    def __init__(
        self, open_connection: OpenConnection, handshake_result: HandshakeResult, timeout: float
    ) -> None:
        self._open_connection = open_connection
        self._handshake_result = handshake_result
        self._timeout = timeout
        self.protocol_version = handshake_result.version
        self.server_info = handshake_result.server_info
        self.server_capabilities = handshake_result.capabilities
        self.instructions = handshake_result.instructions
        self.transcript = open_connection.transcript
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
        return Peer(self._open_connection, self._handshake_result, seconds)

    def tools(self) -> list[results.ToolInfo]:
        """All tools, from all pages; without those that cannot be called over HTTP as they are."""
        tools = self._list_items("tools/list", "tools", results.ToolInfo)
        return (
            [tool for tool in tools if _has_valid_header_parameters(tool)]
            if self._open_connection.mirrors_arguments
            else tools
        )

    def call(
        self, name: str, arguments: Mapping[str, object] | None = None, /, **named: object
    ) -> results.ToolResult:
        """Call a tool. A tool that fails gives a result with `is_error`.

        Raises:
            PeerError: when there is no such tool, or the server cannot answer.
        """
        params: Json = {"name": name, "arguments": {**(arguments or {}), **named}}
        return results.parse_tool_result(self.request("tools/call", params))

    def prompts(self) -> list[results.PromptInfo]:
        """All prompts, from all pages."""
        return self._list_items("prompts/list", "prompts", results.PromptInfo)

    def prompt(
        self, name: str, arguments: Mapping[str, str] | None = None, /, **named: str
    ) -> results.PromptResult:
        """The messages of a prompt."""
        params: Json = {"name": name, "arguments": {**(arguments or {}), **named}}
        return results.parse_prompt_result(self.request("prompts/get", params))

    def resources(self) -> list[results.ResourceInfo]:
        """All resources, from all pages."""
        return self._list_items("resources/list", "resources", results.ResourceInfo)

    def templates(self) -> list[results.TemplateInfo]:
        """All resource templates, from all pages."""
        method = "resources/templates/list"
        return self._list_items(method, "resourceTemplates", results.TemplateInfo)

    def read(self, uri: str) -> results.ResourceResult:
        """The contents of a resource."""
        return results.parse_resource_result(self.request("resources/read", {"uri": uri}))

    def skills(self) -> list[SkillInfo]:
        """All skills, from all pages; none of their files is read."""
        return self._list_items("skills/list", "skills", SkillInfo)

    def skill_file(self, skill: SkillInfo, uri: str | None = None) -> bytes:
        """A file of a skill, its SKILL.md unless said otherwise.

        Raises:
            AnswerError: when size, digest or frontmatter are not what was listed.
        """
        wanted = skill.uri if uri is None else uri
        find_listed_file(skill, wanted)
        return verify_skill_file(skill, wanted, self.read(wanted))

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
            ref = {"type": "ref/resource", "uri": ref} if is_uri else _make_prompt_reference(ref)
        params: Json = {"ref": ref, "argument": {"name": argument, "value": value}}
        if context is not None:
            params["context"] = {"arguments": dict(context)}
        return results.parse_completion(self.request("completion/complete", params))

    def ping(self) -> None:
        """Ask for a sign of life. In sessions only."""
        self._require_session_era("ping", "use server/discover")
        self.request("ping")

    def subscribe(self, uri: str) -> None:
        """Ask to be notified of a resource's updates. In sessions only."""
        self._require_session_era("resources/subscribe", "use listen")
        self.request("resources/subscribe", {"uri": uri})

    def unsubscribe(self, uri: str) -> None:
        """Ask to be notified no longer. In sessions only."""
        self._require_session_era("resources/unsubscribe", "close what listen has returned")
        self.request("resources/unsubscribe", {"uri": uri})

    def listen(
        self,
        *,
        tools: bool = False,
        prompts: bool = False,
        resources: bool = False,
        uris: list[str] | None = None,
    ) -> Subscription:
        """Ask to be notified of changes of lists and of resources. In the stateless era only."""
        if not self._open_connection.meta_builder.is_stateless:
            raise self._make_unknown_method_error(
                LISTEN, "a session is told of changes; use subscribe for resources"
            )
        kinds = {"tools": tools, "prompts": prompts, "resources": resources}
        uri: Json = {f"{kind}ListChanged": True for kind, is_on in kinds.items() if is_on}
        if uris:
            uri["resourceSubscriptions"] = uris
        params = self._open_connection.meta_builder.add_meta(LISTEN, {"notifications": uri})
        subscription = Subscription(self._open_connection.connection, params)
        subscription.wait_for_acknowledgement(self._timeout)
        return subscription

    def set_log_level(self, level: LoggingLevel) -> None:
        """Ask for log messages of this level and above, from now on."""
        if level not in LOGGING_LEVELS:
            raise PeerError(f"No such log level: {level!r}", rpc_code=INVALID_PARAMS)
        if self._open_connection.meta_builder.is_stateless:
            self._open_connection.meta_builder.log_level = level
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
        """The items of a list method as they are, from all its pages within the timeout."""
        items: list[Json] = []
        cursors: set[str] = set()
        params: Json = {}
        deadline = monotonic() + self._timeout
        for _ in range(MAX_PAGES):
            remaining_seconds = deadline - monotonic()
            if remaining_seconds <= 0:
                raise PeerTimeoutError(f"Not all pages of {method} within {self._timeout:g} s")
            result = self.request(method, params, timeout=remaining_seconds)
            items += results.convert_result(list[Json], result.get(key), method)
            cursor = results.convert_result(str | None, result.get("nextCursor"), method)  # type: ignore[arg-type]  # a union is a type to msgspec
            if cursor is None:
                return items
            if cursor in cursors:
                raise AnswerError(f"{method} gives the same page again and again: {cursor!r}")
            cursors.add(cursor)
            params = {"cursor": cursor}
        raise AnswerError(f"{method} has more than {MAX_PAGES} pages")

    def start(
        self, method: str, params: Json | None = None, *, answers_questions: bool = True
    ) -> PendingCall:
        """Send a request without waiting for its answer.

        A server of the stateless era may answer with questions. They are put to the callbacks and
        the request is repeated, unless `answers_questions` says that the caller sees to it.
        """
        open_connection = self._open_connection
        params_with_meta = open_connection.meta_builder.add_meta(method, params or {})
        is_asked = open_connection.meta_builder.is_stateless and answers_questions
        respond = open_connection.answer_request if is_asked else None
        return PendingCall(
            open_connection.connection,
            open_connection.notification_queue,
            method,
            params_with_meta,
            timeout=self._timeout,
            respond=respond,
        )

    def notify(self, method: str, params: Json | None = None) -> None:
        """Send a notification."""
        self._open_connection.connection.notify(method, params)

    def when_ended(self, callback: Callable[[str], object]) -> None:
        """Call a function, which must not block, with the reason when the connection has ended."""
        try:
            self._open_connection.connection.add_waiter(_EndWaiter(callback))
        except ConnectError as error:
            callback(error.message)

    def close(self) -> None:
        """End the connection, and with it a server that was started for it."""
        self._open_connection.connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _list_items(self, method: str, key: str, kind: type[T]) -> list[T]:
        return results.convert_result(list[kind], self.pages(method, key), method)  # type: ignore[valid-type]  # the type is a value here

    def _require_session_era(self, method: str, alternative: str) -> None:
        if self._open_connection.meta_builder.is_stateless:
            raise self._make_unknown_method_error(method, alternative)

    def _make_unknown_method_error(self, method: str, alternative: str) -> PeerError:
        text = f"{method} does not exist in protocol version {self.protocol_version}"
        return PeerError(text, rpc_code=METHOD_NOT_FOUND, hint=alternative)


class _EndWaiter:
    """Waits for an answer that never comes, and so is told when none can come any more."""

    def __init__(self, callback: Callable[[str], object]) -> None:
        self._callback = callback

    def resolve(self, outcome: CallOutcome) -> None:
        self._callback(str(outcome))


def _make_prompt_reference(name: str) -> Json:
    return {"type": "ref/prompt", "name": name}


def _has_valid_header_parameters(tool: results.ToolInfo) -> bool:
    try:
        find_header_parameters(tool.input_schema, tool.name)
    except DefinitionError:
        return False  # the channel has logged why
    return True
