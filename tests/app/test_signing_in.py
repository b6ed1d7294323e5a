"""Authentication: local access, a shared token, and team accounts."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from paddock import AccessRefusedError, PeerError, connect
from paddock.app.authenticators import TeamAuthenticator, TokenAuthenticator
from paddock.zoo.opening import open_zoo
from paddock.zoo.service import Zoo
from tests.app.events import listening
from tests.app.serving import PATIENCE, Client, Served, client_of, make_application, served

TOKEN = "a-token-of-some-length"  # noqa: S105 - of no use anywhere else
ADA, EVE = "adas own password", "eves own password"


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def code_of(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


@pytest.fixture
def guarded(zoo: Zoo) -> Iterator[Client]:
    """The application behind a token."""
    with client_of(make_application(zoo, authenticator=TokenAuthenticator(TOKEN))) as client:
        yield client


@pytest.mark.parametrize(
    "path", ["/api/agents", "/api/servers", "/api/events", "/api/nothing", "/mcp", "/mcp/Demo"]
)
@pytest.mark.parametrize("token", [None, "wrong", "", f"{TOKEN}x"])
def test_nothing_is_answered_without_the_token(
    guarded: Client, path: str, token: str | None
) -> None:
    answer = guarded.get(path, headers={} if token is None else bearer(token))
    assert code_of(answer) == (401, "SIGN_IN_NEEDED")
    assert answer.headers["WWW-Authenticate"].startswith("Bearer")


def test_everyone_may_ask_whether_to_sign_in(guarded: Client) -> None:
    health = guarded.get("/api/health").json()
    assert (health["needsSignIn"], health["isTeam"], health["isAdmin"]) == (True, False, False)
    assert guarded.get("/api/health", headers=bearer(TOKEN)).json()["needsSignIn"] is False


def test_program_sends_the_token_with_each_request(guarded: Client) -> None:
    assert guarded.get("/api/agents", headers=bearer(TOKEN)).status_code == 200


def test_browser_signs_in_once_and_out_again(guarded: Client) -> None:
    signed = guarded.post("/api/sign-in", json={"token": TOKEN})
    cookie = signed.headers["Set-Cookie"]
    for word in ("HttpOnly", "SameSite=Strict", "Path=/"):
        assert word in cookie
    assert TOKEN not in cookie
    assert guarded.get("/api/agents").status_code == 200
    assert "Max-Age=0" in guarded.post("/api/sign-out").headers["Set-Cookie"]
    assert guarded.get("/api/agents").status_code == 401


@pytest.mark.parametrize(
    "cookie", ["", "x", "99999999999.abc", "99999999999.", ".", "ü", "9" * 5000]
)
def test_cookie_that_was_not_given_out_is_of_no_use(guarded: Client, cookie: str) -> None:
    headers = [(b"Cookie", f"paddock_session={cookie}".encode())]
    assert guarded.get("/api/agents", headers=headers).status_code == 401


def test_cookie_is_of_no_use_to_pages_of_others(guarded: Client) -> None:
    guarded.post("/api/sign-in", json={"token": TOKEN})
    answer = guarded.post(
        "/api/agents", json={"name": "Eve"}, headers={"Origin": "https://evil.example"}
    )
    assert code_of(answer) == (403, "ORIGIN_NOT_ALLOWED")


def test_no_one_can_guess_for_long(guarded: Client) -> None:
    tries = [guarded.post("/api/sign-in", json={"token": f"guess {n}"}) for n in range(11)]
    assert [code_of(one) for one in tries[:10]] == [(401, "SIGN_IN_FAILED")] * 10
    assert code_of(tries[10]) == (429, "RATE_LIMITED")
    assert int(tries[10].headers["Retry-After"]) > 0
    assert guarded.post("/api/sign-in", json={"token": TOKEN}).status_code == 429


def test_there_is_nothing_to_sign_in_to_on_ones_own_machine(client: Client) -> None:
    assert code_of(client.post("/api/sign-in", json={"token": TOKEN})) == (401, "SIGN_IN_FAILED")
    assert client.get("/api/users").status_code == 404


def test_client_with_too_many_requests_has_to_wait(zoo: Zoo) -> None:
    with client_of(make_application(zoo, requests_a_minute=3)) as client:
        answers = [client.get("/api/agents") for _ in range(4)]
    assert [one.status_code for one in answers] == [200, 200, 200, 429]
    assert code_of(answers[3]) == (429, "RATE_LIMITED")
    assert answers[0].headers["RateLimit-Limit"] == "3"


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A team of two on a socket; Ada is the administrator."""
    path = tmp_path_factory.mktemp("team") / "zoo.db"
    with open_zoo(str(path)) as zoo:
        zoo.agents.create({"name": "From before"})
        accounts = zoo.accounts()
        accounts.add_user("ada", ADA, is_admin=True)
        accounts.add_user("eve", EVE)
        with served(make_application(zoo, authenticator=TeamAuthenticator(accounts))) as server:
            yield server


