"""`ReadNotebook` and `WriteNotebook` with Jupyter notebooks."""

import base64
import json
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest

from paddock import ImageContent, Peer, Server, TextContent, connect
from paddock.testing import ERAS
from paddock.toolkits.notebooks import read_notebook_tool, write_notebook_tool

PIXEL = base64.b64encode(
    bytes.fromhex(
        "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154"
        "789c6360606060000000050001a5f645400000000049454e44ae426082"
    )
).decode()
FENCES = "Look:\n\n```python\nnever_run()\n```\n\n\nand on"
SOURCES = [
    ("markdown", "# Tides\n\nOf *all* seas, $x^2$."),
    ("markdown", "![map](attachment:map.png)"),
    ("code", "1 + 1"),
    ("raw", "for nbconvert"),
    ("markdown", FENCES),
    ("code", "text = '''\n```\n'''"),
    ("code", "%%bash\nls"),
    ("code", "# only a comment"),
    ("code", ""),
    ("markdown", "---"),
]
SHOWN = """\
# Tides

Of *all* seas, $x^2$.


![map](attachment:map.png)

```python
1 + 1
```

```output
before
2
![Image](picture-1.png)
ZeroDivisionError: division by zero
```

<!-- #raw -->
for nbconvert
<!-- #endraw -->
"""


