"""The tool WolframAlpha as a client sees it, with a stand-in for the service."""

import logging
from pathlib import Path

import pytest

from paddock import ImageContent, Server, TextContent, connect
from paddock.toolkits.alpha.settings import APP_ID_VARIABLE
from paddock.toolkits.alpha.tools import wolfram_alpha_tool
from tests.alpha.stand_in import APP_ID, FULL, LLM, PNG, StandIn, running
from tests.http.hosting import Host

NAME = "WolframAlpha"
HEAD = (
    "<result query='population of France' "
    "url='https://www.wolframalpha.com/input?i=population+of+France'>"
)


def server(service: StandIn, **options: object) -> Server:
    """A server with the tool, which asks the stand-in."""
    values = {"BaseURL": service.url, "AppID": APP_ID, "Engine": "woxi", **options}
    return Server("s", tools=[wolfram_alpha_tool]).set_tool_options({NAME: values})


def asked(service: StandIn, query: str, **options: object) -> tuple[bool, str]:
    """Whether a query was in vain, and the text of the answer."""
    with connect(server(service, **options)) as peer:
        result = peer.call(NAME, query=query)
    return result.is_error, result.text


def test_the_llm_service_answers_with_sections_and_pictures(service: StandIn) -> None:
    with connect(server(service)) as peer:
        result = peer.call(NAME, query="population of France")
    assert result.content == [
        TextContent(
            f"{HEAD}\n\n# Input interpretation\n\nFrance | population\n\n# Result\n\n"
            "68.5 million people (world rank: 20th) (2024 estimate)\n\n"
            '```wl\nEntity["Country", "France"]["Population"]\n```\n\n'
            f"# Recent population history\n\n"
            f"![Recent population history]({service.url}/files/history.png)"
        ),
        ImageContent(PNG, "image/png"),
        TextContent("\n\n</result>"),
    ]
    assert service.requests[0] == (
        LLM,
        {"input": "population of France", "maxchars": "6800"},
        f"Bearer {APP_ID}",
    )


def test_full_results_have_pods_assumptions_and_pictures_without_text(service: StandIn) -> None:
    with connect(server(service, Method="FullResults", Units="metric")) as peer:
        result = peer.call(NAME, query="population of France")
    assert result.content == [
        TextContent(
            f'{HEAD}\n\nAssumed for "France": a country; it could be a given name\n\n'
            "# Input\n\nFrance | population\n\n# Result\n\n68.5 million people\n\n"
            f"# History\n\n## long term\n\n![Population (people)]({service.url}/files/history.png)"
        ),
        ImageContent(PNG, "image/png"),
        TextContent("\n\nNot included because of the time limit: Demographics\n\n</result>"),
    ]
    path, given, authorization = service.requests[0]
    assert (path, authorization) == (FULL, None)
    assert given == {
        "input": "population of France",
        "units": "metric",
        "appid": APP_ID,
        "output": "json",
        "format": "plaintext,image",
    }


def test_full_results_have_code_when_it_is_wanted(service: StandIn) -> None:
    options = {"Method": "FullResults", "IncludeWolframLanguageResults": True}
    _, text = asked(service, "population of France", **options)
    assert '68.5 million people\n\n```wl\nEntity["Country", "France"]' in text


def test_tabs_separate_queries_which_are_asked_at_once(service: StandIn) -> None:
    _, text = asked(service, "population of France\t who's who ")
    assert HEAD in text
    assert (
        "<result query='who&#39;s who' url='https://www.wolframalpha.com/input?i=who%27s+who'>"
        in text
    )
    assert sorted(given["input"] for path, given, _ in service.requests if path == LLM) == [
        "population of France",
        "who's who",
    ]


def test_one_of_several_queries_may_fail(service: StandIn) -> None:
    is_error, text = asked(service, "population of France\tstatus 500")
    assert not is_error
    assert "68.5 million people" in text
    assert "Wolfram|Alpha returned a server error (HTTP 500)" in text


