"""The programs of the how-to pages do what the pages say."""

import os
import runpy
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import msgspec
import pytest

from docs_src.how_to import trace_context
from docs_src.how_to.apps import server as apps
from docs_src.how_to.changes import server as changes
from docs_src.how_to.completions import server as completions
from docs_src.how_to.composition import server as composed
from docs_src.how_to.explicit_tools import server as explicit
from docs_src.how_to.handlers import server as handlers
from docs_src.how_to.handlers import stopped
from docs_src.how_to.input_schemas import server as schemas
from docs_src.how_to.lifespan import server as visits
from docs_src.how_to.pagination import server as many
from docs_src.how_to.pictures import server as pictures
from docs_src.how_to.prompts import server as prompts
from docs_src.how_to.questions import server as questions
from docs_src.how_to.resources import server as resources
from docs_src.how_to.results import server as results
from docs_src.how_to.skills_served import server as skills
from docs_src.how_to.tasks import server as archive
from docs_src.how_to.tool_options import server as optioned
from docs_src.how_to.workshop.server import server as workshop
from paddock import (
    AudioContent,
    BlobResourceContents,
    EmbeddedResource,
    ImageContent,
    PeerError,
    PromptMessage,
    ResourceLink,
    Server,
    TextContent,
    TextResourceContents,
)
from paddock.client.errors import CallCancelledError
from paddock.protocol.errors import INVALID_PARAMS, MISSING_CAPABILITY
from paddock.protocol.versions import APP_MIME_TYPE
from paddock.testing import ERAS, Answers, accept, connect
from tests.docs.pages import ROOT

SESSION, STATELESS = "2025-11-25", "2026-07-28"
PATIENCE = 20.0


@pytest.mark.parametrize("era", [SESSION, STATELESS])
def test_a_server_made_of_two_offers_the_tools_of_both(era: str) -> None:
    with connect(composed, era=era) as peer:
        assert [tool.name for tool in peer.tools()] == ["weather_today", "guests_visit"]
        assert peer.call("weather_today", city="Rome").text == "Sunny in Rome"
        assert peer.call("guests_visit", name="Ada").text == "1"


def test_explicit_tools_take_one_dictionary_of_arguments() -> None:
    with connect(explicit) as peer:
        assert peer.call("calculate", expression="6 * 7").structured == {"result": 42.0}
        assert peer.call("calculate").is_error
        assert peer.call("repeat", text="ho").text == "ho ho"
        assert peer.call("repeat", text="ho", times=3, separator="-").text == "ho-ho-ho"
        assert peer.call("repeat", text="ho", times="3").is_error


def test_options_of_a_tool_are_set_by_the_operator_of_the_server() -> None:
    with connect(optioned) as peer:
        assert peer.call("find", word="apples").structured == {"result": ["apples"]}


def test_a_tool_returns_several_contents_and_errors_of_its_own(tmp_path: Path) -> None:
    note = tmp_path / "note.txt"
    note.write_text("Hello", encoding="utf-8")
    with connect(explicit) as peer:
        kinds = [type(piece) for piece in peer.call("analyze_data", data="x").content]
        assert kinds == [TextContent, ImageContent, TextContent]
        assert peer.call("read_text", path=str(note)).text == "Hello"
        missing = peer.call("read_text", path=str(tmp_path / "missing"))
    assert (missing.is_error, missing.text) == (True, "File not found")


def test_a_raw_schema_is_kept_and_enforced_and_fills_in_defaults() -> None:
    with connect(schemas) as peer:
        listed = {tool.name: tool.input_schema for tool in peer.tools()}
        assert peer.call("filter_by_tags", tags=["a", "b"]).text == "Filtering by tags: a, b"
        assert peer.call("filter_by_tags", tags=[]).is_error
        assert peer.call("sort_results", field="date").text == "Sorting by date (asc)"
        assert peer.call("sort_results", field="colour").is_error
        assert peer.call("advanced_filter", query="q").text == "Query: q (limit=10, offset=0)"
        deep = peer.call("advanced_filter", query="q", options={"limit": 5})
        assert deep.text == "Query: q (limit=5, offset=0)"
        wrong = peer.call("advanced_filter", query="q", options={"limit": 500})
    assert "$.options.limit" in wrong.text
    assert listed["sort_results"]["properties"] == {
        "field": {
            "type": "string",
            "enum": ["name", "date", "relevance", "size"],
            "description": "Field to sort by",
        },
        "order": {"type": "string", "enum": ["asc", "desc"], "default": "asc"},
    }


