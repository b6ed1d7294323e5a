import pytest

from docs_src.tutorial.talking_back import server
from paddock.testing import ERAS, Answers, accept, connect, decline


@pytest.mark.parametrize("era", ERAS)
def test_a_suggestion_heeds_allergies(era: str) -> None:
    user = Answers(accept(vegetarian=True, allergies="nuts"))
    with connect(server, era=era, on_elicit=user) as peer:
        assert peer.call("suggest", dish="Curry").text == "Curry, vegetarian, without nuts"
    assert user.asked[0]["message"] == "What do you eat?"


def test_nothing_is_suggested_after_a_no() -> None:
    with connect(server, on_elicit=Answers(decline())) as peer:
        assert peer.call("suggest", dish="Curry").is_error


def test_baking_says_how_far_it_is() -> None:
    heard: list[dict[str, object]] = []
    with connect(server, on_progress=heard.append) as peer:
        assert peer.call("bake", trays=2).text == "2 trays are done."
    assert [notice["progress"] for notice in heard] == [1, 2]


def test_the_model_names_a_dish() -> None:
    with connect(server, on_sample=lambda _: "Leek pie") as peer:
        assert peer.call("name_dish", ingredients=["leek", "pastry"]).text == "Leek pie"