@pytest.mark.parametrize("method", ["LLM", "FullResults"])
@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("status 400", "rejected the query (HTTP 400)"),
        ("status 403", "rejected the AppID. Tell the user"),
        ("status 429", "The quota of Wolfram|Alpha queries is used up. Tell the user"),
        ("quota", "The quota of Wolfram|Alpha queries is used up. Tell the user"),
        ("status 500", "returned a server error (HTTP 500)"),
        ("status 503", "returned a server error (HTTP 503)"),
        ("html", "is unreadable"),
        ("broken", "is unreadable"),
        ("huge", "is larger than 4 MiB"),
        ("cut", "cannot be reached (the connection ended"),
        ("redirect", "it redirects to 127.0.0.1, which is not allowed"),
    ],
)
def test_a_bad_day_of_the_service_is_reported_to_the_model(
    service: StandIn, method: str, query: str, said: str
) -> None:
    with running() as other:
        service.elsewhere = f"{other.url}/files/history.png"
        is_error, text = asked(service, query, Method=method)
    assert is_error
    assert said in text
    assert other.requests == []
    assert APP_ID not in text


@pytest.mark.parametrize("query", ["slow", "dripping"])
def test_an_answer_that_does_not_end_is_given_up(service: StandIn, query: str) -> None:
    is_error, text = asked(service, query, TimeConstraint=0.3)
    assert not is_error
    assert "Request timed out. Wolfram|Alpha did not answer within 0.3 s" in text


@pytest.mark.parametrize(
    ("method", "said"),
    [
        ("LLM", "Wolfram|Alpha did not understand your input. Try: population of x"),
        ("FullResults", "gibbon"),
    ],
)
def test_what_is_not_understood_is_not_an_error(service: StandIn, method: str, said: str) -> None:
    is_error, text = asked(service, "gibberish", Method=method)
    assert not is_error
    assert f"\n\nNo Results Found. {said}\n\n</result>" in text


def test_a_wrong_app_id_is_reported_and_not_shown(service: StandIn) -> None:
    for method in ("LLM", "FullResults"):
        is_error, text = asked(service, "x of y", Method=method, AppID="WRONG-1234")
        assert is_error
        assert "rejected the AppID" in text
        assert "Invalid appid" in text
        assert "WRONG-1234" not in text


def test_an_app_id_that_the_service_repeats_is_masked(service: StandIn) -> None:
    _, text = asked(service, "echo")
    assert "Message of the service: bad: •••" in text


