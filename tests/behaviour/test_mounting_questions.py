"""Questions of a mounted server elsewhere, put to the client that calls, in either era of both."""

import pytest

from paddock import Server
from tests.behaviour.line import Json, Line, plain
from tests.behaviour.upstreams import Upstreams, upstream
from tests.behaviour.wire import SESSION, STATELESS
from tests.conftest import Connect

__all__ = ["upstream"]

ASKING = """
from paddock import Context, Server, elicitation, roots, sampling

server = Server("asking")


@server.tool
async def greet(ctx: Context) -> str:
    name = await ctx.elicit("Name?", str)
    age = await ctx.elicit("Age?", int)
    return f"{name.data} is {age.data}"


@server.tool
def survey(ctx: Context) -> str:
    found = ctx.ask(
        who=elicitation("Name?", str), said=sampling("Say something"), where=roots()
    ).wait()
    return f"{found['who'].data}, {found['said'].text}, {found['where'][0].uri}"


@server.tool
def refused(ctx: Context) -> str:
    try:
        return str(ctx.elicit("Name?", str).wait())
    except Exception as error:
        return f"refused: {error}"


@server.tool
def capabilities(ctx: Context) -> str:
    return " ".join(sorted(ctx.client_capabilities))


@server.prompt
def letter(ctx: Context) -> str:
    return f"Dear {ctx.elicit('Name?', str).wait().data}"
"""

pytestmark = pytest.mark.usefixtures("upstream")

EVERYTHING: Json = {"elicitation": {}, "sampling": {}, "roots": {}}


@pytest.fixture(params=[SESSION, STATELESS], ids=lambda era: f"upstream-{era}")
def theirs(request: pytest.FixtureRequest) -> str:
    """The era that the upstream is connected to in."""
    value: str = request.param
    return value


def person(method: str, params: Json) -> Json:
    """The client's part."""
    if method == "roots/list":
        return {"roots": [{"uri": "file:///project"}]}
    if method == "sampling/createMessage":
        content = {"type": "text", "text": "something"}
        return {"role": "assistant", "content": content, "model": "m"}
    value = {"Name?": "Ada", "Age?": 36}[params["message"]]
    return {"action": "accept", "content": {"value": value}}


def asked(line: Line, tool: str) -> str:
    answer = line.converse("tools/call", {"name": tool, "arguments": {}}, person)
    text: str = plain(answer)["content"][0]["text"]
    return text


def test_questions_of_an_upstream_are_put_to_the_client(
    connect: Connect, upstream: Upstreams, era: str, theirs: str
) -> None:
    server = Server("s").mount(upstream(ASKING), "u", era=theirs)
    line = connect(server, era, capabilities=EVERYTHING)
    assert asked(line, "u_greet") == "Ada is 36"
    assert asked(line, "u_survey") == "Ada, something, file:///project"


def test_questions_of_an_upstreams_prompt_are_put_to_the_client(
    connect: Connect, upstream: Upstreams, era: str, theirs: str
) -> None:
    server = Server("s").mount(upstream(ASKING), "u", era=theirs)
    line = connect(server, era, capabilities=EVERYTHING)
    answer = line.converse("prompts/get", {"name": "u_letter"}, person)
    assert plain(answer)["messages"][0]["content"]["text"] == "Dear Ada"


def test_a_client_that_cannot_be_asked_is_not(
    connect: Connect, upstream: Upstreams, era: str, theirs: str
) -> None:
    server = Server("s").mount(upstream(ASKING), "u", era=theirs)
    line = connect(server, era)
    answer = line.ask("tools/call", {"name": "u_refused", "arguments": {}})
    assert "elicitation" in str(answer)


def test_a_stateless_upstream_receives_the_capabilities_of_the_client(
    connect: Connect, upstream: Upstreams, era: str
) -> None:
    server = Server("s").mount(upstream(ASKING), "u", era=STATELESS)
    assert connect(server, era).text("u_capabilities") == ""
    capabilities: Json = {"elicitation": {}, "experimental": {"x": {}}}
    assert connect(server, era, capabilities=capabilities).text("u_capabilities") == "elicitation"


def test_a_question_that_may_be_of_either_of_two_clients_is_put_to_neither(
    connect: Connect, upstream: Upstreams
) -> None:
    server = Server("s").mount(upstream(ASKING), "u", era=SESSION)
    one = connect(server, SESSION, capabilities=EVERYTHING)
    two = connect(server, SESSION, capabilities=EVERYTHING)
    call = {"name": "u_greet", "arguments": {}}
    first = one.request("tools/call", call)
    question = one.question()
    assert "several clients" in two.text("u_refused")
    one.reply(question, person("elicitation/create", question["params"]))
    second = one.question()
    one.reply(second, person("elicitation/create", second["params"]))
    assert plain(one.answer(first))["content"][0]["text"] == "Ada is 36"


def test_an_answer_to_a_question_that_is_gone_is_reported_so(
    connect: Connect, upstream: Upstreams
) -> None:
    server = Server("s").mount(upstream(ASKING), "u", era=SESSION)
    line = connect(server, STATELESS, capabilities=EVERYTHING)
    call = {"name": "u_greet", "arguments": {}}
    required = line.ask("tools/call", call)["result"]
    server.unmount("u")
    server.mount(upstream(ASKING), "u", era=SESSION)
    answers = {
        key: person("elicitation/create", {"message": "Name?"}) for key in required["inputRequests"]
    }
    again = {"inputResponses": answers, "requestState": required["requestState"]}
    result = plain(line.ask("tools/call", {**call, **again}))
    assert result["isError"]
    assert "call again" in result["content"][0]["text"]


def test_a_client_that_gives_up_while_it_is_asked_ends_the_call_upstream(
    connect: Connect, upstream: Upstreams, theirs: str
) -> None:
    server = Server("s").mount(upstream(ASKING), "u", era=theirs)
    line = connect(server, SESSION, capabilities=EVERYTHING)
    call = line.request("tools/call", {"name": "u_greet", "arguments": {}})
    line.question()
    line.cancel(call)
    assert asked(line, "u_greet") == "Ada is 36"
