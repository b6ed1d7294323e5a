"""The programs in `examples` do what they say."""

from pathlib import Path

from examples.dice import server as dice
from examples.questions import server as travel
from examples.results import server as gallery
from paddock import ImageContent, ResourceLink
from paddock.testing import ERAS, Answers, accept, connect, decline

ROOT = Path(__file__).parents[2]
WHITE, BLACK = {"red": 255, "green": 255, "blue": 255}, {"red": 0, "green": 0, "blue": 0}


def sampled(text: str) -> dict[str, object]:
    return {"role": "assistant", "model": "m", "content": {"type": "text", "text": text}}


def test_a_trip_is_planned_with_the_person_and_the_model_in_both_eras() -> None:
    for era in ERAS[:2]:
        person, model = Answers(accept(days=2)), Answers(sampled("Walk"), sampled("Rest"))
        with connect(travel, era=era, on_elicit=person, on_sample=model) as peer:
            assert peer.call("plan_trip", city="Rome").text == "Day 1: Walk\nDay 2: Rest"


def test_a_person_who_declines_gets_no_trip() -> None:
    with connect(travel, on_elicit=Answers(decline()), on_sample=Answers()) as peer:
        assert peer.call("plan_trip", city="Rome").text == "No trip, then."


def test_colours_are_mixed_painted_and_explained() -> None:
    with connect(gallery) as peer:
        mixed = peer.call("mix", first=WHITE, second=BLACK)
        assert mixed.structured == {"red": 127, "green": 127, "blue": 127}
        picture = peer.call("paint", colour=WHITE, size=4).content[0]
        assert isinstance(picture, ImageContent)
        assert picture.data.startswith(b"\x89PNG")
        assert "choose 1 to 256" in peer.call("paint", colour=WHITE, size=999).text
        _, link = peer.call("explain", topic="Grey").content
        assert isinstance(link, ResourceLink)
        assert "white" in peer.read(link.uri).text


def test_a_directory_is_a_server() -> None:
    with connect(ROOT / "examples" / "notes") as peer:
        assert [tool.name for tool in peer.tools()] == ["count", "add_note", "find_notes"]
        assert peer.call("count", text="one two").text == "2 words"
        assert peer.call("add_note", text="buy milk").structured == {"result": 1}
        assert peer.call("find_notes", word="milk").structured == {"result": ["buy milk"]}
        asked = peer.prompt("summary", topic="cows").messages[0]
        assert "notes about cows in" in str(asked.content)
        assert peer.read("notes://manual/tools").text == "add_note, find_notes, count"


def test_a_cookbook_teaches_a_skill_that_uses_its_tool() -> None:
    with connect(ROOT / "examples" / "cookbook") as peer:
        (skill,) = peer.pages("skills/list", "skills")
        assert skill["uri"] == "skill://bread-baking/SKILL.md"
        assert "`scale`" in peer.read("skill://bread-baking/SKILL.md").text
        found = peer.request("resources/directory/read", {"uri": "skill://bread-baking/recipes"})
        assert isinstance(found["resources"], list)
        assert [entry["name"] for entry in found["resources"]] == ["rye.md", "wheat.md"]
        assert peer.call("scale", grams=500, people=2).text == "250"


def test_dice_are_rolled_and_have_a_page() -> None:
    with connect(dice) as peer:
        rolled = peer.call("roll", count=3).structured
        assert isinstance(rolled, dict)
        assert len(rolled["dice"]) == 3
        assert rolled["is_shown"] is False
        assert "ui/initialize" in peer.read("ui://dice/roll").text
