"""The tools for reference pages, as a client uses them: on files, with woxi or no engine."""

import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from paddock import Peer, Server, connect
from paddock.toolkits.wolfram.paclet_tools import (
    create_symbol_doc_tool,
    edit_symbol_doc_examples_tool,
    edit_symbol_doc_tool,
)
from paddock.wolfram import evaluate, parse_strict, quote_string
from paddock.wolfram.notebooks import notebook_to_markdown, read_notebook
from tests.behaviour.line import PATIENCE
from tests.http.hosting import wait_until

SAMPLES = Path(__file__).parents[1] / "samples" / "reference_pages"
TOOLS = [create_symbol_doc_tool, edit_symbol_doc_tool, edit_symbol_doc_examples_tool]
CREATE, EDIT, EXAMPLES = (tool.name for tool in TOOLS)
STAND_IN = Path(__file__).parents[1] / "unit/kernels/engines/stand_in_kernel.py"
PAGES = "Documentation/English/ReferencePages/Symbols"


def server(engine: str) -> Server:
    """A server with the tools."""
    options = {CREATE: {"Engine": engine}, EXAMPLES: {"Engine": engine}}
    return Server("s", tools=TOOLS).set_tool_options(options)


@pytest.fixture
def peer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Peer]:
    """A connection to a server that evaluates with woxi and works in a directory of its own."""
    monkeypatch.chdir(tmp_path)
    with connect(server("woxi")) as found:
        yield found


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """A page in a paclet, as a front end saved it."""
    place = tmp_path / "Lots" / PAGES / "GatherLot.nb"
    place.parent.mkdir(parents=True)
    place.write_bytes((SAMPLES / "saved.nb").read_bytes())
    return place


def answer(peer: Peer, tool: str, **arguments: object) -> dict[str, str]:
    """The association that a call gives."""
    result = peer.call(tool, **arguments)
    assert not result.is_error, result.text
    (expression,) = parse_strict(result.text)
    found = evaluate(expression)
    assert isinstance(found, dict)
    return found


def in_scope(peer: Peer, page: Path, content: str) -> dict[str, str]:
    """The answer to having nothing but some examples in the section Scope."""
    arguments = {"operation": "setExamples", "section": "Scope", "content": content}
    return answer(peer, EXAMPLES, notebook=str(page), **arguments)


def fault(peer: Peer, tool: str, **arguments: object) -> str:
    """What a call that fails says."""
    result = peer.call(tool, **arguments)
    assert result.is_error
    return result.text


def markdown(path: Path) -> str:
    return notebook_to_markdown(read_notebook(path.read_text())).text


def test_a_page_is_made_with_the_outputs_of_its_examples(peer: Peer, tmp_path: Path) -> None:
    found = answer(
        peer,
        CREATE,
        pacletDirectory="Sums",
        symbolName="AddTwo",
        pacletName="Sums",
        publisherID="Corner",
        usage="- `AddTwo[x]` adds 2 to *x*.",
        seeAlso="Plus, AddTwo",
        basicExamples="First:\n\n```wl\na = 5;\n```\n\n```wl\na + 2\n```\n\n---\n\n"
        "```\n% + a; 1/0\n```",
    )

    file = tmp_path / "Sums" / PAGES / "AddTwo.nb"
    assert found["file"] == str(file)
    assert found["uri"] == "Corner/Sums/ref/AddTwo"
    assert found["note"].startswith("Evaluated by Woxi")
    text = markdown(file)
    assert "In[1]:= a = 5;\n\nIn[2]:= a + 2\n\nOut[2]= 7" in text
    assert "In[1]:= % + a; 1/0\n\nOut[1]= ComplexInfinity" in text
    written = file.read_text()
    assert '"paclet:Corner/Sums/ref/AddTwo"' in written
    assert '"paclet:ref/Plus"' in written


