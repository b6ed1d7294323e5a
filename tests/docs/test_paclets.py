"""The paclet on the page is valid, and the statements of the page are true."""

import pytest

from paddock import connect, get_server
from paddock.extensions.paclets.search_paths import PACLET_PATH_VARIABLE
from tests.docs.pages import ROOT


@pytest.fixture(autouse=True)
def weather(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PACLET_PATH_VARIABLE, str(ROOT / "docs_src" / "paclets" / "Weather"))


def test_the_paclet_on_the_page_is_served() -> None:
    server = get_server("Acme/Weather/Sky")
    assert (server.version, server.tool_names, server.prompt_names) == (
        "1.0.0",
        ["forecast"],
        ["Packing"],
    )
    with connect(server.load()) as peer:
        (tool,) = peer.tools()
        assert tool.input_schema["properties"] == {
            "place": {
                "type": "string",
                "description": "Where (Given as text, for the Wolfram interpreter City.)",
            },
            "days": {
                "type": "integer",
                "minimum": 1,
                "maximum": 10,
                "description": "For how many days",
            },
            "units": {"type": "string", "enum": ["metric", "imperial"]},
        }
        assert peer.call("forecast", {"place": "Rome", "units": "metric"}).is_error
        packing = peer.prompt("Packing", {"place": "Rome"})
    text = packing.messages[0].content.text  # type: ignore[union-attr]  # it is a text
    assert text == "I travel to Rome. What do I pack for the weather there?"
