"""WolframContext and the prompt Search of the server Wolfram: documentation and Wolfram|Alpha."""

import os
import sys

import pytest

from paddock import ImageContent, Server, TextContent, connect, get_server
from paddock.directories import DATA_DIRECTORY_VARIABLE
from paddock.named_servers.names import OPTIONS_VARIABLE
from paddock.toolkits.alpha.queries import ALPHA_HEADER as RESULTS
from paddock.toolkits.alpha.queries import DOCUMENTATION_HEADER as PAGES
from paddock.toolkits.alpha.queries import IMAGE_HINT
from paddock.toolkits.alpha.settings import APP_ID_VARIABLE
from tests.alpha.stand_in import APP_ID, FULL, LLM, StandIn

NAME = "WolframContext"
SORT = "<result url='https://reference.wolfram.com/language/ref/SortBy'>"


def server(service: StandIn, **options: object) -> Server:
    """The built-in server, which asks the stand-in."""
    values = {"BaseURL": service.url, "AppID": APP_ID, **options}
    return get_server("Wolfram").load().set_tool_options({NAME: values})


def asked(service: StandIn, context: str, **options: object) -> str:
    """The text of an answer that is not an error."""
    with connect(server(service, **options)) as peer:
        result = peer.call(NAME, context=context)
    assert not result.is_error
    return "".join(item.text for item in result.content if isinstance(item, TextContent))


def test_results_come_first_and_documentation_after_them(service: StandIn) -> None:
    with connect(server(service)) as peer:
        first, picture, last = peer.call(NAME, context="sort a list by a function").content
    assert isinstance(first, TextContent)
    assert first.text.startswith(f"{RESULTS}\n\n======\n\n<result query='sort a list by")
    assert isinstance(picture, ImageContent)
    assert isinstance(last, TextContent)
    assert last.text.startswith(
        f"\n\n</result>\n\n{IMAGE_HINT}\n\n======\n\n{PAGES}\n\n<result url="
    )
    assert SORT in last.text


def test_each_part_has_a_limit_of_its_own(service: StandIn) -> None:
    context = "Sort a list. Sort it by a function."
    text = asked(service, context, WolframAlphaMaxItems=1, WolframLanguageMaxItems=2)
    assert text.count("<result query=") == 1
    assert text.count("<result url=") == 2
    assert "======" not in asked(service, context, WolframLanguageMaxItems=0).split(IMAGE_HINT)[1]


def test_without_an_app_id_there_is_documentation_and_a_warning(service: StandIn) -> None:
    text = asked(service, "sort a list by a function", AppID=None)
    assert text.startswith("Warning: Wolfram|Alpha requires an AppID.")
    assert f"\n\n======\n\n{PAGES}\n\n<result url=" in text
    assert SORT in text


def test_nothing_to_look_for_is_an_empty_answer(service: StandIn) -> None:
    assert asked(service, " \n") == ""


def test_full_results_have_code_unless_it_is_switched_off(service: StandIn) -> None:
    assert "```wl" in asked(service, "population of France", Method="FullResults")
    text = asked(
        *(service, "population of France"),
        Method="FullResults",
        IncludeWolframLanguageResults=False,
    )
    assert "```wl" not in text
    assert service.paths.count(FULL) == 2


def test_the_prompt_has_both_with_the_options_of_the_tool(service: StandIn) -> None:
    with connect(server(service, WolframLanguageMaxItems=3)) as peer:
        (info,) = peer.prompts()
        (message,) = peer.prompt("Search", query="sort a list by a function").messages
    assert info.description == "Searches for relevant Wolfram information to help answer a query."
    assert [(one.name, one.required) for one in info.arguments] == [("query", True)]
    assert isinstance(message.content, TextContent)
    text = message.content.text
    assert text.startswith(
        "<search-query>sort a list by a function</search-query>\n"
        f"<search-results>\n{RESULTS}\n\n======\n\n<result query="
    )
    assert text.count("<result url=") == 3
    assert text.endswith(
        "</result>\n</search-results>\n"
        "Use the above search results to answer the user's query below.\n"
        "<user-query>sort a list by a function</user-query>"
    )
    assert service.paths == [LLM]


@pytest.mark.parametrize("name", ["Wolfram", "WolframAlpha"])
def test_a_program_that_serves_them_receives_the_app_id_in_its_environment(
    service: StandIn, name: str
) -> None:
    options = f'{{"WolframAlpha": {{"BaseURL": "{service.url}"}}}}'
    env = {
        DATA_DIRECTORY_VARIABLE: os.environ[DATA_DIRECTORY_VARIABLE],
        OPTIONS_VARIABLE: options,
        APP_ID_VARIABLE: APP_ID,
    }
    command = [sys.executable, "-m", "paddock", "serve", "--named", name]
    with connect(command, env=env) as peer:
        assert "WolframAlpha" in [tool.name for tool in peer.tools()]
        result = peer.call("WolframAlpha", query="population of France")
    assert "68.5 million people" in result.text
    assert any(isinstance(item, ImageContent) for item in result.content)
