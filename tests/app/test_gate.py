"""Whose web pages may do what, and under which name the server may be called."""

import pytest

from paddock.zoo.service import Zoo
from tests.app.serving import HERE, Client, client_of, make_application

OTHER = "https://evil.example"


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:3912", "127.0.0.1.evil.example", "", "a b"]
)
def test_request_that_names_another_host_is_refused(client: Client, host: str) -> None:
    for path in ("/", "/api/agents", "/api/health", "/mcp"):
        answer = client.get(path, headers={"Host": host})
        assert (answer.status_code, answer.json()["code"]) == (403, "HOST_NOT_ALLOWED")


@pytest.mark.parametrize("host", ["localhost", "localhost:3912", "127.0.0.1", "[::1]:3912"])
def test_this_machine_may_be_called_by_all_its_names(client: Client, host: str) -> None:
    assert client.get("/api/health", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "origin", [OTHER, "null", "http://localhost:5173", "http://127.0.0.1:3913", "file://"]
)
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE", "OPTIONS"])
def test_page_of_another_origin_gets_nothing(client: Client, origin: str, method: str) -> None:
    for path in ("/api/agents", "/mcp/Demo"):
        answer = client.request(method, path, headers={"Origin": origin})
        assert (answer.status_code, answer.json()["code"]) == (403, "ORIGIN_NOT_ALLOWED")
        assert "access-control-allow-origin" not in answer.headers
    assert client.get("/api/agents").json() == []


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_browser_that_says_it_asks_for_another_site_is_refused(client: Client, site: str) -> None:
    told = {"Sec-Fetch-Site": site}
    assert client.get("/api/agents", headers=told).status_code == 403
    assert client.post("/api/agents", headers=told).status_code == 403
    assert client.get("/", headers=told).status_code != 403  # a link to the app


def test_the_own_page_may_do_everything(client: Client) -> None:
    told = {"Origin": HERE, "Sec-Fetch-Site": "same-origin"}
    answer = client.post("/api/agents/none/inject", headers=told)
    assert answer.json()["code"] == "AGENT_NOT_FOUND"


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", None])
def test_form_of_another_site_cannot_pretend_to_be_json(client: Client, kind: str | None) -> None:
    headers = {} if kind is None else {"Content-Type": kind}
    answer = client.post("/api/agents", content=b'{"name": "Eve"}', headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (415, "UNSUPPORTED_MEDIA_TYPE")


def test_a_listed_origin_receives_its_permissions(zoo: Zoo) -> None:
    application = make_application(
        zoo, allowed_origins=["https://app.example/", "http://localhost:5173"]
    )
    with client_of(application) as client:
        for origin in ("https://app.example", "http://localhost:5173"):
            asked = client.options(
                "/api/agents",
                headers={"Origin": origin, "Access-Control-Request-Method": "PATCH"},
            )
            assert asked.status_code == 204
            assert "PATCH" in asked.headers["Access-Control-Allow-Methods"]
            assert "If-Match" in asked.headers["Access-Control-Allow-Headers"]
            answer = client.get("/api/agents", headers={"Origin": origin})
            assert answer.headers["Access-Control-Allow-Origin"] == origin
            assert "ETag" in answer.headers["Access-Control-Expose-Headers"]
            assert answer.headers["Vary"] == "Origin"
        assert client.get("/api/agents", headers={"Origin": OTHER}).status_code == 403
        assert client.get("/api/agents", headers={"Origin": "http://localhost"}).status_code == 403


def test_page_may_run_no_script_but_its_own_and_is_in_no_frame(client: Client) -> None:
    headers = client.get("/").headers
    policy = dict(
        part.strip().split(" ", 1) for part in headers["Content-Security-Policy"].split(";")
    )
    assert policy["default-src"] == "'self'"
    assert policy["script-src"] == "'self'"
    assert policy["frame-ancestors"] == "'none'"
    assert policy["object-src"] == "'none'"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["X-Content-Type-Options"] == "nosniff"


def test_host_that_is_named_may_be_used(zoo: Zoo) -> None:
    with client_of(make_application(zoo, allowed_hosts=["zoo.example"])) as client:
        assert client.get("/api/health", headers={"Host": "zoo.example:80"}).status_code == 200
        assert client.get("/api/health", headers={"Host": "other.example"}).status_code == 403
