from paddock import get_server
from paddock.testing import connect

from acme_charts.texts import count_words

SERVER = "acme/acme-charts/Writing"


def test_words_are_what_blanks_separate() -> None:
    assert count_words("one  two\nthree") == 3


def test_the_server_has_the_tool_and_the_prompt() -> None:
    server = get_server(SERVER)
    assert "count_words" in server.tool_names
    assert "shorten" in server.prompt_names


def test_a_client_can_count_words() -> None:
    with connect(get_server(SERVER).load()) as peer:
        assert peer.call("count_words", text="one two three").text == "3"


def test_a_client_can_have_a_text_shortened() -> None:
    with connect(get_server(SERVER).load()) as peer:
        prompt = peer.prompt("shorten", text="Once upon a time", words="2")
    assert "to 2 words" in prompt.messages[0].content.text
