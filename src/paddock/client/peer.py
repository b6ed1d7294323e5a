"""`Peer`, the connection to an MCP server and its requests.

Methods block until the answer arrives. Multiple threads may use the same peer.
"""

from __future__ import annotations

from hashlib import sha256
from time import monotonic
from typing import TYPE_CHECKING, Literal, Self, TypeVar

from msgspec import Struct

from paddock.authoring.frontmatter import parse_frontmatter
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
    """A file of a skill in the server's list."""

    uri: str
    digest: str
    size: int


class SkillInfo(Struct):
    """A skill in the server's list."""

    uri: str
    frontmatter: Json
    resources: list[SkillFileInfo] | Literal["dynamic"]
    """The skill's files, or "dynamic" if the server does not publish digests for them."""


def _find_listed_file(skill: SkillInfo, uri: str) -> SkillFileInfo | None:
    """Return the size and digest that a server lists for a skill file.

    Returns None if the server does not list this skill's files, because they are dynamic.

    Args:
        skill: The skill as the server lists it.
        uri: The URI of the file.

    Raises:
        AnswerError: The skill does not list the file.
    """
    if not isinstance(skill.resources, list):
        return None
    for file in skill.resources:
        if file.uri == uri:
            return file
    raise AnswerError(f"{uri} is not a file of the skill {skill.uri}")


def _find_file_content(uri: str, result: ResourceResult) -> bytes:
    for part in result.contents:
        if isinstance(part, TextResourceContents) and part.uri == uri:
            return part.text.encode()
        if isinstance(part, BlobResourceContents) and part.uri == uri:
            return part.blob
    raise AnswerError(f"The server's answer does not contain {uri}")


def _check_digest(listed: SkillFileInfo, data: bytes) -> None:
    if len(data) != listed.size:
        raise AnswerError(f"{listed.uri} has {len(data)} bytes; the list says {listed.size}")
    if f"sha256:{sha256(data).hexdigest()}" != listed.digest:
        raise AnswerError(f"The digest of {listed.uri} differs from the listed one")


def _check_frontmatter(skill: SkillInfo, data: bytes) -> None:
    """Check that a SKILL.md's frontmatter is the one that the server lists.

    Args:
        skill: The skill as the server lists it.
        data: The content of its SKILL.md.

    Raises:
        AnswerError: The frontmatter is invalid or differs from the list.
    """
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
        raise AnswerError(f"The frontmatter of {skill.uri} differs from the listed one: {fields}")


T = TypeVar("T", bound=Struct)
MAX_PAGES = 1000
"""Maximum number of pages to read from a list, in case a server returns new cursors forever."""


class OpenConnection(Struct):
    """The parts of an open connection, shared by the peers that `Peer.with_timeout` returns."""

    connection: ClientConnection
    notification_queue: NotificationQueue
    meta_builder: RequestMetaBuilder
    answer_request: AnswerRequest
    """Calls the callback that answers a question from the server."""
    transcript: Transcript
    """The recorded messages. It remains empty unless the connection is recorded."""
    mirrors_arguments: bool = False
    """Whether requests repeat annotated tool arguments in HTTP headers."""