def test_data_comes_back_as_text_and_as_structured_content() -> None:
    with connect(results) as peer:
        weather = peer.call("weather", city="Bern")
        assert weather.structured == {"city": "Bern", "celsius": 21.5}
        assert weather.text == '{"city":"Bern","celsius":21.5}'
        assert peer.call("cities").structured == {"result": ["Bern", "Oslo"]}
        assert peer.call("add", left=1, right=2).structured == {"sum": 3.0}


def test_bytes_become_images_sound_or_embedded_files() -> None:
    with connect(results) as peer:
        chart = peer.call("chart", percent=40).content[0]
        table = peer.call("table").content[0]
        sound = peer.call("silence").content[0]
    assert isinstance(chart, ImageContent)
    assert chart.mime_type == "image/svg+xml"
    assert isinstance(table, EmbeddedResource)
    assert isinstance(table.resource, BlobResourceContents)
    assert table.resource.blob.startswith(b"city,")
    assert isinstance(sound, AudioContent)


def test_a_list_may_mix_all_kinds_of_content() -> None:
    with connect(results) as peer:
        kinds = [type(piece) for piece in peer.call("report").content]
    assert kinds == [TextContent, EmbeddedResource, ResourceLink]


def test_errors_are_results_that_the_model_can_read() -> None:
    with connect(results) as peer:
        divided = peer.call("divide", left=1, right=0)
        missing = peer.call("look_up", word="stable")
        found = peer.call("look_up", word="paddock")
    assert divided.is_error
    assert divided.text == "Cannot divide by zero. (give another divisor)"
    assert (missing.is_error, missing.text) == (True, "No entry for stable")
    assert found.structured == {"word": "paddock", "entries": 1}
    assert found.meta["example.org/source"] == "dictionary"


def test_a_pillow_image_is_sent_as_png() -> None:
    with connect(pictures) as peer:
        image = peer.call("square", size=4).content[0]
    assert isinstance(image, ImageContent)
    assert image.data.startswith(b"\x89PNG")


def test_prompts_are_templates_message_lists_or_functions() -> None:
    with connect(prompts) as peer:
        plain = peer.prompt("translate", text="Hallo").messages
        into = peer.prompt("translate", text="Hallo", language="English").messages
        interview = peer.prompt("interview", role="a cook").messages
        review = peer.prompt("review", code="x = 1", findings="5").messages
        with pytest.raises(PeerError) as missing:
            peer.prompt("translate")
        with pytest.raises(PeerError) as wrong:
            peer.prompt("review", code="x = 1", depth="endless")
    assert plain == [PromptMessage(TextContent("Translate this text:\n\nHallo"))]
    assert into == [PromptMessage(TextContent("Translate this text into English:\n\nHallo"))]
    assert [message.role for message in interview] == ["user", "assistant", "user"]
    assert isinstance(interview[2].content, ResourceLink)
    assert isinstance(review[0].content, TextContent)
    assert "quick review and report at most 5 findings" in review[0].content.text
    assert {missing.value.rpc_code, wrong.value.rpc_code} == {INVALID_PARAMS}


def test_resources_are_text_json_bytes_or_several_contents() -> None:
    with connect(resources) as peer:
        assert peer.read("library://motto").text == "Read more."
        statistics = peer.read("library://statistics")
        assert statistics.text == '{"files":2,"version":"2026-07-28"}'
        assert peer.read("library://files/notes/today.txt").data == b"Buy apples."
        kinds = [type(part) for part in peer.read("library://works/Melville").contents]
        assert kinds == [TextResourceContents, BlobResourceContents]
        listed = {resource.uri: resource for resource in peer.resources()}
    assert listed["library://catalogue"].size == 13
    assert listed["library://motto"].title == "Our motto"