@contextmanager
def signed_in(team: Served, name: str, password: str) -> Iterator[httpx.Client]:
    """The browser of someone."""
    with httpx.Client(base_url=team.url, timeout=PATIENCE) as client:
        answer = client.post("/api/sign-in", json={"name": name, "password": password})
        assert answer.status_code == 200
        yield client


@pytest.fixture
def ada(team: Served) -> Iterator[httpx.Client]:
    with signed_in(team, "ada", ADA) as client:
        yield client


@pytest.fixture
def eve(team: Served) -> Iterator[httpx.Client]:
    with signed_in(team, "Eve ", EVE) as client:
        yield client


def ids(client: httpx.Client) -> set[str]:
    return {one["id"] for one in client.get("/api/agents").json()}


def test_everyone_has_a_zoo_of_their_own(ada: httpx.Client, eve: httpx.Client) -> None:
    ada.post("/api/agents", json={"name": "Of Ada"})
    eve.post("/api/agents", json={"name": "Of Eve"})
    assert "of-eve" in ids(eve) - ids(ada)
    assert "of-ada" in ids(ada) - ids(eve)
    assert eve.get("/api/agents/of-ada").status_code == 404
    assert eve.delete("/api/agents/of-ada").status_code == 404
    assert "from-before" in ids(ada)  # the first one has what was there
    assert eve.get("/api/health").json()["signedIn"] == "eve"


def test_events_are_heard_by_their_owner_only(ada: httpx.Client, eve: httpx.Client) -> None:
    with listening(ada) as events:
        eve.post("/api/agents", json={"name": "Unheard"})
        ada.post("/api/agents", json={"name": "Heard"})
        assert next(events).data["agentId"].startswith("heard")


@pytest.mark.parametrize(
    ("name", "password"),
    [("ada", EVE), ("unknown", ADA), ("", ""), ("ada", ""), ("ada", "x" * 9999)],
)
def test_wrong_password_says_not_what_is_wrong(team: Served, name: str, password: str) -> None:
    answer = httpx.post(
        f"{team.url}/api/sign-in", timeout=PATIENCE, json={"name": name, "password": password}
    )
    assert code_of(answer) == (401, "SIGN_IN_FAILED")
    assert answer.json()["error"] == "Name or password is wrong"
    # The bound on guesses is for those who are wrong again and again.
    httpx.post(f"{team.url}/api/sign-in", timeout=PATIENCE, json={"name": "ada", "password": ADA})


def test_session_ends_with_signing_out_also_for_who_has_kept_the_cookie(
    team: Served, ada: httpx.Client
) -> None:
    kept = dict(ada.cookies)
    ada.post("/api/sign-out")
    assert httpx.get(f"{team.url}/api/agents", timeout=PATIENCE, cookies=kept).status_code == 401


def test_what_belongs_to_the_machine_is_for_administrators(
    ada: httpx.Client, eve: httpx.Client
) -> None:
    for path in ("/api/servers", "/api/clients", "/api/extensions", "/api/users", "/mcp/Demo"):
        assert code_of(eve.get(path)) == (403, "NOT_ALLOWED")
    call = {"arguments": {"name": "Eve"}}
    assert eve.post("/api/servers/Demo/tools/greet/call", json=call).status_code == 403
    assert ada.post("/api/servers/Demo/tools/greet/call", json=call).status_code == 200


def test_token_lets_a_program_into_its_owners_zoo_alone(
    team: Served, ada: httpx.Client, eve: httpx.Client
) -> None:
    eve.post("/api/agents", json={"name": "Seen by Eve"})
    ada.post("/api/agents", json={"name": "Seen by Ada"})
    made = eve.post("/api/tokens", json={"label": "editor"}).json()
    with connect(f"{team.url}/mcp", token=made["token"]) as peer:
        listed = peer.call("agent_zoo_list_agents").text
        assert "seen-by-eve" in listed
        assert "seen-by-ada" not in listed
        prompts = " ".join(prompt.name for prompt in peer.prompts())
        resources = " ".join(resource.uri for resource in peer.resources())
        for text in (prompts, resources):
            assert "seen-by-eve" in text
            assert "seen-by-ada" not in text
            assert "from-before" not in text
        refused = peer.call("agent_zoo_get_agent", agentId="seen-by-ada")
        assert refused.is_error
        assert not [tool.name for tool in peer.tools() if "default_agent" in tool.name]
        peer.call("agent_zoo_create_brain_entry", agentId="seen-by-eve", type="note", content="hi")
    assert [one["content"] for one in eve.get("/api/agents/seen-by-eve/brain").json()] == ["hi"]
    assert [(one["label"], "token" in one) for one in eve.get("/api/tokens").json()] == [
        ("editor", False)
    ]
    assert ada.delete(f"/api/tokens/{made['id']}").status_code == 404
    assert eve.delete(f"/api/tokens/{made['id']}").status_code == 204
    with pytest.raises(AccessRefusedError):
        connect(f"{team.url}/mcp", token=made["token"])


