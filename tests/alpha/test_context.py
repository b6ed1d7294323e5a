"""WolframAlphaContext, the prompt Search, and the server that has both."""

import json
from pathlib import Path

import pytest

import paddock
from paddock import Server, TextContent, connect, get_server
from paddock.installer.entry_checks import CheckFailedError
from paddock.toolkits.alpha.queries import ALPHA_HEADER, IMAGE_HINT, extract_queries
from paddock.toolkits.alpha.settings import APP_ID_VARIABLE
from paddock.toolkits.alpha.tools import wolfram_alpha_context_tool
from tests.alpha.stand_in import APP_ID, LLM, PNG, StandIn, running

NAME = "WolframAlphaContext"
NEEDY = """
from paddock import Need, Tool
missing = lambda options, environment: environment["NOWHERE"]
tool = Tool("needy", lambda: "", needs=Need(missing, is_required=False))
"""
CONTEXT = "The population of France. How old is the Eiffel Tower?"


def server(service: StandIn, **options: object) -> Server:
    """The built-in server, which asks the stand-in."""
    values = {"BaseURL": service.url, "AppID": APP_ID, **options}
    return get_server("WolframAlpha").load().set_tool_options({NAME: values})


def test_every_sentence_of_a_context_is_a_query(service: StandIn) -> None:
    with connect(server(service)) as peer:
        result = peer.call(NAME, context=CONTEXT)
    first, picture, second, other, last = result.content
    assert isinstance(first, TextContent)
    assert isinstance(second, TextContent)
    assert first.text.startswith(
        f"{ALPHA_HEADER}\n\n======\n\n<result query='The population of France' "
        "url='https://www.wolframalpha.com/input?i=The+population+of+France'>\n\n"
        "# Input interpretation"
    )
    assert "<result query='How old is the Eiffel Tower?' " in second.text
    assert [getattr(one, "data", None) for one in (picture, other)] == [PNG, PNG]
    assert last == TextContent(f"\n\n</result>\n\n{IMAGE_HINT}")
    asked = sorted(given["input"] for path, given, _ in service.requests if path == LLM)
    assert asked == ["How old is the Eiffel Tower?", "The population of France"]


def test_no_more_is_asked_than_is_allowed(service: StandIn) -> None:
    with connect(server(service, MaxItems=1)) as peer:
        peer.call(NAME, context=CONTEXT)
    assert service.paths.count(LLM) == 1


@pytest.mark.parametrize(
    ("context", "queries"),
    [
        ("", []),
        ("...\n***", []),
        ("one thing", ["one thing"]),
        ("- mass of Mars\n- mass of Venus\n- mass of Mars", ["mass of Mars", "mass of Venus"]),
        ("Is 3.5 more than 2? Yes.", ["Is 3.5 more than 2?", "Yes"]),
        ("Who was J. S. Bach? When?", ["Who was J. S. Bach?", "When?"]),
        ("Height of St. Paul's in London.", ["Height of St. Paul's in London"]),
        ("x" * 201, []),
    ],
)
def test_a_context_is_read_as_sentences(context: str, queries: list[str]) -> None:
    assert extract_queries(context) == queries


def test_nothing_to_ask_is_an_empty_answer(service: StandIn) -> None:
    with connect(server(service)) as peer:
        result = peer.call(NAME, context=" ")
    assert (result.is_error, result.text) == (False, "")
    assert service.requests == []


def test_without_an_app_id_the_text_says_so_and_nothing_is_answered_offline(
    service: StandIn,
) -> None:
    with connect(server(service, AppID=None)) as peer:
        result = peer.call(NAME, context="2 + 2")
    assert not result.is_error
    assert result.text.startswith("Error: Wolfram|Alpha requires an AppID.")


def test_a_service_that_is_away_is_reported(service: StandIn) -> None:
    with running() as gone:
        url = gone.url
    with connect(server(service, BaseURL=url)) as peer:
        result = peer.call(NAME, context=CONTEXT)
    assert not result.is_error
    assert result.text.startswith("Error: Wolfram|Alpha cannot be reached")