def test_variables_of_a_uri_are_converted_to_the_type_hints() -> None:
    with connect(resources) as peer:
        day = peer.read("library://day/2026-01-31?language=de").text
        assert day == "[de] Nothing is known of 31.01.2026."
        assert peer.read("library://day/2026-01-31").text.startswith("[en]")
        with pytest.raises(PeerError) as wrong:
            peer.read("library://day/tomorrow")
        with pytest.raises(PeerError) as unreadable:
            peer.read("https://example.org/books/1")
    assert wrong.value.rpc_code == INVALID_PARAMS
    assert unreadable.value.data == {"uri": "https://example.org/books/1"}


def test_completions_come_from_lists_and_functions() -> None:
    with connect(completions) as peer:
        assert peer.complete("travel", "country", "Sp").values == ["Spain"]
        spain = {"country": "Spain"}
        assert peer.complete("travel", "city", "ma", spain).values == ["Madrid", "Malaga"]
        assert peer.complete("travel", "city", "ma").values == []
        assert peer.complete("map://{country}", "country", "").values == ["France", "Spain"]


def test_the_shown_completions_are_found() -> None:
    runpy.run_path(str(ROOT / "docs_src/how_to/completions_seen.py"))


class Notices:
    """Notifications by their method, which can be waited for."""

    def __init__(self) -> None:
        self.methods: list[str] = []
        self._heard = threading.Condition()

    def __call__(self, method: str, params: dict[str, object]) -> None:
        with self._heard:
            self.methods.append(method)
            self._heard.notify_all()

    def wait_for(self, method: str, seconds: float = PATIENCE) -> bool:
        with self._heard:
            return self._heard.wait_for(lambda: method in self.methods, seconds)


def test_subscribers_of_a_session_are_reported_changes() -> None:
    heard = Notices()
    with connect(changes, era=SESSION, on_notification=heard) as peer:
        assert peer.call("write", text="unheard").text == "Clients notified: 0"
        peer.subscribe("note://today")
        assert peer.call("write", text="Buy apples").text == "Clients notified: 1"
        assert heard.wait_for("notifications/resources/updated")
        peer.call("unlock")
        assert heard.wait_for("notifications/tools/list_changed")
        assert "erase" in [tool.name for tool in peer.tools()]
        peer.call("erase")
        assert "erase" not in [tool.name for tool in peer.tools()]


def test_listeners_of_the_stateless_era_are_reported_changes() -> None:
    heard = Notices()
    with (
        connect(changes, era=STATELESS, on_notification=heard) as peer,
        peer.listen(tools=True, uris=["note://today"]) as listening,
    ):
        assert listening.acknowledged_filter == {
            "toolsListChanged": True,
            "resourceSubscriptions": ["note://today"],
        }
        assert peer.call("write", text="Buy pears").text == "Clients notified: 1"
        assert heard.wait_for("notifications/resources/updated")
        peer.call("unlock")
        assert heard.wait_for("notifications/tools/list_changed")
        peer.call("erase")


def test_a_function_of_the_process_can_watch_a_resource() -> None:
    seen: list[str] = []
    server = Server("watched")
    server.subscribe("note://x", seen.append)
    server.resource_updated("note://x")
    server.unsubscribe("note://x", seen.append)
    assert seen == ["note://x"]


def test_a_lifespan_lasts_as_long_as_the_connection() -> None:
    for _ in range(2):
        with connect(visits) as peer:
            assert peer.call("visit", name="Ada").text == "1"
            assert peer.call("visit", name="Bob").text == "2"


@pytest.mark.parametrize("name", ["plain", "asynchronous", "inline"])
def test_each_kind_of_handler_gives_the_same(name: str) -> None:
    with connect(handlers) as peer:
        assert peer.call(name, text="quick").text == "QUICK"


@pytest.mark.parametrize("name", ["wait_forever", "count_forever"])
def test_cancelling_stops_the_handler(name: str) -> None:
    stopped.clear()
    begun = threading.Event()
    with connect(handlers, on_log=lambda _: begun.set()) as peer:
        call = peer.start("tools/call", {"name": name, "arguments": {}})
        assert begun.wait(PATIENCE)
        assert peer.call("plain", text="quick").text == "QUICK"
        call.cancel("the user pressed escape")
        assert stopped.wait(PATIENCE)
        with pytest.raises(CallCancelledError):
            call.result()


