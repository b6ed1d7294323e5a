"""`ReadNotebook` and `WriteNotebook`: files of notebooks in the hands of a model."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from paddock import ImageContent, Peer, Server, TextContent, connect
from paddock.files import write_atomically
from paddock.toolkits.notebooks import read_notebook_tool, write_notebook_tool
from paddock.wolfram.notebooks import read_notebook
from tests.privileges import as_others_may

SAMPLES = Path(__file__).parents[1] / "samples" / "notebooks"
MARKDOWN = "# Title\n\nSome *text* with $x^2$.\n\n```wl\n1 + 1\n```\n"


@pytest.fixture(autouse=True)
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only directory that may be touched."""
    place = tmp_path / "work"
    place.mkdir()
    monkeypatch.chdir(place)
    monkeypatch.setattr("tempfile.tempdir", str(place))
    return place


@contextmanager
def tools(era: str, options: dict[str, Any] | None = None) -> Iterator[Peer]:
    server = Server("notebooks", tools=[read_notebook_tool, write_notebook_tool])
    server.set_tool_options(options or {})
    with connect(server, era=era) as peer:
        yield peer


def test_what_was_written_is_read_as_the_same(era: str, work: Path) -> None:
    with tools(era) as peer:
        written = peer.call("WriteNotebook", file="new/dir/a.nb", markdown=MARKDOWN)
        assert (written.is_error, written.text) == (False, str(work / "new/dir/a.nb"))
        assert peer.call("ReadNotebook", notebook="new/dir/a.nb").text == MARKDOWN
    notebook = read_notebook((work / "new/dir/a.nb").read_text(encoding="ascii"))
    assert [cell.style for cell in notebook] == ["Title", "Text", "Input"]


def test_a_file_that_is_there_is_replaced_only_when_asked(era: str, work: Path) -> None:
    (work / "a.nb").write_text("mine", encoding="utf-8")
    with tools(era) as peer:
        refused = peer.call("WriteNotebook", file="a.nb", markdown=MARKDOWN)
        assert not refused.is_error
        assert refused.text.startswith(f"File already exists: {work / 'a.nb'}")
        assert (work / "a.nb").read_text(encoding="utf-8") == "mine"
        done = peer.call("WriteNotebook", file="a.nb", markdown=MARKDOWN, overwrite=True)
        assert done.text == str(work / "a.nb")
        assert peer.call("ReadNotebook", notebook="a.nb").text == MARKDOWN


def test_a_directory_that_cannot_be_made_is_reported(era: str, work: Path) -> None:
    (work / "file").write_text("", encoding="utf-8")
    with tools(era) as peer:
        answer = peer.call("WriteNotebook", file="file/a.nb", markdown=MARKDOWN)
    assert not answer.is_error
    assert answer.text.startswith(f"Cannot create the directory {work / 'file'}: ")


@pytest.mark.skipif(os.name != "posix", reason="needs a limit on the size of files")
def test_a_disk_without_room_leaves_the_file_that_was_there(era: str, work: Path) -> None:
    import resource  # noqa: PLC0415 - not on every system

    (work / "a.nb").write_text("mine", encoding="utf-8")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    with tools(era) as peer:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, before[1]))
        try:
            answer = peer.call(
                "WriteNotebook", file="a.nb", markdown="x" * 1_500_000, overwrite=True
            )
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert (answer.is_error, answer.text) == (
        False,
        f"Cannot write {work / 'a.nb'}: File too large",
    )
    assert [path.read_text(encoding="utf-8") for path in work.iterdir()] == ["mine"]


def test_a_directory_is_not_a_notebook_to_write(era: str, work: Path) -> None:
    with tools(era) as peer:
        for given in (".", ""):
            answer = peer.call("WriteNotebook", file=given, markdown=MARKDOWN)
            told = f"Cannot write {work}: it is a directory. Give the path of a .nb file."
            assert answer.text == told


def test_a_file_that_appears_in_the_meantime_is_kept(work: Path) -> None:
    def appear() -> None:
        (work / "a.nb").write_text("theirs")

    with pytest.raises(FileExistsError):
        write_atomically(work / "a.nb", b"ours", is_new=True, before_replacing=appear)
    assert [path.read_text() for path in work.iterdir()] == ["theirs"]


@pytest.mark.parametrize("name", ["closed/a.nb", "x" * 300])
def test_what_cannot_be_looked_at_is_reported(era: str, work: Path, name: str) -> None:
    (work / "closed").mkdir(mode=0)
    with as_others_may(), tools(era) as peer:
        for answer in (
            peer.call("ReadNotebook", notebook=name),
            peer.call("WriteNotebook", file=name, markdown=MARKDOWN),
        ):
            assert answer.is_error
            assert answer.text.startswith(f"{work / name} cannot be accessed: ")