def test_chats_of_a_team_reach_no_folder_of_the_machine(
    team: Served, ada: httpx.Client, tmp_path: Path
) -> None:
    token = ada.post("/api/tokens", json={"label": "chat"}).json()["token"]
    with connect(f"{team.url}/mcp", token=token) as peer:
        assert not [tool.name for tool in peer.tools() if "default_agent" in tool.name]
        with pytest.raises(PeerError, match="Unknown tool"):
            peer.call("agent_zoo_set_default_agent", agentId="from-before", project=str(tmp_path))
    assert [*tmp_path.iterdir()] == []


def test_stream_ends_for_whom_is_authorized_no_more(zoo: Zoo) -> None:
    accounts = zoo.accounts()
    accounts.add_user("leaving", "another password")
    _, secret = accounts.create_token("leaving", "chat")
    application = make_application(
        zoo, authenticator=TeamAuthenticator(accounts), reauthorize_interval_seconds=0.1
    )
    with served(application) as server:
        told: list[str] = []
        with (
            pytest.raises(httpx.RemoteProtocolError),
            server.http.stream("GET", "/api/events", headers=bearer(secret)) as answer,
        ):
            for line in answer.iter_lines():
                if not told:
                    accounts.delete_user("leaving")
                told.append(line)
        assert told[0].startswith("retry")


def test_console_does_not_lead_into_the_zoo_of_another(team: Served, ada: httpx.Client) -> None:
    body = {"name": "second", "password": "the second admin", "isAdmin": True}
    assert ada.post("/api/users", json=body).status_code == 201
    with signed_in(team, "second", "the second admin") as second:
        answer = second.post(
            "/api/servers/AgentZoo/tools/agent_zoo_list_agents/call", json={"arguments": {}}
        )
        assert answer.status_code == 400
        assert "from-before" not in answer.text
    assert ada.delete("/api/users/second").status_code == 204


def test_an_administrator_manages_the_team(team: Served, ada: httpx.Client) -> None:
    body = {"name": "Bob", "password": "bobs own password"}
    assert ada.post("/api/users", json=body).json()["name"] == "bob"
    assert code_of(ada.post("/api/users", json=body)) == (409, "USER_EXISTS")
    assert "bob" in [one["name"] for one in ada.get("/api/users").json()]
    with signed_in(team, "bob", "bobs own password") as bob:
        ada.patch("/api/users/bob", json={"password": "another password"})
        assert bob.get("/api/agents").status_code == 401
    with signed_in(team, "bob", "another password") as bob:
        assert ada.delete("/api/users/bob").status_code == 204
        assert bob.get("/api/agents").status_code == 401
    assert code_of(ada.delete("/api/users/bob")) == (404, "USER_NOT_FOUND")
    assert code_of(ada.delete("/api/users/ada")) == (400, "INVALID_AGENT")
    assert code_of(ada.patch("/api/users/ada", json={"isAdmin": False}))[0] == 400


@pytest.mark.parametrize(
    "body",
    [
        {"name": "", "password": "long enough for all"},
        {"name": "a b", "password": "long enough for all"},
        {"name": "short", "password": "short"},
        {"name": "x" * 65, "password": "long enough for all"},
    ],
)
def test_account_that_cannot_be_is_refused(ada: httpx.Client, body: dict[str, str]) -> None:
    assert code_of(ada.post("/api/users", json=body)) == (400, "INVALID_AGENT")


def test_own_password_is_changed_by_who_knows_it(team: Served, eve: httpx.Client) -> None:
    wrong = eve.post("/api/password", json={"current": "no", "password": "a newer password"})
    assert code_of(wrong) == (403, "NOT_ALLOWED")
    done = eve.post("/api/password", json={"current": EVE, "password": "a newer password"})
    assert done.status_code == 204
    with signed_in(team, "eve", "a newer password") as again:
        back = again.post("/api/password", json={"current": "a newer password", "password": EVE})
        assert back.status_code == 204


def test_neither_passwords_nor_tokens_is_in_the_database(tmp_path: Path) -> None:
    path = tmp_path / "zoo.db"
    with open_zoo(str(path)) as zoo:
        accounts = zoo.accounts()
        accounts.add_user("ada", ADA)
        _, token = accounts.create_token("ada", "editor")
        session = accounts.create_session("ada")
    content = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    for secret in (ADA, token, session):
        assert secret.encode() not in content