def test_long_lists_come_in_pages() -> None:
    with connect(many) as peer:
        first = peer.request("tools/list")
        assert isinstance(first["tools"], list)
        assert len(first["tools"]) == 50
        assert "nextCursor" in first
        assert len(peer.tools()) == 120
        with pytest.raises(PeerError) as wrong:
            peer.request("tools/list", {"cursor": "made up"})
    assert wrong.value.rpc_code == INVALID_PARAMS


def test_a_directory_registers_objects_and_functions() -> None:
    with connect(workshop) as peer:
        assert [tool.name for tool in peer.tools()] == ["calculate", "now", "year"]
        assert peer.call("calculate", left=1, right=2).text == "3"
        assert [prompt.name for prompt in peer.prompts()] == ["explain"]
        assert peer.read("workshop://rules").text == "Put tools back."


@pytest.mark.parametrize("era", ERAS)
def test_several_questions_are_asked_at_once(era: str) -> None:
    with connect(
        questions,
        era=era,
        on_elicit=Answers(accept(value="Ada")),
        on_sample=lambda _: "Welcome",
        roots=["file:///garden"],
    ) as peer:
        assert peer.call("introduce").text == "Welcome, Ada, working in file:///garden"


def test_a_page_is_asked_for_by_its_address() -> None:
    person = Answers(accept())
    with connect(questions, on_elicit=person) as peer:
        assert peer.call("pay", amount=5).text == "Thank you."
    assert person.asked[0]["url"] == "https://pay.example.org/?amount=5"


def test_a_handler_can_do_without_what_the_client_lacks() -> None:
    with connect(questions) as peer:
        assert peer.call("summary", text="Short.").text == "Short."
    with connect(questions, on_sample=lambda _: "Brief.") as peer:
        assert peer.call("summary", text="Long.").text == "Brief."


def test_a_server_with_slow_imports_answers_at_once_and_works_later() -> None:
    with connect(ROOT / "docs_src/how_to/slow_imports.py") as peer:
        assert peer.server_info == {"name": "analysis", "version": "1.0"}
        assert peer.call("mean", values=[1, 2]).text == "1.5"


def test_a_script_calls_a_server_from_python() -> None:
    script = ROOT / "docs_src/how_to/calling_from_python.py"
    ran = subprocess.run(
        [sys.executable, str(script), str(ROOT / "docs_src/readme.py")],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    assert ran.stdout == "greet - Greet a person by name.\nHello, Ada!\n"


def test_a_script_calls_a_server_over_http() -> None:
    script = ROOT / "docs_src/how_to/calling_over_http.py"
    serve = [sys.executable, "-m", "paddock", "serve", "--http", "127.0.0.1:0"]
    with subprocess.Popen(
        [*serve, str(ROOT / "docs_src/readme.py")], stderr=subprocess.PIPE, text=True
    ) as served:
        try:
            assert served.stderr is not None
            url = served.stderr.readline().split()[-1]
            ran = subprocess.run(
                [sys.executable, str(script), url],
                env={**os.environ, "KITCHEN_TOKEN": "any"},
                stdout=subprocess.PIPE,
                text=True,
                check=True,
            )
        finally:
            served.terminate()
    assert ran.stdout == "Hello, Ada!\n"


def test_changed_files_are_picked_up_while_the_client_stays(tmp_path: Path) -> None:
    program = tmp_path / "server.py"
    text = 'from paddock import Server\n\nserver = Server("live")\n'
    tool = '\n\n@server.tool\ndef {}() -> str:\n    return "{}"\n'
    program.write_text(text + tool.format("old", "old"), encoding="utf-8")
    heard = Notices()
    command = [sys.executable, "-m", "paddock", "serve", "--reload", str(program)]
    with connect(command, era=SESSION, on_notification=heard, stderr=subprocess.DEVNULL) as peer:
        assert peer.call("old").text == "old"
        program.write_text(text + tool.format("renewed", "new"), encoding="utf-8")
        assert heard.wait_for("notifications/tools/list_changed", PATIENCE)
        assert [tool.name for tool in peer.tools()] == ["renewed"]


def test_a_task_asks_and_is_followed_to_its_end() -> None:
    user = Answers(accept(value=True), accept(value="attic"))
    with connect(archive, era=STATELESS, tasks=True, on_elicit=user) as peer:
        assert peer.call("index", folder="cellar").text == "cellar is indexed"
        assert peer.call("empty", folder="cellar").text == "cellar is empty"
        assert peer.call("restore").text == "attic is back"
        answers = [msgspec.json.decode(frame)["result"] for frame in peer.received]
        assert sum(answer["resultType"] == "task" for answer in answers) == 3


def test_a_tool_that_need_not_be_a_task_is_a_call_for_clients_that_know_none() -> None:
    with connect(archive, era=STATELESS) as peer:
        assert peer.call("index", folder="cellar").text == "cellar is indexed"
        with pytest.raises(PeerError) as refusal:
            peer.call("empty", folder="cellar")
    assert refusal.value.rpc_code == MISSING_CAPABILITY


def test_skills_come_from_directories_python_and_functions() -> None:
    with connect(skills) as peer:
        found = {skill["uri"]: skill for skill in peer.pages("skills/list", "skills")}
        assert list(found) == [
            "skill://letters/SKILL.md",
            "skill://pdf-tools/SKILL.md",
            "skill://greetings/SKILL.md",
            "skill://house/rota/SKILL.md",
        ]
        assert found["skill://house/rota/SKILL.md"]["resources"] == "dynamic"
        assert peer.read("skill://house/rota/SKILL.md").text.endswith("The kitchen is yours.\n")
        assert peer.read("skill://greetings/seal.bin").data == b"\x00\xff"


def test_the_shown_skills_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(ROOT / "docs_src/how_to/skills_seen.py"))
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "skill://letters/SKILL.md"
    assert printed[-2:] == ["Dear Madam, dear Sir", ""]


