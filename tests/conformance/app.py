"""The fixture of the official suite as an ASGI application, for the servers of others."""

from paddock import http_app
from tests.conformance.fixture import server

app = http_app(server)