def test_a_page_that_is_there_is_not_replaced(peer: Peer, page: Path) -> None:
    before = page.read_bytes()

    text = fault(
        peer,
        CREATE,
        pacletDirectory="Lots",
        symbolName="GatherLot",
        pacletName="Lots",
        usage="- `GatherLot[x]` x",
    )

    assert text == (
        f"the page exists already: {page} "
        "(edit it with EditSymbolDoc and EditSymbolDocExamples, or delete it first)"
    )
    assert page.read_bytes() == before


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("usage", " ", "The usage is empty"),
        ("usage", "- no syntax", "The case 'no syntax' has no syntax in backticks"),
        ("symbolName", "../../Other", "symbolName: '../../Other' is not the name of a symbol"),
        ("techNotes", "Sums", "'Sums' is not a link"),
    ],
)
def test_nothing_is_made_of_what_is_wrong(
    peer: Peer, tmp_path: Path, name: str, value: str, expected: str
) -> None:
    arguments = {
        "pacletDirectory": "Sums",
        "symbolName": "AddTwo",
        "pacletName": "Sums",
        "usage": "- `AddTwo[x]` adds.",
    }

    assert expected in fault(peer, CREATE, **{**arguments, name: value})
    assert list(tmp_path.iterdir()) == []


def test_a_part_is_changed_in_place(peer: Peer, page: Path) -> None:
    before = page.read_bytes()
    page.chmod(0o640)

    found = answer(peer, EDIT, notebook=str(page), operation="setHistory", content="new:1.0")

    assert found == {"file": str(page), "operation": "setHistory"}
    assert "New in: 1.0 " in markdown(page)
    after = page.read_bytes()
    assert after.endswith(before[before.index(b', "History"') :])
    assert page.stat().st_mode & 0o777 == 0o640
    assert list(page.parent.iterdir()) == [page]


def test_a_notebook_may_be_an_address_of_a_file_or_relative(peer: Peer, page: Path) -> None:
    for notebook in (page.as_uri(), f"Lots/{PAGES}/GatherLot.nb"):
        found = answer(peer, EDIT, notebook=notebook, operation="setKeywords", content=notebook)
        assert found["file"] == str(page)
        assert notebook in page.read_text()


def test_symbols_of_the_paclet_are_found_by_their_pages_or_usages(peer: Peer, page: Path) -> None:
    kernel = page.parents[4] / "Kernel"
    kernel.mkdir()
    (kernel / "Lots.wl").write_text('SplitLot::usage = "SplitLot[x] splits.";')

    answer(peer, EDIT, notebook=str(page), operation="setSeeAlso", content="Gather, SplitLot")

    assert '"paclet:Corner/Lots/ref/SplitLot"' in page.read_text()
    assert '"paclet:ref/Gather"' in page.read_text()


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"notebook": "gone.nb"}, "does not exist"),
        ({"notebook": "."}, "is a directory"),
        ({"notebook": "gone.nb", "operation": "nothing"}, "does not exist"),
        (
            {"operation": "setHistry"},
            "There is no operation 'setHistry' (did you mean setHistory?)",
        ),
        ({"operation": "setNotes", "content": None}, "The operation setNotes needs `content`"),
        ({"content": "new"}, "'new' is not a history entry"),
        (
            {"notebook": "damaged.nb"},
            "The notebook cannot be edited because of a syntax error: line ",
        ),
        ({"notebook": "essay.nb"}, "The notebook is not the page of a symbol"),
        ({"notebook": "/etc/hostname"}, "/etc/hostname is outside the folders"),
    ],
)
def test_a_change_that_cannot_be_made_changes_nothing(
    peer: Peer, page: Path, tmp_path: Path, arguments: dict[str, object], expected: str
) -> None:
    for name in ("damaged.nb", "essay.nb"):
        (tmp_path / name).write_bytes((SAMPLES / name).read_bytes())
    before = {file: file.read_bytes() for file in tmp_path.rglob("*.nb")}
    given = {"notebook": str(page), "operation": "setHistory", "content": "new:1", **arguments}

    text = fault(peer, EDIT, **{key: value for key, value in given.items() if value is not None})

    assert expected in text
    assert {file: file.read_bytes() for file in tmp_path.rglob("*.nb")} == before