def test_a_tool_says_more_where_its_page_cannot_be_shown() -> None:
    shown: dict[str, object] = {
        "extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": [APP_MIME_TYPE]}}
    }
    with connect(apps, client_capabilities=shown) as peer:
        assert peer.call("weather", city="Rome").text == "The report for Rome is shown."
        assert "Waiting for the weather" in peer.read("ui://weather/report").text
        assert "A drop" in peer.read("ui://weather/legend").text
        assert [one.uri for one in peer.resources()] == ["ui://weather/report"]
    with connect(apps) as peer:
        assert peer.call("weather", city="Rome").text.startswith("Rome: 18 degrees")


def test_a_traced_call_has_the_handlers_span_within_its_own(tmp_path: Path) -> None:
    told = tmp_path / "stderr.txt"
    program = ROOT / "docs_src" / "how_to" / "tracing.py"
    with told.open("wb") as stderr, connect(str(program), stderr=stderr) as peer:
        assert peer.call("cook", dish="Soup").text == "Soup is ready"
    spans = told.read_text(encoding="utf-8")
    assert spans.index('"name": "heat the oven"') < spans.index('"name": "tools/call cook"')


def test_a_handler_passes_the_trace_context_on(monkeypatch: pytest.MonkeyPatch) -> None:
    got: dict[str, str] = {}

    class Shop(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            got.update(self.headers.items())
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"ordered")

        def log_message(self, *_arguments: object) -> None:
            """Say nothing."""

    parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    with HTTPServer(("127.0.0.1", 0), Shop) as shop:
        monkeypatch.setattr(trace_context, "SHOP", f"127.0.0.1:{shop.server_port}")
        serving = threading.Thread(target=shop.serve_forever)
        serving.start()
        try:
            with connect(trace_context.server) as peer:
                arguments = {"name": "order", "arguments": {"dish": "Soup"}}
                peer.request("tools/call", {**arguments, "_meta": {"traceparent": parent}})
        finally:
            shop.shutdown()
            serving.join(PATIENCE)
    assert got["traceparent"] == parent


def test_logs_are_json_with_what_the_author_adds(tmp_path: Path) -> None:
    told = tmp_path / "stderr.txt"
    command = [sys.executable, str(ROOT / "docs_src" / "how_to" / "logs.py")]
    with told.open("wb") as stderr, connect(command, stderr=stderr) as peer:
        peer.call("cook", dish="Soup")
    lines = [msgspec.json.decode(line) for line in told.read_bytes().splitlines()]
    own = next(line for line in lines if line["logger"] == "kitchen")
    assert (own["level"], own["message"], own["shelf"]) == ("warning", "No thyme left", 3)
    outcomes = {line.get("tool"): line["outcome"] for line in lines if line is not own}
    assert outcomes["cook"] == "ok"
