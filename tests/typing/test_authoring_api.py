"""What a type checker sees of the authoring API. `make types` checks it; running it does little."""

from dataclasses import dataclass
from typing import Any, assert_type

from paddock import AppView, Context, Elicited, Peer, Root, SampledMessage, Server, Skill
from paddock.client.results import ToolResult
from paddock.testing import connect, decline


@dataclass
class Form:
    name: str


def test_decorated_functions_keep_their_types() -> None:
    server = Server("typed")

    @server.tool
    def bare(a: int) -> str:
        return str(a)

    @server.tool(title="With options", inline=True)
    def optioned(a: int) -> str:
        return str(a)

    @server.tool(ui=AppView("ui://typed/view", ""), visibility=["model"])
    def shown(a: int) -> str:
        return str(a)

    @server.prompt(title="With options")
    def asking(topic: str) -> str:
        return topic

    @server.resource("typed://{name}")
    def reading(name: str) -> bytes:
        return name.encode()

    assert_type(bare(1), str)
    assert_type(optioned(1), str)
    assert_type(shown(1), str)
    assert_type(asking("x"), str)
    assert_type(reading("x"), bytes)
    assert_type(server.register([]), Server)
    assert_type(server.register(Skill("a", "b", "c")), Server)


def test_answers_have_the_type_that_was_asked_for() -> None:
    server = Server("typed")

    @server.tool
    async def ask(ctx: Context) -> None:
        assert_type(await ctx.elicit("Who?", Form), Elicited[Form])
        assert_type(await ctx.elicit("Anything?"), Elicited[dict[str, Any]])
        assert_type(await ctx.sample("Go on"), SampledMessage)
        assert_type(await ctx.roots(), list[Root])

    @server.tool
    def ask_plainly(ctx: Context) -> None:
        assert_type(ctx.elicit("Who?", Form).wait(), Elicited[Form])

    with connect(server, on_elicit=lambda _: decline()) as peer:
        assert_type(peer, Peer)
        assert_type(peer.call("ask_plainly"), ToolResult)