def test_examples_are_evaluated_and_returned(peer: Peer, page: Path) -> None:
    found = answer(
        peer,
        EXAMPLES,
        notebook=str(page),
        operation="appendExample",
        section="Options",
        subsection="Depth",
        content="Depth:\n\n```wl\nRange[3]\n```\n\n---\n\n```mathematica\n{1, 2}.{3, 4}\n```",
    )

    assert {key: value for key, value in found.items() if key not in ("file", "note")} == {
        "operation": "appendExample",
        "section": "Options",
        "generatedContent": (
            "Depth:\n\n```wl\nRange[3]\n```\n\n```wl-output\n{1, 2, 3}\n```\n\n---\n\n"
            "```wl\n{1, 2}.{3, 4}\n```\n\n```wl-output\n11\n```"
        ),
    }
    assert (
        "#### Depth\n\nDepth:\n\n```wl\nIn[1]:= Range[3]\n\nOut[1]= {1, 2, 3}\n```\n\n---\n\n"
        "```wl\nIn[1]:= {1, 2}.{3, 4}\n\nOut[1]= 11\n```"
    ) in markdown(page)


def test_what_was_generated_can_be_given_again(peer: Peer, page: Path) -> None:
    once = in_scope(peer, page, "```wl\nRandomReal[]\n```")
    text = markdown(page)

    again = in_scope(peer, page, once["generatedContent"])

    assert again["generatedContent"] == once["generatedContent"]
    assert "note" not in again
    assert markdown(page) == text


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("Plot[x, {x, 0, 1}]", "it is an image"),
        ("GatherLot[{1}]", "Woxi cannot load paclets and does not know GatherLot"),
        ("1 +", "Expected an expression before the end (line 1, column 4)"),
        ("Quit[]", "it ended the kernel"),
    ],
)
def test_an_output_that_cannot_be_shown_is_left_out_and_told(
    peer: Peer, page: Path, code: str, reason: str
) -> None:
    found = in_scope(peer, page, f"```wl\n{code}\n```\n\n```wl\n1 + 1\n```")

    assert f"`{code}` has no output cell: {reason}" in found["note"]
    assert found["generatedContent"] == (
        f"```wl\n{code}\n```\n\n```wl\n1 + 1\n```\n\n```wl-output\n2\n```"
    )


def test_code_without_an_end_times_out(peer: Peer, page: Path) -> None:
    found = in_scope(peer, page, "```wl\nWhile[True]\n```")

    assert "```wl-output\n$TimedOut\n```" in found["generatedContent"]


def test_without_an_engine_outputs_are_left_out_and_the_answer_says_so(page: Path) -> None:
    with connect(server("none")) as peer:
        found = in_scope(peer, page, "```wl\n1 + 1\n```")

    assert found["generatedContent"] == "```wl\n1 + 1\n```"
    assert found["note"].startswith("No Wolfram Language engine is installed")
    assert "In[1]:= 1 + 1\n```\n\n### Options" in markdown(page)


def test_removing_says_that_nothing_was_generated(peer: Peer, page: Path) -> None:
    found = answer(
        peer, EXAMPLES, notebook=str(page), operation="clearExamples", section="BasicExamples"
    )

    assert found == {
        "file": str(page),
        "operation": "clearExamples",
        "section": "BasicExamples",
        "generatedContent": "",
    }


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"section": "Scopes", "notebook": "gone.nb"}, "Examples have no section 'Scopes'"),
        ({"notebook": "gone.nb", "operation": "x"}, "does not exist"),
        ({"operation": "moveExample"}, "There is no operation 'moveExample'"),
        ({"operation": "insertExample"}, "The operation insertExample needs `position`"),
        ({"operation": "replaceExample"}, "The operation replaceExample needs `position`"),
        ({"operation": "removeExample"}, "The operation removeExample needs `position`"),
        ({"content": None}, "The operation appendExample needs `content`"),
        ({"content": "---"}, "The content contains no example"),
        ({"operation": "removeExample", "position": 1}, "The section contains no examples"),
        (
            {"operation": "clearExamples", "section": "Options", "subsection": "Depth"},
            "There is no subsection 'Depth'",
        ),
    ],
)
def test_examples_that_cannot_be_changed_stay(
    peer: Peer, page: Path, arguments: dict[str, object], expected: str
) -> None:
    before = page.read_bytes()
    given = {
        "notebook": str(page),
        "operation": "appendExample",
        "section": "Scope",
        "content": "x",
        **arguments,
    }

    text = fault(peer, EXAMPLES, **{key: one for key, one in given.items() if one is not None})

    assert expected in text
    assert page.read_bytes() == before