class Peer:
    """A connection to an MCP server, as returned by `connect`.

    Methods block until the server answers, for at most the peer's timeout. As a context manager,
    the peer closes the connection at the end of the block.
    """

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
        """Every message so far if the connection is recorded; otherwise empty."""

    @property
    def sent(self) -> list[bytes]:
        """The messages that the client sent, if the connection is recorded."""
        return self.transcript.sent

    @property
    def received(self) -> list[bytes]:
        """The messages that the server sent, if the connection is recorded."""
        return self.transcript.received

    def with_timeout(self, seconds: float) -> Peer:
        """Return a peer for the same connection with a different timeout, in seconds."""
        return Peer(self._open_connection, self._handshake_result, seconds)

    within = with_timeout  # the public name

    def tools(self) -> list[results.ToolInfo]:
        """List the tools from all pages.

        Over stateless HTTP, tools with invalid header annotations are left out, because they cannot
        be called.
        """
        tools = self._list_items("tools/list", "tools", results.ToolInfo)
        if not self._open_connection.mirrors_arguments:
            return tools
        return [tool for tool in tools if _has_valid_header_parameters(tool)]

    def call(
        self, name: str, arguments: Mapping[str, object] | None = None, /, **named: object
    ) -> results.ToolResult:
        """Call a tool. If the tool fails, the result has `is_error` set.

        Raises:
            PeerError: The tool does not exist, or the server cannot answer.
        """
        params: Json = {"name": name, "arguments": {**(arguments or {}), **named}}
        return results.parse_tool_result(self.request("tools/call", params))

    def prompts(self) -> list[results.PromptInfo]:
        """List the prompts from all pages."""
        return self._list_items("prompts/list", "prompts", results.PromptInfo)

    def prompt(
        self, name: str, arguments: Mapping[str, str] | None = None, /, **named: str
    ) -> results.PromptResult:
        """Return the messages of a prompt."""
        params: Json = {"name": name, "arguments": {**(arguments or {}), **named}}
        return results.parse_prompt_result(self.request("prompts/get", params))

    def resources(self) -> list[results.ResourceInfo]:
        """List the resources from all pages."""
        return self._list_items("resources/list", "resources", results.ResourceInfo)

    def templates(self) -> list[results.TemplateInfo]:
        """List the resource templates from all pages."""
        method = "resources/templates/list"
        return self._list_items(method, "resourceTemplates", results.TemplateInfo)

    def read(self, uri: str) -> results.ResourceResult:
        """Read a resource."""
        return results.parse_resource_result(self.request("resources/read", {"uri": uri}))

    def skills(self) -> list[SkillInfo]:
        """List the skills from all pages, without reading their files."""
        return self._list_items("skills/list", "skills", SkillInfo)

    def skill_file(self, skill: SkillInfo, uri: str | None = None) -> bytes:
        """Read and verify a skill file, by default the SKILL.md.

        Raises:
            AnswerError: The size, the digest or the frontmatter differs from the list.
        """
        file_uri = skill.uri if uri is None else uri
        listed_file = _find_listed_file(skill, file_uri)
        data = _find_file_content(file_uri, self.read(file_uri))
        if listed_file is not None:
            _check_digest(listed_file, data)
        if file_uri == skill.uri:
            _check_frontmatter(skill, data)
        return data

    def complete(
        self,
        ref: str | Json,
        argument: str,
        value: str,
        context: Mapping[str, str] | None = None,
    ) -> results.Completion:
        """Return completions for an argument that begins with `value`.

        Args:
            ref: A prompt name, a resource template (recognized by its `://`), or a protocol
                reference object.
            argument: The name of the argument to complete.
            value: The text typed so far.
            context: Arguments that already have values.
        """
        if isinstance(ref, str):
            if "://" in ref:
                ref = {"type": "ref/resource", "uri": ref}
            else:
                ref = {"type": "ref/prompt", "name": ref}
        params: Json = {"ref": ref, "argument": {"name": argument, "value": value}}
        if context is not None:
            params["context"] = {"arguments": dict(context)}
        return results.parse_completion(self.request("completion/complete", params))

    def ping(self) -> None:
        """Check that the server responds. Only in sessions."""
        self._require_session_era("ping", "use server/discover")
        self.request("ping")

    def subscribe(self, uri: str) -> None:
        """Subscribe to updates of a resource. Only in sessions."""
        self._require_session_era("resources/subscribe", "use listen()")
        self.request("resources/subscribe", {"uri": uri})

    def unsubscribe(self, uri: str) -> None:
        """End the subscription to a resource. Only in sessions."""
        self._require_session_era("resources/unsubscribe", "close the subscription from listen()")
        self.request("resources/unsubscribe", {"uri": uri})

    def listen(
        self,
        *,
        tools: bool = False,
        prompts: bool = False,
        resources: bool = False,
        uris: list[str] | None = None,
    ) -> Subscription:
        """Subscribe to changes to the server's lists and resources.

        This requires a stateless version of the protocol. In a session, servers report list changes
        without a subscription, and `subscribe` watches a resource.

        Args:
            tools: Report changes to the list of tools.
            prompts: Report changes to the list of prompts.
            resources: Report changes to the list of resources.
            uris: The resources whose contents to watch.

        Raises:
            PeerError: The connection has a session, or the server rejected the subscription.
            PeerTimeoutError: The server did not acknowledge the subscription in time.
        """
        if not self._open_connection.meta_builder.is_stateless:
            raise self._make_unknown_method_error(
                LISTEN, "a session reports list changes unasked; use subscribe() for resources"
            )
        kinds = {"tools": tools, "prompts": prompts, "resources": resources}
        filters: Json = {f"{kind}ListChanged": True for kind, is_on in kinds.items() if is_on}
        if uris:
            filters["resourceSubscriptions"] = uris
        params = self._open_connection.meta_builder.add_meta(LISTEN, {"notifications": filters})
        subscription = Subscription(self._open_connection.connection, params)
        subscription.wait_for_acknowledgement(self._timeout)
        return subscription

    def set_log_level(self, level: LoggingLevel) -> None:
        """Request log messages at this level and above from now on."""
        if level not in LOGGING_LEVELS:
            raise PeerError(
                f"Unknown log level {level!r}; expected one of {', '.join(LOGGING_LEVELS)}",
                rpc_code=INVALID_PARAMS,
            )
        if self._open_connection.meta_builder.is_stateless:
            self._open_connection.meta_builder.log_level = level
        else:
            self.request("logging/setLevel", {"level": level})

    def request(
        self, method: str, params: Json | None = None, *, timeout: float | None = None
    ) -> Json:
        """Send a request and return its result object unchanged.

        Raises:
            PeerError: The server answered with an error.
            PeerTimeoutError: No answer arrived in time. The server is asked to cancel the request.
            ConnectError: The connection has ended.
        """
        call = self.start(method, params)
        try:
            return call.result(timeout)
        except PeerTimeoutError:
            call.cancel("no answer in time")
            raise

    def pages(self, method: str, key: str) -> list[Json]:
        """Return the raw items from all pages of a list method.

        The peer's timeout applies to all pages together.

        Args:
            method: A list method such as `tools/list`.
            key: The result member that contains the items.

        Raises:
            AnswerError: The server repeats a cursor or never stops returning pages.
            PeerTimeoutError: The pages did not arrive in time.
        """
        items: list[Json] = []
        cursors: set[str] = set()
        params: Json = {}
        deadline = monotonic() + self._timeout
        for _ in range(MAX_PAGES):
            remaining_seconds = deadline - monotonic()
            if remaining_seconds <= 0:
                raise PeerTimeoutError(
                    f"Not all pages of {method} arrived within {self._timeout:g} s"
                )
            result = self.request(method, params, timeout=remaining_seconds)
            items += results.convert_result(list[Json], result.get(key), method)
            cursor = results.convert_result(str | None, result.get("nextCursor"), method)  # type: ignore[arg-type]  # a union is a type to msgspec
            if cursor is None:
                return items
            if cursor in cursors:
                raise AnswerError(f"{method} returned the cursor {cursor!r} twice")
            cursors.add(cursor)
            params = {"cursor": cursor}
        raise AnswerError(f"{method} has more than {MAX_PAGES} pages")

    def start(
        self, method: str, params: Json | None = None, *, answers_questions: bool = True
    ) -> PendingCall:
        """Send a request and return without waiting for its answer.

        Args:
            method: The request method.
            params: The request parameters, to which the peer adds its own `_meta`.
            answers_questions: Pass a stateless server's questions to the callbacks and repeat the
                request with their answers. If False, the caller does both.
        """
        open_connection = self._open_connection
        params_with_meta = open_connection.meta_builder.add_meta(method, params or {})
        calls_back = open_connection.meta_builder.is_stateless and answers_questions
        answer_request = open_connection.answer_request if calls_back else None
        return PendingCall(
            open_connection.connection,
            open_connection.notification_queue,
            method,
            params_with_meta,
            timeout=self._timeout,
            answer_request=answer_request,
        )

    def notify(self, method: str, params: Json | None = None) -> None:
        """Send a notification."""
        self._open_connection.connection.notify(method, params)

    def when_ended(self, callback: Callable[[str], object]) -> None:
        """Call `callback` with the reason when the connection ends. It must not block."""
        try:
            self._open_connection.connection.add_waiter(_EndWaiter(callback))
        except ConnectError as error:  # The connection ended before the callback was registered.
            callback(error.message)

    def close(self) -> None:
        """Close the connection. If a server process was started for it, that ends too."""
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
    """Calls a function with the reason when the connection ends.

    It is registered as the waiter for a request that is never sent. When the connection ends, it
    resolves all waiters with an error.
    """

    def __init__(self, callback: Callable[[str], object]) -> None:
        self._callback = callback

    def resolve(self, outcome: CallOutcome) -> None:
        self._callback(str(outcome))


def _has_valid_header_parameters(tool: results.ToolInfo) -> bool:
    try:
        find_header_parameters(tool.input_schema, tool.name)
    except DefinitionError:
        return False  # The channel has logged the reason.
    return True
