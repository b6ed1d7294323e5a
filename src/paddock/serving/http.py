"""Serving over HTTP: an offering joined to the HTTP transport, on our own server or on another's.

The server's lifespan is entered once for the process, before the first request, and not for each
connection as on stdio: what it yields is shared by all clients. Where lists may be answered before
that, as with the initialization of a named server, it is entered while the server listens.
"""

from __future__ import annotations

import asyncio
import sys
from _thread import start_new_thread
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from paddock.authoring.handler_errors import log_failure
from paddock.authoring.lifespans import combine_lifespans
from paddock.authoring.methods import ServerMethods
from paddock.errors import DefinitionError, LoadError
from paddock.serving.loader import Reloader
from paddock.telemetry.logs import format_announcement
from paddock.telemetry.settings import apply_logging_environment, make_observers
from paddock.transports.http.asgi import AsgiApp
from paddock.transports.http.origin_policy import HostOriginPolicy, is_loopback_host
from paddock.transports.http.service import HttpService

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable, Iterable, Iterator

    from paddock.authoring.base_server import BaseServer
    from paddock.protocol.observers import RequestObserver
    from paddock.serving.server_source import ServerSource
    from paddock.transports.http.messages import Authorizer, Limits
    from paddock.transports.http.server import HttpServer

NULL_CONTEXT: AbstractContextManager[None] = nullcontext()
WILDCARD_HOSTS = frozenset({"0.0.0.0", "::", ""})  # noqa: S104 - recognised, to be refused


class HttpOptions(TypedDict, total=False):
    """What can be said about serving over HTTP."""

    path: str
    """Where the endpoint is; `/mcp` unless said otherwise."""
    allowed_hosts: Iterable[str]
    """Hosts that requests may name, besides this machine's own; `*` for any."""
    allowed_origins: Iterable[str]
    """Origins whose web pages may use the endpoint, besides this machine's own; `*` for any."""
    authorization: Authorizer | None
    """Who may use it; the server's own when left out."""
    limits: Limits | None
    observers: Iterable[RequestObserver]
    """Told of each request, besides those for spans and logs."""


class HttpLifespan:
    """The time in which an offering is served over HTTP."""

    def __init__(
        self, offering: BaseServer, service: HttpService, observers: Iterable[RequestObserver] = ()
    ) -> None:
        self._server = offering
        self._service = service
        self._observers = tuple(observers)
        self._lifespan: Any = None
        self._enter_task: asyncio.Task[None] | None = None

    async def begin(self, beginning: AbstractContextManager[None] = NULL_CONTEXT) -> None:
        """Enter the offering's lifespan, within `beginning` if it may wait; then answer."""
        offering, loop = self._server, asyncio.get_running_loop()
        state = None
        if offering.can_list_before_lifespan:
            self._service.hold_calls()
            self._enter_task = loop.create_task(self._enter_in_background())
        elif offering.lifespan is not None:
            lifespan = offering.lifespan(offering)
            if hasattr(lifespan, "__aenter__"):
                with beginning:
                    state = await lifespan.__aenter__()
            else:
                state = lifespan.__enter__()
            self._lifespan = lifespan  # only what was entered is left
        observers = make_observers(offering.tracing, is_http=True)
        self._service.bind_loop(loop, state, [*observers, *self._observers])
        offering.add_connection(self._service.announce_change, self._service.close_streams)

    async def _enter_in_background(self) -> None:
        """Enter the lifespan while lists are answered; a plain one in a thread of its own."""
        lifespan: Any = combine_lifespans(self._server)
        try:
            if hasattr(lifespan, "__aenter__"):
                state = await lifespan.__aenter__()
            else:
                state = await _run_in_thread(lifespan.__enter__)
        except Exception as error:  # noqa: BLE001 - whatever it is, clients must be told
            reason = f"The server could not be started: {type(error).__name__}: {error}"
            log_failure(error, reason)
            self._service.fail_startup(reason)
            return
        self._lifespan = lifespan
        self._service.release_calls(state)

    async def end(self) -> None:
        """Let what is under way finish, and leave the lifespan."""
        await self._service.drain()
        self._service.close()
        await self.exit_lifespan()

    async def exit_lifespan(self) -> None:
        """Leave the lifespan, once nobody uses what it has yielded any more."""
        entering, self._enter_task = self._enter_task, None
        if entering is not None:
            entering.cancel()
            await asyncio.wait([entering])
        await self._service.wait_for_cleanup()
        self._server.remove_connection(self._service.announce_change)
        lifespan, self._lifespan = self._lifespan, None
        if lifespan is None:
            return
        if hasattr(lifespan, "__aexit__"):
            await lifespan.__aexit__(None, None, None)
        else:
            lifespan.__exit__(None, None, None)


