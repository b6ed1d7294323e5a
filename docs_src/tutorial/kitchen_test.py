import pytest

from docs_src.tutorial.talking_back import server
from paddock.testing import ERAS, Answers, accept, connect, decline


@pytest.mark.parametrize("era", ERAS)
def test_suggestion_avoids_allergens(era: str) -> None:
    user = Answers(accept(vegetarian=True, allergies="nuts"))
    with connect(server, era=era, on_elicit=user) as peer:
        assert peer.call("suggest", dish="Curry").text == "Curry, vegetarian, without nuts"
    assert user.asked[0]["message"] == "What do you eat?"


def test_declined_question_is_an_error() -> None:
    with connect(server, on_elicit=Answers(decline())) as peer:
        assert peer.call("suggest", dish="Curry").is_error


def test_baking_reports_progress() -> None:
    notifications: list[dict[str, object]] = []
    with connect(server, on_progress=notifications.append) as peer:
        assert peer.call("bake", trays=2).text == "2 trays are done."
    assert [notification["progress"] for notification in notifications] == [1, 2]


def test_model_names_dish() -> None:
    with connect(server, on_sample=lambda _: "Leek pie") as peer:
        assert peer.call("name_dish", ingredients=["leek", "pastry"]).text == "Leek pie"