def test_bytes_that_are_not_text_and_marks_stay(peer: Peer, page: Path) -> None:
    before = b"\xef\xbb\xbf" + page.read_bytes().replace(b"One:", b"Fa\xe7ade \xe4\xb8\xad:")
    page.write_bytes(before.replace(b"\n", b"\r\n"))

    answer(peer, EDIT, notebook=str(page), operation="setKeywords", content="x")

    after = page.read_bytes()
    assert after.startswith(b"\xef\xbb\xbf(* Content-type")
    assert b"Fa\xe7ade \xe4\xb8\xad:" in after
    assert after.count(b"\n") == after.count(b"\r\n")


def test_changes_at_the_same_time_are_all_kept(peer: Peer, page: Path) -> None:
    def add(number: int) -> None:
        answer(peer, EDIT, notebook=str(page), operation="addNote", content=f"Note {number}.")

    threads = [threading.Thread(target=add, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    text = markdown(page)
    assert all(f"Note {number}." in text for number in range(12))


def test_a_link_stays_a_link(peer: Peer, page: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.nb"
    link.symlink_to(page)

    answer(peer, EDIT, notebook="link.nb", operation="setKeywords", content="by a link")

    assert link.is_symlink()
    assert "by a link" in page.read_text()


def test_a_wolfram_kernel_loads_the_paclet_first(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard = tmp_path / "heard"
    program = tmp_path / "WolframKernel"
    program.write_text(
        f'#!/bin/sh\ntee "{heard}" | "{sys.executable}" -I "{STAND_IN}" "$@"\n', "utf-8"
    )
    program.chmod(0o700)
    monkeypatch.setenv("PADDOCK_WOLFRAM_KERNEL", str(program))
    monkeypatch.setenv("PADDOCK_WOLFRAM_ENGINE", f"none of {tmp_path}")

    with connect(server("wolfram")) as peer:
        found = in_scope(peer, page, "```wl\nGatherLot[{1}]\n```")

    assert found["generatedContent"].endswith("```wl-output\nGatherLot[{1}]\n```")
    wait_until(lambda: "GatherLot[{1}]" in heard.read_text())  # `tee` writes to the file last
    said = heard.read_text()
    for code in (
        f"PacletDirectoryLoad[{quote_string(str(page.parents[4]))}]",
        'Needs["Corner`Lots`"]',
    ):
        assert code.replace('"', '\\"') in said
        assert said.index(code.replace('"', '\\"')) < said.index("GatherLot[{1}]")


def test_a_call_that_is_cancelled_changes_nothing(page: Path) -> None:
    is_running = threading.Event()
    arguments = {
        "notebook": str(page),
        "operation": "setExamples",
        "section": "Scope",
        "content": "```wl\nWhile[True]\n```",
    }
    with connect(server("woxi"), on_progress=lambda _: is_running.set()) as peer:
        call = peer.start("tools/call", {"name": EXAMPLES, "arguments": arguments})
        assert is_running.wait(PATIENCE)
        call.cancel()
        answer(peer, EDIT, notebook=str(page), operation="setKeywords", content="lots\ngroup")

    assert "While" not in page.read_text()


def test_the_tools_say_what_they_are(peer: Peer) -> None:
    found = {tool.name: tool for tool in peer.tools()}

    assert {name: tool.annotations for name, tool in found.items()} == {
        name: {
            "readOnlyHint": False,
            "destructiveHint": name != CREATE,
            "idempotentHint": False,
            "openWorldHint": False,
        }
        for name in (CREATE, EDIT, EXAMPLES)
    }
    schema: Any = found[EXAMPLES].input_schema
    assert list(schema["properties"]) == [
        *("notebook", "operation", "section", "content", "position", "subsection"),
    ]
    assert schema["required"] == ["notebook", "operation", "section"]
    assert schema["properties"]["position"]["type"] == "integer"
