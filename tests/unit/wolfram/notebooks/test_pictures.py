"""Pictures in cells: placeholders, and pixels where the file has them."""

from io import BytesIO
from pathlib import Path

import PIL.Image
import pytest

from paddock.wolfram import parse_strict
from paddock.wolfram.notebooks import Cell, Notebook, notebook_to_markdown, read_notebook
from paddock.wolfram.notebooks.cell_images import CellImage

SAMPLE = Path(__file__).parents[3] / "samples" / "notebooks" / "pictures.nb"


def opened(picture: CellImage) -> PIL.Image.Image:
    with PIL.Image.open(BytesIO(picture.data)) as image:
        image.load()
        return image


def pixels(box: str) -> list[CellImage]:
    (content,) = parse_strict(f"BoxData[GraphicsBox[{box}]]")
    return notebook_to_markdown(Notebook([Cell(content, "Output")])).images


def test_rasters_and_files_are_returned_under_the_names_in_the_text() -> None:
    markdown = notebook_to_markdown(read_notebook(SAMPLE.read_text(encoding="ascii")))
    names = [picture.name for picture in markdown.images]
    assert names == ["picture-1.png", "picture-2.png", "picture-3.png"]
    assert all(f"]({name})" in markdown.text for name in names)
    colours, greys, file = (opened(picture) for picture in markdown.images)
    assert (colours.mode, colours.size, colours.getpixel((0, 0))) == ("RGB", (3, 2), (255, 0, 0))
    assert colours.getpixel((2, 1)) == (255, 255, 255)
    # The rectangle of this one goes upwards: its first row is the lower one.
    assert [greys.getpixel(place) for place in ((0, 0), (1, 0), (1, 1))] == [128, 64, 255]
    assert file.getpixel((0, 0)) == 128


def test_no_more_pictures_are_returned_than_are_wanted() -> None:
    notebook = read_notebook(SAMPLE.read_text(encoding="ascii"))
    markdown = notebook_to_markdown(notebook, most_pictures=1)
    assert [picture.name for picture in markdown.images] == ["picture-1.png"]
    assert "![Graphics](picture-2)" in markdown.text


@pytest.mark.parametrize(
    "box",
    [
        'RasterBox[CompressedData["1:not base64!"]]',
        'RasterBox[CompressedData["1:eJxT"]]',
        'RasterBox[CompressedData["2:eJxTTMoPSg=="]]',
        "RasterBox[{{1, 2}, {3}}]",
        "RasterBox[{{{1, 2, 3, 4, 5}}}]",
        "RasterBox[{{x, y}}]",
        "RasterBox[{}]",
        "RasterBox[]",
        "LineBox[{{1, 2}, {3, 4}}]",
    ],
)
def test_pixels_that_cannot_be_read_leave_a_placeholder(box: str) -> None:
    assert pixels(box) == []


@pytest.mark.parametrize(
    ("array", "mode"),
    [
        ("{{0, 1}}", "L"),
        ("{{{0, 1}}}", "LA"),
        ("{{{0, 1, 0, 1}}}", "RGBA"),
        ('RawArray["UnsignedInteger8", {{{0, 1, 0}}}]', "RGB"),
        ('NumericArray[{{{0, 1, 0}}}, "UnsignedInteger8"]', "RGB"),
    ],
)
def test_one_to_four_channels_are_known(array: str, mode: str) -> None:
    (picture,) = pixels(f"RasterBox[{array}, {{{{0, 1}}, {{1, 0}}}}, {{0, 255}}]")
    assert opened(picture).mode == mode