def test_the_app_id_is_in_no_log(
    service: StandIn, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    with caplog.at_level(logging.DEBUG):
        for query in ("population of France", "status 500", "huge", "cut"):
            asked(service, query)
    assert APP_ID not in caplog.text
    assert APP_ID not in "".join(capfd.readouterr())


@pytest.mark.parametrize("app_id", ["two words", "two\nlines", "schl\u00fcssel"])
def test_what_can_be_no_app_id_is_refused_and_not_shown(service: StandIn, app_id: str) -> None:
    is_error, text = asked(service, "population of France", AppID=app_id)
    assert (is_error, text) == (
        *(True, "invalid AppID: it must consist of printable ASCII characters without spaces"),
    )
    assert service.requests == []


def test_no_network_is_reported(service: StandIn) -> None:
    with running() as gone:
        url = gone.url
    is_error, text = asked(service, "population of France", BaseURL=url)
    assert is_error
    assert "Wolfram|Alpha cannot be reached" in text


def test_the_environment_or_a_file_may_hold_the_app_id(
    service: StandIn, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (data / "wolfram-alpha-appid").write_text(f"{APP_ID}\n")
    assert "68.5 million" in asked(service, "population of France", AppID=None)[1]
    (data / "wolfram-alpha-appid").write_text("WRONG")
    monkeypatch.setenv(APP_ID_VARIABLE, APP_ID)
    assert "68.5 million" in asked(service, "population of France", AppID=None)[1]


def test_without_an_app_id_it_says_how_to_get_one(service: StandIn, data: Path) -> None:
    is_error, text = asked(service, "population of France", AppID=None)
    assert is_error
    assert "https://developer.wolframalpha.com" in text
    assert APP_ID_VARIABLE in text
    assert str(data / "wolfram-alpha-appid") in text
    assert service.requests == []


def test_over_http_no_path_of_this_machine_is_revealed(service: StandIn, data: Path) -> None:
    host = Host()
    try:
        endpoint = host(server(service, AppID=None))
        with connect(f"http://127.0.0.1:{endpoint.port}{endpoint.path}") as peer:
            result = peer.call(NAME, query="population of France")
    finally:
        host.stop()
    assert result.is_error
    assert "the file wolfram-alpha-appid in Paddock's data directory" in result.text
    assert str(data) not in result.text


def test_without_an_app_id_what_is_sure_is_answered_offline(service: StandIn) -> None:
    is_error, text = asked(service, "5 miles in km", AppID=None)
    assert not is_error
    assert "Offline: computed by Paddock with pint, not by Wolfram|Alpha." in text
    assert "# Result\n\n8.04672 km\n\n</result>" in text


def test_an_engine_works_out_calculus_offline(service: StandIn) -> None:
    _, text = asked(service, "integrate x^2 from 0 to 1", AppID=None)
    assert "not by a Wolfram kernel, checked by Paddock, not by Wolfram|Alpha." in text
    assert "# Result\n\n1/3 ≈ 0.3333333333" in text


def test_offline_answers_need_an_engine_only_where_they_say_so(service: StandIn) -> None:
    assert asked(service, "integrate x^2", AppID=None, Engine="none")[0]
    assert "# Result\n\n4\n" in asked(service, "2+2", AppID=None, Engine="none")[1]


def test_offline_answers_can_be_switched_off(service: StandIn) -> None:
    is_error, text = asked(service, "2+2", AppID=None, Offline=False)
    assert is_error
    assert "developer.wolframalpha.com" in text


def test_an_offline_answer_takes_the_place_of_a_service_that_is_away(service: StandIn) -> None:
    with running() as gone:
        url = gone.url
    _, text = asked(service, "2 + 2", BaseURL=url)
    assert "Offline: computed by Paddock, not by Wolfram|Alpha. Wolfram|Alpha cannot be" in text
    assert "# Result\n\n4\n" in text


@pytest.mark.parametrize(
    "base", ["http://example.org", "ftp://x", "https://u:p@x", "https://x/?a=1", "nonsense"]
)
def test_an_app_id_is_sent_to_no_place_where_others_could_read_it(
    service: StandIn, base: str
) -> None:
    is_error, text = asked(service, "population of France", BaseURL=base)
    assert is_error
    assert "the option BaseURL is invalid" in text


@pytest.mark.parametrize(("query", "said"), [("", "empty"), (" \t", "empty"), ("a\t" * 6, "5")])
def test_a_call_without_a_query_or_with_too_many_is_refused(
    service: StandIn, query: str, said: str
) -> None:
    is_error, text = asked(service, query)
    assert is_error
    assert said in text
    assert service.requests == []


def test_a_long_answer_is_cut(service: StandIn) -> None:
    _, text = asked(service, "population of France", Method="FullResults", MaxCharacterCount=100)
    assert "The rest is omitted because it is too long.\n\n</result>" in text
    assert "# History" not in text


def test_pictures_have_a_limit_of_number_and_bytes(service: StandIn) -> None:
    for limit in ({"MaxImageCount": 0}, {"MaxImageBytes": len(PNG) - 1}):
        with connect(server(service, **limit)) as peer:
            result = peer.call(NAME, query="population of France")
        assert [type(item) for item in result.content] == [TextContent]
        assert "/files/history.png)" in result.text
    assert service.paths.count("/files/history.png") == 1


def test_a_call_can_be_cancelled_while_the_service_is_silent(service: StandIn) -> None:
    with connect(server(service, TimeConstraint=300)) as peer:
        call = peer.start("tools/call", {"name": NAME, "arguments": {"query": "slow"}})
        service.is_asked.wait(30)
        call.cancel()
        result = peer.call(NAME, query="population of France")
    assert "68.5 million" in result.text
