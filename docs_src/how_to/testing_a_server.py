from dataclasses import dataclass

import pytest

from paddock import Context, Server
from paddock.testing import ERAS, Answers, accept, cancel, connect, decline

# region: server
server = Server("shop", version="1.0")


@dataclass
class Order:
    quantity: int


@server.tool
def order(article: str, ctx: Context) -> str:
    """Order an article after asking the user for the quantity."""
    answer = ctx.elicit(f"How many of {article}?", Order).wait()
    if answer.data is None:
        return f"Not ordered: {answer.action}"
    ctx.info({"ordered": article})
    return f"Ordered {answer.data.quantity} x {article}"


# endregion


# region: tests
@pytest.mark.parametrize("era", ERAS)
def test_the_user_chooses_the_quantity(era: str) -> None:
    user = Answers(accept(quantity=3))
    logged: list[dict[str, object]] = []
    with connect(server, era=era, on_elicit=user, on_log=logged.append) as peer:
        assert peer.call("order", article="pens").text == "Ordered 3 x pens"
    assert [question["message"] for question in user.asked] == ["How many of pens?"]
    assert [record["data"] for record in logged] == [{"ordered": "pens"}]


@pytest.mark.parametrize("answer", [decline(), cancel()])
def test_nothing_is_ordered_if_the_user_declines(answer: dict[str, object]) -> None:
    with connect(server, on_elicit=Answers(answer)) as peer:
        assert peer.call("order", article="pens").text == f"Not ordered: {answer['action']}"


def test_invalid_arguments_are_reported() -> None:
    with connect(server) as peer:
        result = peer.call("order", artikel="pens")
    assert result.is_error
    assert "article" in result.text


# endregion
