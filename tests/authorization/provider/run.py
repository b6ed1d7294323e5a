"""Runs the provider: `python -m tests.authorization.provider.run`; says `ready` when it is."""

import importlib
import os
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import django  # type: ignore[import-not-found]
from django.core.management import call_command  # type: ignore[import-not-found]
from django.core.wsgi import get_wsgi_application  # type: ignore[import-not-found]


class Threaded(ThreadingMixIn, WSGIServer):
    """Answers several requests at a time."""

    daemon_threads = True


class Quiet(WSGIRequestHandler):
    """Writes no line for each request."""

    def log_message(self, *_: object) -> None:
        """Nothing."""


def main() -> None:
    """Serve until the process is ended."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.authorization.provider.project"
    django.setup()
    call_command("migrate", verbosity=0)
    # Models exist only after the set-up.
    importlib.import_module("tests.authorization.provider.registering").register()
    port = int(os.environ["PROVIDER_PORT"])
    application = get_wsgi_application()
    with make_server("127.0.0.1", port, application, Threaded, Quiet) as server:
        print("ready", flush=True)
        server.serve_forever()


main()