def test_the_prompt_has_what_was_found_between_its_tags(service: StandIn) -> None:
    with connect(server(service)) as peer:
        (info,) = peer.prompts()
        found = peer.prompt("Search", query="population of France")
    assert info.name == "Search"
    assert info.description == "Searches Wolfram Alpha knowledge base for relevant information."
    (message,) = found.messages
    assert message.role == "user"
    assert isinstance(message.content, TextContent)
    lines = message.content.text.split("\n")
    assert lines[:3] == [
        "<search-query>population of France</search-query>",
        "<search-results>",
        ALPHA_HEADER,
    ]
    assert lines[-4:] == [
        IMAGE_HINT,
        "</search-results>",
        "Use the above search results to answer the user's query below.",
        "<user-query>population of France</user-query>",
    ]
    assert f"![Recent population history]({service.url}/files/history.png)" in lines


def test_the_prompt_says_what_is_missing(service: StandIn) -> None:
    with connect(server(service, AppID=None)) as peer:
        (message,) = peer.prompt("Search", query="population of France").messages
    assert isinstance(message.content, TextContent)
    assert "<search-results>\nError: Wolfram|Alpha requires an AppID" in message.content.text


def test_the_prompt_works_without_the_tool() -> None:
    made = Server("s").register(list(get_server("WolframAlpha").load().prompts))
    with connect(made) as peer:
        (message,) = peer.prompt("Search", query="population of France").messages
    assert isinstance(message.content, TextContent)
    assert "requires an AppID" in message.content.text


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home directory of a user who has nothing yet."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    return tmp_path


def test_the_server_is_not_installed_without_an_app_id(home: Path) -> None:
    with pytest.raises(CheckFailedError, match=APP_ID_VARIABLE):
        paddock.install("cursor", "WolframAlpha")
    assert not (home / ".cursor" / "mcp.json").exists()


def test_the_server_is_installed_without_an_app_id_when_nothing_is_checked(home: Path) -> None:
    plan = paddock.install("cursor", "WolframAlpha", check=False)
    assert any(note.startswith("WolframAlphaContext will not work: N") for note in plan.notes)
    assert (home / ".cursor" / "mcp.json").exists()


def test_a_server_that_only_does_less_without_it_is_installed_with_a_note(home: Path) -> None:
    plan = paddock.install("cursor", "Wolfram")
    assert (
        sum(
            note.startswith("WolframContext and WolframAlpha will be limited: N")
            for note in plan.notes
        )
        == 1
    )
    assert (home / ".cursor" / "mcp.json").exists()


@pytest.mark.parametrize("way", ["environment", "file"])
def test_an_app_id_that_the_server_will_have_is_in_no_file_of_the_client(
    home: Path, data: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    if way == "environment":
        monkeypatch.setenv(APP_ID_VARIABLE, APP_ID)
    else:
        (data / "wolfram-alpha-appid").write_text(APP_ID)
    env = {APP_ID_VARIABLE: None} if way == "environment" else {}
    plan = paddock.install("cursor", "WolframAlpha", env=env)
    text = (home / ".cursor" / "mcp.json").read_text()
    assert APP_ID not in text
    assert not any("AppID" in note for note in plan.notes)


def test_the_doctor_says_what_is_missing(home: Path, data: Path) -> None:
    paddock.install("cursor", "WolframAlpha", check=False)
    found = [one for one in paddock.doctor("cursor") if one.key]
    assert [(one.level, one.message.partition(":")[0]) for one in found[1:]] == [
        ("error", "WolframAlphaContext will not work"),
        ("note", "WolframAlpha will be limited"),
    ]
    (data / "wolfram-alpha-appid").write_text(APP_ID)
    assert [one.level for one in paddock.doctor("cursor") if one.key] == ["ok"]


def test_an_app_id_is_in_the_file_when_the_user_says_so(home: Path) -> None:
    paddock.install("cursor", "WolframAlpha", options={NAME: {"AppID": APP_ID}})
    entries = json.loads((home / ".cursor" / "mcp.json").read_text())["mcpServers"]
    assert APP_ID in json.dumps(entries["Wolfram"]["env"])


def test_a_need_that_cannot_be_found_out_stops_no_installation(home: Path) -> None:
    (home / "needy.py").write_text(NEEDY)
    paddock.create_server("Needy", tools=[f"{home / 'needy.py'}:tool"])
    (note,) = (one for one in paddock.install("cursor", "Needy").notes if "needy" in one)
    assert note.endswith(
        "needy will be limited: its requirements cannot be checked: KeyError: 'NOWHERE'"
    )


def test_the_tool_says_what_it_needs() -> None:
    need = wolfram_alpha_context_tool.needs
    assert need is not None
    assert need.missing({}, {APP_ID_VARIABLE: "x"}) == ""
    assert APP_ID_VARIABLE in need.missing({}, {})
