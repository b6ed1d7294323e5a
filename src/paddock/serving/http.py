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

from paddock.authoring.failures import log_failure
from paddock.authoring.lifespans import together
from paddock.authoring.operations import CatalogueOperations
from paddock.errors import DefinitionError, LoadError
from paddock.serving.reloading import Reloader
from paddock.telemetry.logs import announcement
from paddock.telemetry.settings import apply_environment, observers_of
from paddock.transports.http.asgi import AsgiApp
from paddock.transports.http.guards import Guard, is_loopback
from paddock.transports.http.service import Service

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable, Iterable, Iterator

    from paddock.authoring.offering import Offering
    from paddock.protocol.observing import Observer
    from paddock.serving.loadable import Loadable
    from paddock.transports.http.contract import Authorization
    from paddock.transports.http.httpd import HttpServer
    from paddock.transports.http.limits import Limits

NOTHING_SPECIAL: AbstractContextManager[None] = nullcontext()
WILDCARDS = frozenset({"0.0.0.0", "::", ""})  # noqa: S104 - recognised, to be refused


class HttpOptions(TypedDict, total=False):
    """What can be said about serving over HTTP."""

    path: str
    """Where the endpoint is; `/mcp` unless said otherwise."""
    allowed_hosts: Iterable[str]
    """Hosts that requests may name, besides this machine's own; `*` for any."""
    allowed_origins: Iterable[str]
    """Origins whose web pages may use the endpoint, besides this machine's own; `*` for any."""
    authorization: Authorization | None
    """Who may use it; the server's own when left out."""
    limits: Limits | None
    observers: Iterable[Observer]
    """Told of each request, besides those for spans and logs."""


class Life:
    """The time in which an offering is served over HTTP."""

    def __init__(
        self, offering: Offering, service: Service, observers: Iterable[Observer] = ()
    ) -> None:
        self._offering = offering
        self._service = service
        self._observers = tuple(observers)
        self._lifespan: Any = None
        self._entering: asyncio.Task[None] | None = None

    async def begin(self, beginning: AbstractContextManager[None] = NOTHING_SPECIAL) -> None:
        """Enter the offering's lifespan, within `beginning` if it may wait; then answer."""
        offering, loop = self._offering, asyncio.get_running_loop()
        state = None
        if offering.lists_early:
            self._service.hold()
            self._entering = loop.create_task(self._enter_meanwhile())
        elif offering.lifespan is not None:
            lifespan = offering.lifespan(offering)
            if hasattr(lifespan, "__aenter__"):
                with beginning:
                    state = await lifespan.__aenter__()
            else:
                state = lifespan.__enter__()
            self._lifespan = lifespan  # only what was entered is left
        observers = observers_of(offering.tracing, is_http=True)
        self._service.bind(loop, state, [*observers, *self._observers])
        offering.attach(self._service.announce, self._service.hush)

    async def _enter_meanwhile(self) -> None:
        """Enter the lifespan while lists are answered; a plain one in a thread of its own."""
        lifespan: Any = together(self._offering)
        try:
            if hasattr(lifespan, "__aenter__"):
                state = await lifespan.__aenter__()
            else:
                state = await _in_thread(lifespan.__enter__)
        except Exception as error:  # noqa: BLE001 - whatever it is, clients must be told
            reason = f"The server could not be started: {type(error).__name__}: {error}"
            log_failure(error, reason)
            self._service.fail(reason)
            return
        self._lifespan = lifespan
        self._service.release(state)

    async def end(self) -> None:
        """Let what is under way finish, and leave the lifespan."""
        await self._service.drain()
        self._service.close()
        await self.leave()

    async def leave(self) -> None:
        """Leave the lifespan, once nobody uses what it has yielded any more."""
        entering, self._entering = self._entering, None
        if entering is not None:
            entering.cancel()
            await asyncio.wait([entering])
        await self._service.settle()
        self._offering.detach(self._service.announce)
        lifespan, self._lifespan = self._lifespan, None
        if lifespan is None:
            return
        if hasattr(lifespan, "__aexit__"):
            await lifespan.__aexit__(None, None, None)
        else:
            lifespan.__exit__(None, None, None)


