"""The Demo server shows everything that a client can do, in both eras."""

from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import Any

import PIL.Image
import pytest

from paddock import ImageContent, Peer, PeerError, ResourceLink, connect, get_server


@contextmanager
def demo(era: str, **options: Any) -> Iterator[Peer]:
    """A connection to the server as everyone gets it, but for the waiting."""
    server = get_server("Demo").load()
    server.set_tool_options({"count_slowly": {"seconds_per_step": 0}})
    with connect(server, era=era, **options) as peer:
        yield peer


def test_it_says_what_it_is(era: str) -> None:
    with demo(era) as peer:
        assert peer.server_info["title"] == "Paddock demo"
        assert peer.instructions
        assert "No data leaves this process" in peer.instructions


def test_it_greets_in_five_languages(era: str) -> None:
    with demo(era) as peer:
        assert peer.call("greet", name="Ada").text == "Hello, Ada!"
        assert peer.call("greet", name="Ada", language="French").text == "Bonjour, Ada!"
        assert peer.call("greet", name="Ada", language="Latin").is_error


def test_its_dice_are_data_and_limited_by_an_option(era: str) -> None:
    with demo(era) as peer:
        rolled: Any = peer.call("roll_dice", count=3, sides=4).structured
        assert len(rolled["dice"]) == 3
        assert set(rolled["dice"]) <= {1, 2, 3, 4}
        assert rolled["total"] == sum(rolled["dice"])
        refused = peer.call("roll_dice", count=101)
        assert (refused.is_error, refused.text) == (True, "101 dice are too many: at most 100")


def test_its_picture_is_one_and_the_same_for_the_same_seed(era: str) -> None:
    with demo(era) as peer:
        pictures = [peer.call("draw_picture", seed=seed).content[1] for seed in ("a", "a", "b")]
    first, again, other = pictures
    assert isinstance(first, ImageContent)
    assert first == again != other
    with PIL.Image.open(BytesIO(first.data)) as image:
        assert (image.format, image.size) == ("PNG", (128, 128))


def test_it_counts_with_progress(era: str) -> None:
    told: list[dict[str, Any]] = []
    with demo(era, on_progress=told.append) as peer:
        assert peer.call("count_slowly", up_to=3).text == "Counted to 3."
    assert [one["message"] for one in told] == ["1 of 3", "2 of 3", "3 of 3"]


def test_it_asks_the_person(era: str) -> None:
    def fill_in(_question: dict[str, Any]) -> dict[str, Any]:
        return {"action": "accept", "content": {"animal": "goats", "time_of_day": "evening"}}

    with demo(era, on_elicit=fill_in) as peer:
        assert peer.call("ask_person").text == "They like goats best, in the evening."
    with demo(era, on_elicit=lambda _question: {"action": "decline"}) as peer:
        assert peer.call("ask_person").text == "The user did not answer (decline)."


def test_it_asks_the_model_and_for_the_workspace(era: str) -> None:
    with demo(era, on_sample=lambda _question: "Forty-two", roots=["file:///fields"]) as peer:
        assert peer.call("ask_model", question="How many?").text == "Forty-two"
        assert peer.call("show_workspace").structured == {"result": ["file:///fields"]}


def test_it_keeps_notes_that_can_be_read(era: str) -> None:
    with demo(era) as peer:
        kept = peer.call("keep_note", text="Check the latch")
        assert isinstance(kept.content[1], ResourceLink)
        contents = peer.read(kept.content[1].uri).contents[0]
        assert "- Check the latch" in contents.text  # type: ignore[union-attr]  # text, as it says


def test_it_fails_so_that_the_model_can_read_it(era: str) -> None:
    with demo(era) as peer:
        failed = peer.call("fail", reason="the gate is open")
    assert (failed.is_error, failed.text) == (True, "The tool failed: the gate is open")


def test_its_animals_are_suggested_and_read(era: str) -> None:
    with demo(era) as peer:
        assert peer.complete("demo://animals/{name}", "name", "g").values == ["goat"]
        assert "latch" in peer.read("demo://animals/goat").contents[0].text  # type: ignore[union-attr]
        with pytest.raises(PeerError):
            peer.read("demo://animals/unicorn")


def test_its_tour_can_dwell_on_a_theme(era: str) -> None:
    with demo(era) as peer:
        (message,) = peer.prompt("tour", theme="progress").messages
        assert "in particular progress" in message.content.text  # type: ignore[union-attr]
        (message,) = peer.prompt("tour").messages
        assert "in particular" not in message.content.text  # type: ignore[union-attr]
