"""Serving over HTTP, with Paddock's own HTTP server or as an ASGI application.

On stdio, a server's lifespan is entered for its only connection. Over HTTP it is entered once per
process, before the first request, and all clients share the value that it yields. A server whose
lists do not need the lifespan, such as a named server with an initialization, is already listening
while the lifespan is being entered.
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
WILDCARD_HOSTS = frozenset({"0.0.0.0", "::", ""})  # noqa: S104 - compared with, not bound to


class HttpOptions(TypedDict, total=False):
    """Options for serving over HTTP."""

    path: str
    """Path of the endpoint, `/mcp` by default."""
    allowed_hosts: Iterable[str]
    """Host names that requests may use, in addition to those of this machine; `*` for any."""
    allowed_origins: Iterable[str]
    """Origins whose pages may send requests, in addition to those of this machine; `*` for any."""
    authorization: Authorizer | None
    """Access control; by default, the server's own."""
    limits: Limits | None
    observers: Iterable[RequestObserver]
    """Notified of each request, in addition to the observers for spans and logs."""


class HttpLifespan:
    """The lifespan of a server that is served over HTTP, shared by all clients.

    A lifespan is a context manager defined by the server's author. It is entered before the first
    call, and exited when the server ends.
    """

    def __init__(
        self, server: BaseServer, service: HttpService, observers: Iterable[RequestObserver] = ()
    ) -> None:
        self._server = server
        self._service = service
        self._observers = tuple(observers)
        self._lifespan: Any = None
        self._enter_task: asyncio.Task[None] | None = None

    async def begin(self, entering: AbstractContextManager[None] = NULL_CONTEXT) -> None:
        """Enter the lifespan defined by the server's author, and start answering requests.

        Args:
            entering: A context that is active while an asynchronous lifespan is entered. The HTTP
                server passes one that lets a signal cancel the start.
        """
        server, loop = self._server, asyncio.get_running_loop()
        state = None
        if server.can_list_before_lifespan:
            # Lists are answered immediately, but calls wait until `release_calls`.
            self._service.hold_calls()
            self._enter_task = loop.create_task(self._enter_in_background())
        else:
            lifespan: Any = combine_lifespans(server)
            if hasattr(lifespan, "__aenter__"):
                with entering:
                    state = await lifespan.__aenter__()
            elif lifespan is not None:
                state = lifespan.__enter__()
            # If entering failed, this is not reached, so the lifespan will not be exited.
            self._lifespan = lifespan
        observers = make_observers(server.tracing, is_http=True)
        self._service.bind_loop(loop, state, [*observers, *self._observers])
        server.add_connection(self._service.announce_change, self._service.close_streams)

    async def _enter_in_background(self) -> None:
        """Enter the lifespan while list requests are already being answered.

        Calls wait until the lifespan has been entered. A synchronous lifespan is entered in a
        thread, where it cannot block the event loop. If this fails, all calls get an error.
        """
        lifespan: Any = combine_lifespans(self._server)
        state = None
        try:
            if hasattr(lifespan, "__aenter__"):
                state = await lifespan.__aenter__()
            elif lifespan is not None:
                state = await _run_in_thread(lifespan.__enter__)
        except Exception as error:  # noqa: BLE001 - any error must be reported to clients
            reason = f"The server could not be started: {type(error).__name__}: {error}"
            log_failure(error, reason)
            self._service.fail_startup(reason)
            return
        self._lifespan = lifespan
        self._service.release_calls(state)

    async def end(self) -> None:
        """Wait for calls in progress, and exit the lifespan."""
        await self._service.drain()
        self._service.close()
        await self.exit_lifespan()

    async def exit_lifespan(self) -> None:
        """Exit the lifespan after all handlers have ended, because they use its value."""
        enter_task, self._enter_task = self._enter_task, None
        if enter_task is not None:
            enter_task.cancel()
            await asyncio.wait([enter_task])
        # Handlers that are being cancelled may still use the lifespan's value.
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
    """Run a function in a daemon thread, and return a future with its result.

    Unlike the threads of `asyncio.to_thread`, which are joined at exit, this one never prevents the
    process from exiting, even if the function does not return.
    """
    loop = asyncio.get_running_loop()
    future = loop.create_future()

    def resolve_future(value: Any, error: BaseException | None) -> None:
        if future.done():  # The waiting task has been cancelled.
            return
        if error is None:
            future.set_result(value)
        else:
            future.set_exception(error)

    def run_function() -> None:
        value, raised_error = None, None
        try:
            value = function()
        except BaseException as error:  # noqa: BLE001 - raised again in the waiting task
            raised_error = error
        with suppress(RuntimeError):  # The event loop may already be closed.
            loop.call_soon_threadsafe(resolve_future, value, raised_error)

    start_new_thread(run_function, ())
    return future


def http_app(server: BaseServer, **options: Unpack[HttpOptions]) -> AsgiApp:
    """Return an ASGI application for a server, to be run by an ASGI server or mounted in an app.

    `HttpOptions` documents the keyword arguments.
    """
    service = _create_service(server, options)
    if service.runtime.authorization is not None:
        # The server's URL is unknown here, so the author must have set it as the authorization's
        # resource. Reading the property raises an error if it is missing.
        _ = service.runtime.authorization.resource
    return AsgiApp(service, HttpLifespan(server, service, options.get("observers", ())))