def sample() -> dict[str, Any]:
    cells: list[dict[str, Any]] = []
    for number, (kind, source) in enumerate(SOURCES):
        cell: dict[str, Any] = {
            "cell_type": kind,
            "id": f"cell-{number}",
            "metadata": {},
            "source": source,
        }
        if kind == "code":
            cell |= {"execution_count": None, "outputs": []}
        cells.append(cell)
    cells[1]["attachments"] = {"map.png": {"image/png": PIXEL}}
    cells[2]["metadata"] = {"tags": ["sum"], "unknown": {"deep": [1]}}
    cells[2]["execution_count"] = 7
    error = {"output_type": "error", "ename": "ZeroDivisionError", "evalue": "division by zero"}
    cells[2]["outputs"] = [
        {"output_type": "stream", "name": "stdout", "text": ["before\n"]},
        {
            "output_type": "execute_result",
            "execution_count": 7,
            "metadata": {},
            "data": {"text/plain": ["2"], "text/html": ["<b>2</b>"]},
        },
        {"output_type": "display_data", "metadata": {}, "data": {"image/png": PIXEL}},
        {**error, "traceback": ["\x1b[31mT"]},
    ]
    kernel = {"display_name": "Mine", "language": "python", "name": "mine"}
    return {
        "cells": cells,
        "metadata": {"kernelspec": kernel, "authors": [{"name": "Ada"}]},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


@pytest.fixture(autouse=True)
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only directory that may be touched."""
    place = tmp_path / "work"
    place.mkdir()
    monkeypatch.chdir(place)
    monkeypatch.setattr("tempfile.tempdir", str(place))
    return place


@pytest.fixture
def connected(era: str) -> Iterator[Callable[..., Peer]]:
    peers: list[Peer] = []

    def open_peer(**options: object) -> Peer:
        server = Server("notebooks", tools=[read_notebook_tool, write_notebook_tool])
        server.set_tool_options({"ReadNotebook": options})
        peers.append(connect(server, era=era))
        return peers[-1]

    yield open_peer
    for peer in peers:
        peer.close()


@pytest.fixture
def peer(connected: Callable[..., Peer]) -> Peer:
    return connected()


def save(place: Path, data: object, **options: Any) -> None:
    place.write_text(json.dumps(data, **options), encoding="utf-8")


def load(place: Path) -> Any:
    data = json.loads(place.read_text(encoding="utf-8"))
    nbformat.validate(data)
    return data


def edit(peer: Peer, old: str, new: str) -> None:
    """What a model does: read, change, write."""
    text = peer.call("ReadNotebook", notebook="a.ipynb").text
    assert old in text
    changed = text.replace(old, new)
    done = peer.call("WriteNotebook", file="a.ipynb", markdown=changed, overwrite=True)
    assert done.text.endswith("a.ipynb")


def test_cells_their_outputs_and_pictures_are_shown(peer: Peer, work: Path) -> None:
    save(work / "a.ipynb", sample())
    answer = peer.call("ReadNotebook", notebook="a.ipynb")
    text, picture = answer.content
    assert isinstance(text, TextContent)
    assert text.text.startswith(SHOWN)
    assert f"<!-- #region -->\n{FENCES}\n<!-- #endregion -->" in text.text
    assert picture == ImageContent(base64.b64decode(PIXEL), "image/png")


@pytest.mark.parametrize("indent", [1, 2, "\t"])
def test_what_is_read_and_written_again_is_the_same_file(
    peer: Peer, work: Path, indent: int | str
) -> None:
    save(work / "a.ipynb", sample(), indent=indent)
    before = (work / "a.ipynb").read_text()
    edit(peer, "Tides", "Tides")
    assert (work / "a.ipynb").read_text() == before


def test_a_changed_cell_keeps_all_but_its_outputs_and_the_others_all(
    peer: Peer, work: Path
) -> None:
    save(work / "a.ipynb", sample())
    edit(peer, "1 + 1", "1 + 2")
    expected = sample()
    changed = expected["cells"][2]
    changed |= {"source": ["1 + 2"], "outputs": [], "execution_count": None}
    assert load(work / "a.ipynb") == expected


def test_new_cells_come_between_those_that_were_there(peer: Peer, work: Path) -> None:
    save(work / "a.ipynb", sample())
    edit(peer, "<!-- #raw -->", "```python\nnew()\n```\n\n<!-- #raw -->")
    cells = load(work / "a.ipynb")["cells"]
    assert cells[3] | {"id": ""} == {
        "cell_type": "code",
        "execution_count": None,
        "id": "",
        "metadata": {},
        "outputs": [],
        "source": ["new()"],
    }
    assert [*cells[:3], *cells[4:]] == sample()["cells"]


def test_what_was_not_shown_is_not_lost_when_the_notebook_is_written(
    connected: Callable[..., Peer], work: Path
) -> None:
    data = sample()
    data["cells"][0]["source"] = "# Long\n\n" + "x" * 500
    save(work / "a.ipynb", data)
    edit(connected(MaxCellCharacters=100, MaxCharacters=300), "1 + 1", "1 + 2")
    cells = load(work / "a.ipynb")["cells"]
    assert cells[2]["source"] == ["1 + 2"]
    assert ["".join(cell["source"]) for cell in cells[:2] + cells[3:]] == [
        "".join(cell["source"]) for cell in data["cells"][:2] + data["cells"][3:]
    ]
    assert [cell["id"] for cell in cells] == [cell["id"] for cell in data["cells"]]


def test_a_new_notebook_is_made_of_markdown(peer: Peer, work: Path) -> None:
    markdown = "# Title\n\nText.\n\n```py\n1 + 1\n```\n\n```bash\nls\n```\n\n```text\nplain\n```\n"
    done = peer.call("WriteNotebook", file="new/dir/a.ipynb", markdown=markdown)
    place = work / "new/dir/a.ipynb"
    assert (done.is_error, done.text) == (False, str(place))
    assert stat.S_IMODE(place.stat().st_mode) == 0o644
    data = load(place)
    found = [(cell["cell_type"], "".join(cell["source"])) for cell in data["cells"]]
    assert found == [
        ("markdown", "# Title\n\nText."),
        ("code", "1 + 1"),
        ("code", "%%bash\nls"),
        ("markdown", "```text\nplain\n```"),
    ]
    assert data["metadata"]["kernelspec"]["name"] == "python3"


def test_the_language_is_that_of_most_fences(peer: Peer, work: Path) -> None:
    peer.call("WriteNotebook", file="a.ipynb", markdown="```julia\nx = 1\n```\n")
    data = load(work / "a.ipynb")
    assert data["metadata"] == {"language_info": {"name": "julia"}}
    assert data["cells"][0]["source"] == ["x = 1"]
    assert peer.call("ReadNotebook", notebook="a.ipynb").text == "```julia\nx = 1\n```\n"


def test_a_file_that_is_there_is_replaced_only_when_asked(peer: Peer, work: Path) -> None:
    (work / "a.ipynb").write_text("{ mine")
    refused = peer.call("WriteNotebook", file="a.ipynb", markdown="x")
    assert refused.text.startswith(f"File already exists: {work / 'a.ipynb'}")
    assert (work / "a.ipynb").read_text() == "{ mine"
    done = peer.call("WriteNotebook", file="a.ipynb", markdown="x", overwrite=True)
    assert done.text == str(work / "a.ipynb")
    assert load(work / "a.ipynb")["cells"][0]["source"] == ["x"]


def test_old_formats_are_read_and_written_as_the_present_one(peer: Peer, work: Path) -> None:
    cell = {
        "cell_type": "code",
        "collapsed": False,
        "input": "print 1",
        "language": "python",
        "metadata": {},
        "outputs": [{"output_type": "stream", "stream": "stdout", "text": "1"}],
        "prompt_number": 1,
    }
    worksheets = [{"cells": [cell], "metadata": {}}]
    old = {"metadata": {"name": ""}, "nbformat": 3, "nbformat_minor": 0, "worksheets": worksheets}
    save(work / "a.ipynb", old)
    text = peer.call("ReadNotebook", notebook="a.ipynb").text
    assert text == "```python\nprint 1\n```\n\n```output\n1\n```\n"
    edit(peer, "print 1", "print(1)")
    assert load(work / "a.ipynb")["cells"][0]["source"] == ["print(1)"]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b'{"cells": [', "it is not JSON: Expecting value: line 1 column 12 (char 11)"),
        (b"[" * 200_000, "its JSON is nested too deeply"),
        (b"[]", 'the required key "nbformat" is missing'),
        (b'{"nbformat": 9}', "its format is 9, but the latest supported one is 4"),
        (b'{"nbformat": 3, "worksheets": 5}', "its format is 3 and it is damaged: "),
        (b'{"nbformat": 4, "cells": [1]}', 'the required list "cells" is missing'),
        (b"\xff", "it is not UTF-8: byte 0 is 0xff"),
    ],
)
def test_what_is_not_a_notebook_is_reported(
    peer: Peer, work: Path, content: bytes, told: str
) -> None:
    (work / "a.ipynb").write_bytes(content)
    answer = peer.call("ReadNotebook", notebook="a.ipynb")
    assert not answer.is_error
    assert answer.text.startswith(f"{work / 'a.ipynb'} is not a valid notebook: {told}")


def test_damaged_cells_do_not_keep_the_others_from_being_shown(peer: Peer, work: Path) -> None:
    cells: list[Any] = [
        {"cell_type": "code", "source": 5, "outputs": {"a": 1}},
        {"cell_type": "code", "source": ["x"], "outputs": [None, {"data": [], "output_type": "x"}]},
        {"source": "text"},
    ]
    save(work / "a.ipynb", {"nbformat": 4, "cells": cells, "metadata": None})
    text = peer.call("ReadNotebook", notebook="a.ipynb").text
    assert text == "```python\n\n```\n\n```python\nx\n```\n\ntext\n"


@pytest.mark.parametrize("era", ERAS[-1:])
def test_a_notebook_of_50_mb_is_shown_in_part_and_edited_whole(peer: Peer, work: Path) -> None:
    data = sample()
    picture = base64.b64encode(bytes(1_000_000)).decode()
    output = {"output_type": "display_data", "metadata": {}, "data": {"image/png": picture}}
    for number in range(36):
        cell = {**data["cells"][2], "id": f"big-{number}", "source": f"draw({number})"}
        data["cells"].append(cell | {"outputs": [output]})
    for number in range(5_000):
        data["cells"].append({**data["cells"][2], "id": f"more-{number}", "source": f"x{number}"})
    save(work / "a.ipynb", data)
    assert (work / "a.ipynb").stat().st_size > 50_000_000
    answer = peer.call("ReadNotebook", notebook="a.ipynb")
    assert len(answer.content) == 6
    assert len(answer.text) < 210_000
    start = int(answer.text.rpartition("start=")[2].partition(".")[0])
    further = peer.call("ReadNotebook", notebook="a.ipynb", start=start)
    assert further.text.startswith(f"*Cells 1 to {start - 1} are omitted")
    edit(peer, "draw(3)", "draw(three)")
    after = json.loads((work / "a.ipynb").read_text(encoding="utf-8"))
    changed = [cell for cell in after["cells"] if cell["id"] == "big-3"]
    assert [cell["source"] for cell in changed] == [["draw(three)"]]
    assert [cell for cell in after["cells"] if cell["id"] != "big-3"] == [
        cell for cell in data["cells"] if cell["id"] != "big-3"
    ]