def test_null_is_as_good_as_nothing(era: str, work: Path) -> None:
    with tools(era) as peer:
        answer = peer.call("WriteNotebook", file="a.nb", markdown=MARKDOWN, overwrite=None)
    assert answer.text == str(work / "a.nb")


@pytest.mark.skipif(os.name != "posix", reason="modes are those of POSIX")
def test_others_may_read_a_new_notebook(era: str, work: Path) -> None:
    with tools(era) as peer:
        peer.call("WriteNotebook", file="a.nb", markdown=MARKDOWN)
    assert stat.S_IMODE((work / "a.nb").stat().st_mode) == 0o644
    assert [path.name for path in work.iterdir()] == ["a.nb"]


def test_what_is_not_a_notebook_is_reported_as_text(era: str, work: Path) -> None:
    (work / "a.nb").write_text("1 + 1", encoding="utf-8")
    (work / "dir.nb").mkdir()
    with tools(era) as peer:
        other = peer.call("ReadNotebook", notebook="a.nb")
        assert not other.is_error
        assert other.text.startswith(
            f"{work / 'a.nb'} is not a valid notebook: The text contains no Noteb"
        )
        directory = peer.call("ReadNotebook", notebook="dir.nb")
        assert directory.text == f"{work / 'dir.nb'} is not a valid notebook: Is a directory"
        missing = peer.call("ReadNotebook", notebook="gone.nb")
        assert not missing.is_error
        assert "'gone.nb' is an invalid notebook specification" in missing.text


def test_an_open_notebook_needs_a_front_end(era: str) -> None:
    with tools(era) as peer:
        answer = peer.call("ReadNotebook", notebook='NotebookObject["abc", "def"]')
    assert not answer.is_error
    assert answer.text.startswith("A NotebookObject is a notebook that is open in a front end")


def test_a_damaged_notebook_is_read_as_much_as_it_goes(era: str, work: Path) -> None:
    (work / "a.nb").write_text('Notebook[{Cell["a", "Title"],', encoding="utf-8")
    with tools(era) as peer:
        text = peer.call("ReadNotebook", notebook="a.nb").text
    assert text.startswith("# a\n")
    assert "The file is damaged" in text


def test_pictures_with_pixels_are_returned_as_images(era: str, work: Path) -> None:
    (work / "a.nb").write_bytes((SAMPLES / "pictures.nb").read_bytes())
    with tools(era) as peer:
        text, *images = peer.call("ReadNotebook", notebook="a.nb").content
        assert isinstance(text, TextContent)
        assert len(images) == 3
        assert all(isinstance(image, ImageContent) for image in images)
    with tools(era, {"ReadNotebook": {"MaxPictures": 0}}) as peer:
        assert len(peer.call("ReadNotebook", notebook="a.nb").content) == 1


def test_options_say_how_much_is_shown(era: str, work: Path) -> None:
    (work / "a.nb").write_bytes((SAMPLES / "lecture.nb").read_bytes())
    limits = {"MaxOutputCharacters": 4, "MaxCellCharacters": 12}
    with tools(era, {"ReadNotebook": limits}) as peer:
        text = peer.call("ReadNotebook", notebook="a.nb").text
    assert "Out[2]= 2.00… (cut off after 4 characters)" in text
    assert "period[l_,g_… (cut off after 12 characters)" in text


def test_files_elsewhere_are_refused_with_an_error(era: str, work: Path) -> None:
    (work.parent / "a.nb").write_text("Notebook[{}]", encoding="utf-8")
    with tools(era) as peer:
        for answer in (
            peer.call("ReadNotebook", notebook="../a.nb"),
            peer.call("WriteNotebook", file="../b.nb", markdown="x"),
        ):
            assert answer.is_error
            assert "outside the folders" in answer.text
    assert not (work.parent / "b.nb").exists()


def test_both_tools_say_what_they_do_to_files(era: str) -> None:
    with tools(era) as peer:
        found = {tool.name: tool for tool in peer.tools()}
    read, write = found["ReadNotebook"], found["WriteNotebook"]
    assert (read.title, write.title) == ("Read notebook", "Write notebook")
    assert read.annotations is not None
    assert write.annotations is not None
    properties: Any = write.input_schema["properties"]
    assert read.input_schema["required"] == ["notebook"]
    assert write.input_schema["required"] == ["file", "markdown"]
    assert properties["overwrite"]["type"] == "boolean"
