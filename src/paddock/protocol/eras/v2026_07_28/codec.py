"""The stateless era: every request says which version it speaks and what its client can do."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from msgspec import UNSET

from paddock.protocol.eras.contract import catalogue_methods
from paddock.protocol.eras.v2026_07_28 import discovery
from paddock.protocol.eras.v2026_07_28.listening import MAX_URIS
from paddock.protocol.errors import InvalidParamsError, UnsupportedVersionError
from paddock.protocol.jsonrpc import encode, encode_id, error_frame
from paddock.protocol.model.params import InputParams
from paddock.protocol.request import InputRequired
from paddock.protocol.versions import STATELESS_VERSIONS

if TYPE_CHECKING:
    from types import ModuleType

    from paddock.protocol.ask import Ask
    from paddock.protocol.eras.contract import Operations
    from paddock.protocol.eras.v2026_07_28.listening import Listeners
    from paddock.protocol.errors import ProtocolError
    from paddock.protocol.facts import Json, ServerFacts
    from paddock.protocol.jsonrpc import RequestId
    from paddock.protocol.model.params import ListenParams, Meta
    from paddock.protocol.request import (
        Detached,
        Operation,
        Request,
        Result,
        Support,
        Terms,
        Waitable,
    )

CACHEABLE = frozenset(
    {
        "server/discover",
        "tools/list",
        "prompts/list",
        "resources/list",
        "resources/templates/list",
        "resources/read",
        "skills/list",
        "skills/get",
    }
)


class StatelessEra:
    """The versions without sessions."""

    is_stateless = True

    def __init__(self, operations: Operations, listeners: Listeners) -> None:
        self._operations = operations
        self._listeners = listeners
        self.methods: dict[str, Operation] = {
            "server/discover": lambda _: discovery.discover(operations.facts),
            "subscriptions/listen": self._listen,
            **catalogue_methods(operations),
        }
        if self._facts.has("tasks"):
            for method in ("tasks/get", "tasks/update", "tasks/cancel"):
                self.methods[method] = self._about_task
        self._learn(self._facts)

    @property
    def _facts(self) -> ServerFacts:
        return self._operations.facts

    def _learn(self, facts: ServerFacts) -> None:
        """Prepare what is said about the server in every answer."""
        self._known = facts
        key = discovery.META_SERVER_INFO.encode()
        self._tail = b'"resultType":"complete","_meta":{"%b":%b}' % (key, encode(facts.info()))
        self._hints = facts.cache_hints()

    def enter(self, request: Request) -> None:
        """The version must be one of ours, and the client's capabilities declared."""
        meta = _meta(request)
        if meta.version not in STATELESS_VERSIONS:
            raise UnsupportedVersionError(str(meta.version), STATELESS_VERSIONS)
        if meta.capabilities is UNSET:
            raise InvalidParamsError(f"Missing params._meta[{discovery.META_CAPABILITIES!r}]")
        params = request.params
        if isinstance(params, InputParams) and params.request_state is not UNSET:
            _input_required().check(request, self._operations.state_key)

    def reply(self, request: Request, result: Result) -> bytes:
        """The result, marked complete, with who answered and how long it may be kept."""
        if self._known is not self._operations.facts:  # the server was loaded anew
            self._learn(self._operations.facts)
        if isinstance(result, dict):
            if request.method in CACHEABLE:
                result = {**self._hints, **result}
            body = encode(discovery.complete(result, self._facts))[1:-1]
        elif isinstance(result, tuple):
            head = b'{"jsonrpc":"2.0","id":%b,"result":{' % encode_id(request.id)
            return b"".join((head, *result, b",", self._tail, b"}}\n"))
        elif request.method in CACHEABLE:
            body = result + b"," + encode(self._hints)[1:-1] + b"," + self._tail
        else:
            body = result + b"," + self._tail if result else self._tail
        return b'{"jsonrpc":"2.0","id":%b,"result":{%b}}\n' % (encode_id(request.id), body)

    def error(self, request_id: RequestId, error: ProtocolError) -> bytes:
        """An error; the model's codes are this era's codes."""
        return error_frame(request_id, error)

    def input_required(self, request: Request, required: InputRequired) -> bytes:
        """Hand the questions to the client, which will repeat the request with its answers."""
        for ask in required.asks.values():
            ask.check(self.client_capabilities(request))
        result = _input_required().result(request, required, self._operations.state_key)
        body = discovery.complete(result, self._facts)
        return b'{"jsonrpc":"2.0","id":%b,"result":%b}\n' % (encode_id(request.id), encode(body))

    def ask(self, request: Request, asks: dict[str, Ask]) -> Json | Waitable:
        """The answers that came with the request.

        Raises:
            InputRequired: when some are still missing.
        """
        try:
            found: Json = _input_required().answers(request, asks, self._operations.state_key)
        except InputRequired:
            if request.task is None:
                raise
            return request.task.ask(asks)
        return found

    def task_terms(self, request: Request, support: Support) -> Terms | None:
        """Whether the client of a call can be given a task instead of a result."""
        if support == "forbidden" or not self._facts.has("tasks"):
            return None
        terms: Terms | None = _tasks().terms(request, support, self._operations.tasks)
        return terms

    def task_created(self, request: Request, task: Detached) -> bytes:
        """The answer to a call that goes on as a task."""
        body = discovery.complete(_tasks().created(task), self._facts)
        return b'{"jsonrpc":"2.0","id":%b,"result":%b}\n' % (encode_id(request.id), encode(body))

    def remembered(self, request: Request) -> object:
        """What travelled with the client since the handler last ran."""
        params = request.params
        if not isinstance(params, InputParams) or params.request_state is UNSET:
            return None
        kept: object = _input_required().state(request, self._operations.state_key)
        return kept

    def version(self, request: Request) -> str:
        """The version that the request names."""
        return str(_meta(request).version)

    def client_capabilities(self, request: Request) -> Json:
        """What the request declares."""
        declared = _meta(request).capabilities
        return declared if isinstance(declared, dict) else {}

    def client_info(self, request: Request) -> Json | None:
        """Who the request says it comes from."""
        info = _meta(request).client_info
        return info if isinstance(info, dict) else None

    def log_level(self, request: Request) -> str | None:
        """The level that the request asks for; without one it gets no log messages."""
        level = _meta(request).log_level
        return level if isinstance(level, str) and self._facts.has("logging") else None

    def _about_task(self, request: Request) -> Json:
        answer: Json = _tasks().METHODS[request.method](request, self._operations.tasks)
        return answer

    def _listen(self, request: Request) -> None:
        wanted = cast("ListenParams", request.params).notifications
        for uri in wanted.uris[:MAX_URIS]:
            self._operations.watch(uri)
        tasks = None
        if wanted.task_ids is not UNSET and self._facts.has("tasks"):
            _tasks().require(request)
            tasks = self._operations.tasks
        self._listeners.begin(request, self._facts, tasks)


def _input_required() -> ModuleType:
    from paddock.protocol.eras.v2026_07_28 import (  # noqa: PLC0415 - OpenSSL is 4 MB
        input_required,
    )

    return input_required


def _tasks() -> ModuleType:
    from paddock.protocol.eras.v2026_07_28 import tasks  # noqa: PLC0415 - few servers have any

    return tasks


def _meta(request: Request) -> Meta:
    if request.meta is None:
        raise InvalidParamsError(f"Missing params._meta[{discovery.META_VERSION!r}]")
    return request.meta
