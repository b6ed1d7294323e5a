"""The tools and prompts that look things up, on the servers that have them, as clients see them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from paddock import Server, TextContent, connect, get_server
from paddock.client.results import PromptResult
from paddock.directories import DATA_DIRECTORY_VARIABLE
from paddock.docsearch.corpora.markdown_folders import add_folder
from paddock.docsearch.indexer import BACKGROUND_INDEX_VARIABLE
from paddock.toolkits.documentation.tools import docs_context_tool, python_context_tool

QUESTION = "<search-query>{0}</search-query>\n<search-results>\n"
REPEATED = (
    "\n</search-results>\nUse the above search results to answer the user's query below.\n"
    "<user-query>{0}</user-query>"
)


@pytest.fixture(autouse=True, scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(DATA_DIRECTORY_VARIABLE, str(tmp_path_factory.mktemp("data")))
        patch.setenv(BACKGROUND_INDEX_VARIABLE, "0")
        yield


def said(found: PromptResult) -> str:
    """The one text of a prompt."""
    (message,) = found.messages
    assert isinstance(message.content, TextContent)
    return message.content.text


@pytest.mark.parametrize("name", ["WolframLanguage", "WolframPacletDevelopment"])
def test_servers_for_wolfram_code_find_symbols_for_a_task(name: str, era: str) -> None:
    with connect(get_server(name).load(), era=era) as peer:
        answer = peer.call("WolframLanguageContext", context="a slider to change a parameter")
        searched = peer.prompt("Search", query="sort a list")
    assert not answer.is_error
    assert "<result url='https://reference.wolfram.com/language/ref/Manipulate'>" in answer.text
    assert [message.role for message in searched.messages] == ["user"]
    text = said(searched)
    assert text.startswith(QUESTION.format("sort a list"))
    assert "\n# Sort\n" in text
    assert text.endswith(REPEATED.format("sort a list"))


@pytest.mark.parametrize("name", ["Python", "PythonDevelopment"])
def test_servers_for_python_find_functions_for_a_task(name: str, era: str) -> None:
    with connect(get_server(name).load(), era=era) as peer:
        answer = peer.call("PythonContext", context="os.path.join")
        searched = said(peer.prompt("Search", query="copy a file"))
    assert answer.text.split("# ")[1].startswith("os.path.join\n\n```python\nos.path.join(a, *p)")
    assert "\n# shutil.copy\n" in searched


def test_an_empty_question_is_an_error_that_says_so(era: str) -> None:
    with connect(get_server("WolframLanguage").load(), era=era) as peer:
        answer = peer.call("WolframLanguageContext", context="  ")
        searched = said(peer.prompt("Search", query=""))
    assert (answer.is_error, answer.text) == (
        True,
        "There is nothing to search for: `context` is empty",
    )
    assert searched == (
        "<search-query></search-query>\n<search-results>\n"
        "[Error] There is nothing to search for: `context` is empty" + REPEATED.format("")
    )


def test_any_corpus_can_be_searched_and_an_unknown_one_is_reported(
    era: str, tmp_path: Path
) -> None:
    (tmp_path / "orchard.md").write_text("# Orchard\n\nWhere pears are grafted.\n")
    add_folder(tmp_path)
    with connect(Server("docs", tools=docs_context_tool), era=era) as peer:
        wolfram = peer.call("DocsContext", context="grafted pears", corpora=["wolfram-symbols"])
        unknown = peer.call("DocsContext", context="grafted pears", corpora=["folder"])
    assert "Orchard" not in wolfram.text
    assert (unknown.is_error, unknown.text) == (
        True,
        "unknown corpus 'folder' (did you mean folders?)",
    )


def test_options_limit_pages_and_characters(era: str) -> None:
    server = Server("docs", tools=python_context_tool)
    server.set_tool_options({"PythonContext": {"MaxItems": 2, "MaxCharacterCount": 900}})
    with connect(server, era=era) as peer:
        text = peer.call("PythonContext", context="read and write csv files").text
    assert text.count("<result ") <= 2
    assert len(text) <= 900


def test_the_tools_say_that_they_only_read() -> None:
    with connect(get_server("PythonDevelopment").load()) as peer:
        tool = next(one for one in peer.tools() if one.name == "PythonContext")
    assert tool.input_schema["required"] == ["context"]
    assert tool.annotations is not None
    assert tool.annotations["readOnlyHint"] is True


def test_a_notebook_is_put_into_the_conversation(
    era: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with connect(get_server("WolframLanguage").load(), era=era) as peer:
        peer.call("WriteNotebook", file="a.nb", markdown="# Title\n\nText.\n")
        (tmp_path / "b.nb").write_text("no notebook", encoding="utf-8")

        def shown(path: str) -> str:
            return said(peer.prompt("Notebook", path=path))

        assert shown("a.nb") == (
            "<notebook-path>a.nb</notebook-path>\n"
            "<notebook-content>\n# Title\n\nText.\n</notebook-content>"
        )
        assert shown("a.txt") == "[Error] not a Wolfram notebook (.nb): a.txt"
        assert shown("c.nb") == "[Error] the file does not exist: c.nb"
        assert shown("b.nb").startswith("[Error] not a valid notebook (")
        assert shown("/etc/a.nb").startswith("[Error] /etc/a.nb is outside the folders")