def _run_in_thread(function: Callable[[], Any]) -> asyncio.Future[Any]:
    """What a function returns that may take its time; when the process ends, it does not matter."""
    loop = asyncio.get_running_loop()
    outcome = loop.create_future()

    def settle(value: Any, error: BaseException | None) -> None:
        if outcome.done():  # nobody waits for it any more
            return
        if error is None:
            outcome.set_result(value)
        else:
            outcome.set_exception(error)

    def run() -> None:
        value, fault = None, None
        try:
            value = function()
        except BaseException as error:  # noqa: BLE001 - passed on to whoever waits
            fault = error
        with suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(settle, value, fault)

    start_new_thread(run, ())
    return outcome


def http_app(server: BaseServer, **options: Unpack[HttpOptions]) -> AsgiApp:
    """A server as an ASGI application, to be run by any ASGI server or mounted in another.

    See `HttpOptions` for the keyword arguments.
    """
    service = _create_service(server, options)
    if service.runtime.authorization is not None:
        _ = service.runtime.authorization.resource  # nobody but its author can say it here
    return AsgiApp(service, HttpLifespan(server, service, options.get("observers", ())))


def serve_http(
    offering: BaseServer,
    address: str,
    *,
    tls: ssl.SSLContext | None = None,
    **options: Unpack[HttpOptions],
) -> None:
    """Serve an offering on an address until a signal, or `Server.stop`, ends it.

    Raises:
        ListenError: when the address cannot be had.
        DefinitionError: when it is none, or is open to others without saying to whom.
    """
    http_server = _import_http_server()
    host, port = http_server.parse_address(address)
    options["allowed_hosts"] = _get_allowed_hosts(host, options.get("allowed_hosts", ()))
    service = _create_service(offering, options)
    life = HttpLifespan(offering, service, options.get("observers", ()))

    async def serve() -> None:
        server = http_server.HttpServer(service, host, port, tls)
        try:
            await life.begin(_allow_stop(server))
        except asyncio.CancelledError:
            if server.is_stopped:
                return
            raise
        try:
            with server.handle_signals():
                await answer(server)
        finally:
            await life.exit_lifespan()

    async def answer(server: HttpServer) -> None:
        loop = asyncio.get_running_loop()
        offering.add_connection(
            service.announce_change, partial(loop.call_soon_threadsafe, server.stop)
        )
        await server.start()
        url = _build_url(host, server.port, service.path, is_secure=tls is not None)
        if service.runtime.authorization is not None:
            service.runtime.authorization.bind(url)
        sys.stderr.write(format_announcement(f"Serving {offering.name} at {url}") + "\n")
        sys.stderr.flush()
        await server.serve()

    with asyncio.Runner(loop_factory=_get_loop_factory()) as runner:
        runner.run(serve())


@contextmanager
def _allow_stop(server: HttpServer) -> Iterator[None]:
    """A lifespan that waits for something can be told to give up."""
    with server.handle_signals(), server.cancel_startup_on_stop():
        yield


def serve_target_http(
    target: ServerSource, address: str, *, reload: bool = False, **options: Unpack[HttpOptions]
) -> None:
    """Serve what a target holds.

    Raises:
        LoadError: when it cannot be loaded.
    """
    apply_logging_environment()
    reloader = Reloader(target) if reload else None
    offering = target.load()
    if reloader is not None:
        reloader.start(ReplaceableServer(offering))
    serve_http(offering, address, **options)


class ReplaceableServer:
    """An offering that takes over what its files hold now."""

    def __init__(self, offering: BaseServer) -> None:
        self._server = offering

    def replace_server(self, offering: BaseServer) -> None:
        """Put a newly loaded offering in its place."""
        self._server.update_from(offering)


def _create_service(offering: BaseServer, options: HttpOptions) -> HttpService:
    apply_logging_environment()
    guard = HostOriginPolicy(options.get("allowed_hosts", ()), options.get("allowed_origins", ()))
    return HttpService(
        ServerMethods(offering),
        guard,
        path=options.get("path", "/mcp"),
        limits=options.get("limits"),
        authorization=options.get("authorization", offering.authorization),
    )


def _get_allowed_hosts(host: str, allowed: Iterable[str]) -> list[str]:
    """The hosts that requests to an address may name."""
    hosts = [allowed] if isinstance(allowed, str) else list(allowed)
    if host in WILDCARD_HOSTS and not hosts:
        raise DefinitionError(
            f"serving on {host!r} lets every network in, but allowed_hosts names nobody",
            hint="name the hosts that clients will use (on the command line --allowed-host), or *",
        )
    return (
        hosts if host in WILDCARD_HOSTS or is_loopback_host(host) else [*hosts, _bracket_ipv6(host)]
    )


def _build_url(host: str, port: int, path: str, *, is_secure: bool) -> str:
    return f"{'https' if is_secure else 'http'}://{_bracket_ipv6(host)}:{port}{path}"


def _bracket_ipv6(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _import_http_server() -> Any:
    try:
        from paddock.transports.http import server  # noqa: PLC0415 - of an extra
    except ImportError as error:
        raise LoadError(
            f"Serving over HTTP needs {error.name}", hint="pip install 'paddock[http]'"
        ) from None
    return server


def _get_loop_factory() -> Any:
    try:
        import uvloop  # noqa: PLC0415 - of an extra, and not on every platform
    except ImportError:
        return None
    return uvloop.new_event_loop