def _in_thread(function: Callable[[], Any]) -> asyncio.Future[Any]:
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


def http_app(server: Offering, **options: Unpack[HttpOptions]) -> AsgiApp:
    """A server as an ASGI application, to be run by any ASGI server or mounted in another.

    See `HttpOptions` for the keyword arguments.
    """
    service = _service(server, options)
    if service.hub.authorization is not None:
        _ = service.hub.authorization.resource  # nobody but its author can say it here
    return AsgiApp(service, Life(server, service, options.get("observers", ())))


def serve_http(
    offering: Offering,
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
    httpd = _import_httpd()
    host, port = httpd.split_address(address)
    options["allowed_hosts"] = _hosts(host, options.get("allowed_hosts", ()))
    service = _service(offering, options)
    life = Life(offering, service, options.get("observers", ()))

    async def serve() -> None:
        server = httpd.HttpServer(service, host, port, tls)
        try:
            await life.begin(_stoppable(server))
        except asyncio.CancelledError:
            if server.is_stopped:
                return
            raise
        try:
            with server.catching_signals():
                await answer(server)
        finally:
            await life.leave()

    async def answer(server: HttpServer) -> None:
        loop = asyncio.get_running_loop()
        offering.attach(service.announce, partial(loop.call_soon_threadsafe, server.stop))
        await server.start()
        url = _url(host, server.port, service.path, is_secure=tls is not None)
        if service.hub.authorization is not None:
            service.hub.authorization.bind(url)
        sys.stderr.write(announcement(f"Serving {offering.name} at {url}") + "\n")
        sys.stderr.flush()
        await server.serve()

    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        runner.run(serve())


@contextmanager
def _stoppable(server: HttpServer) -> Iterator[None]:
    """A lifespan that waits for something can be told to give up."""
    with server.catching_signals(), server.beginning():
        yield


def serve_target_http(
    target: Loadable, address: str, *, reload: bool = False, **options: Unpack[HttpOptions]
) -> None:
    """Serve what a target holds.

    Raises:
        LoadError: when it cannot be loaded.
    """
    apply_environment()
    reloader = Reloader(target) if reload else None
    offering = target.load()
    if reloader is not None:
        reloader.start(Replaceable(offering))
    serve_http(offering, address, **options)


class Replaceable:
    """An offering that takes over what its files hold now."""

    def __init__(self, offering: Offering) -> None:
        self._offering = offering

    def replace(self, offering: Offering) -> None:
        """Put a newly loaded offering in its place."""
        self._offering.adopt(offering)


def _service(offering: Offering, options: HttpOptions) -> Service:
    apply_environment()
    guard = Guard(options.get("allowed_hosts", ()), options.get("allowed_origins", ()))
    return Service(
        CatalogueOperations(offering),
        guard,
        path=options.get("path", "/mcp"),
        limits=options.get("limits"),
        authorization=options.get("authorization", offering.authorization),
    )


def _hosts(host: str, allowed: Iterable[str]) -> list[str]:
    """The hosts that requests to an address may name."""
    hosts = [allowed] if isinstance(allowed, str) else list(allowed)
    if host in WILDCARDS and not hosts:
        raise DefinitionError(
            f"serving on {host!r} lets every network in, but allowed_hosts names nobody",
            hint="name the hosts that clients will use (on the command line --allowed-host), or *",
        )
    return hosts if host in WILDCARDS or is_loopback(host) else [*hosts, _bracketed(host)]


def _url(host: str, port: int, path: str, *, is_secure: bool) -> str:
    return f"{'https' if is_secure else 'http'}://{_bracketed(host)}:{port}{path}"


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _import_httpd() -> Any:
    try:
        from paddock.transports.http import httpd  # noqa: PLC0415 - of an extra
    except ImportError as error:
        raise LoadError(
            f"Serving over HTTP needs {error.name}", hint="pip install 'paddock[http]'"
        ) from None
    return httpd


def _loop_factory() -> Any:
    try:
        import uvloop  # noqa: PLC0415 - of an extra, and not on every platform
    except ImportError:
        return None
    return uvloop.new_event_loop
