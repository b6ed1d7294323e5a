"""Drawings from code that no one has checked become pictures, or nothing."""

from io import BytesIO

import PIL.Image
import pytest

from paddock.kernels.svg_renderer import convert_images_to_png

SVG = "image/svg+xml"


def drawing(width: int, height: int, inside: str = "") -> bytes:
    """A drawing of a size."""
    start = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}">'
    return f"{start}{inside}</svg>".encode()


def picture(svg: bytes) -> PIL.Image.Image:
    """What is made of a drawing."""
    (png,) = convert_images_to_png([(svg, SVG)])
    assert png is not None
    return PIL.Image.open(BytesIO(png)).convert("RGB")


@pytest.mark.parametrize(
    ("size", "expected"),
    [((300, 200), (600, 400)), ((800, 500), (800, 500)), ((100_000, 50_000), (2000, 1000))],
)
def test_the_size_is_one_that_can_be_looked_at(
    size: tuple[int, int], expected: tuple[int, int]
) -> None:
    assert picture(drawing(*size)).size == expected


def test_labels_are_drawn_and_the_paper_is_white() -> None:
    label = '<text x="10" y="40" font-family="sans-serif" font-size="40">label</text>'

    colours = picture(drawing(300, 100, label)).getcolors(1 << 16)

    assert colours is not None
    assert max(colours)[1] == (255, 255, 255)
    assert len(colours) > 1


def test_what_cannot_be_drawn_leaves_the_others() -> None:
    pictures = convert_images_to_png(
        [(b"<svg", SVG), (drawing(10, 10), SVG), (b"...", "audio/wav")]
    )

    assert [made is not None for made in pictures] == [False, True, False]


def test_a_picture_that_is_one_already_is_left_alone() -> None:
    assert convert_images_to_png([(b"\x89PNG...", "image/png")]) == [b"\x89PNG..."]