def serve_http(
    server: BaseServer,
    address: str,
    *,
    tls: ssl.SSLContext | None = None,
    **options: Unpack[HttpOptions],
) -> None:
    """Serve on an address until a signal arrives or `Server.stop` is called.

    Args:
        server: The server.
        address: The address to listen on, such as `127.0.0.1:8642`.
        tls: The TLS configuration. Without it, connections are not encrypted.
        **options: Other settings, as in `HttpOptions`.

    Raises:
        ListenError: The address is in use or unavailable.
        DefinitionError: The address is invalid, or open to a network without `allowed_hosts`.
    """
    http_server = _import_http_server()
    host, port = http_server.parse_address(address)
    options["allowed_hosts"] = _get_allowed_hosts(host, options.get("allowed_hosts", ()))
    service = _create_service(server, options)
    lifespan = HttpLifespan(server, service, options.get("observers", ()))

    url_prefix = f"{'http' if tls is None else 'https'}://{_bracket_ipv6(host)}"

    async def serve() -> None:
        listener = http_server.HttpServer(service, host, port, tls)
        try:
            await lifespan.begin(_allow_stop(listener))
        except asyncio.CancelledError:
            # `stop` cancels the task while it is entering the lifespan. This is a normal exit.
            if listener.is_stopped:
                return
            raise
        try:
            with listener.handle_signals():
                await _answer_requests(server, service, listener, url_prefix)
        finally:
            await lifespan.exit_lifespan()

    with asyncio.Runner(loop_factory=http_server.LOOP_FACTORY) as runner:
        runner.run(serve())


async def _answer_requests(
    server: BaseServer, service: HttpService, listener: HttpServer, url_prefix: str
) -> None:
    """Listen on the address, announce the URL on standard error, and serve until `stop` is called.

    Args:
        server: The server.
        service: The HTTP service that answers the server's requests.
        listener: The HTTP server, which is not listening yet.
        url_prefix: The URL without the port, such as `http://127.0.0.1`.
    """
    loop = asyncio.get_running_loop()
    stop_listener = partial(loop.call_soon_threadsafe, listener.stop)
    server.add_connection(service.announce_change, stop_listener)
    await listener.start()
    url = f"{url_prefix}:{listener.port}{service.path}"
    if service.runtime.authorization is not None:
        service.runtime.authorization.bind(url)
    sys.stderr.write(format_announcement(f"Serving {server.name} at {url}") + "\n")
    sys.stderr.flush()
    await listener.serve()


@contextmanager
def _allow_stop(listener: HttpServer) -> Iterator[None]:
    """Let a signal or `Server.stop` cancel a lifespan that is being entered."""
    with listener.handle_signals(), listener.cancel_startup_on_stop():
        yield


def serve_target_http(
    target: ServerSource, address: str, *, reload: bool = False, **options: Unpack[HttpOptions]
) -> None:
    """Load a target and serve it over HTTP.

    Args:
        target: The file or directory with the server.
        address: The address to serve, such as `127.0.0.1:8642`.
        reload: Watch the source files and reload them after changes.
        **options: Other settings, as in `HttpOptions`.

    Raises:
        LoadError: The target cannot be loaded.
    """
    apply_logging_environment()
    # The reloader records the state of the files, so it is created before they are loaded.
    reloader = Reloader(target) if reload else None
    server = target.load()
    if reloader is not None:
        reloader.start(server.update_from)
    serve_http(server, address, **options)


def _create_service(server: BaseServer, options: HttpOptions) -> HttpService:
    """Return the service that answers a server's HTTP requests."""
    apply_logging_environment()
    origin_policy = HostOriginPolicy(
        options.get("allowed_hosts", ()), options.get("allowed_origins", ())
    )
    return HttpService(
        ServerMethods(server),
        origin_policy,
        path=options.get("path", "/mcp"),
        limits=options.get("limits"),
        authorization=options.get("authorization", server.authorization),
    )


def _get_allowed_hosts(host: str, allowed: Iterable[str]) -> list[str]:
    """Return the host names that requests may contain in their `Host` header.

    Args:
        host: The host of the address to listen on.
        allowed: The host names allowed by the user.

    Raises:
        DefinitionError: The address is open to all networks, and no names are allowed.
    """
    hosts = [allowed] if isinstance(allowed, str) else list(allowed)
    if host in WILDCARD_HOSTS and not hosts:
        raise DefinitionError(
            f"serving on {host!r} accepts requests from every network, but allowed_hosts is empty",
            hint="list the host names that clients use (--allowed-host on the command line), or *",
        )
    if host in WILDCARD_HOSTS or is_loopback_host(host):
        return hosts
    return [*hosts, _bracket_ipv6(host)]


def _bracket_ipv6(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _import_http_server() -> Any:
    """Import Paddock's HTTP server, which needs an optional package."""
    try:
        from paddock.transports.http import server  # optional dependency
    except ImportError as error:
        raise LoadError(
            f"Serving over HTTP requires {error.name}", hint="pip install 'paddock[http]'"
        ) from None
    return server
