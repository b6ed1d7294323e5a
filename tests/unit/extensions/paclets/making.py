"""Paclets on disk and in archives, for tests."""

import zipfile
from pathlib import Path

from paddock.extensions.paclets.paclet import PacletExtension, read_paclet
from tests.unit.extensions.places import write

SAMPLES = Path(__file__).parents[3] / "samples" / "paclets"


def sample(name: str) -> PacletExtension:
    """One of the sample paclets."""
    return read_paclet(SAMPLES / name)


def info(declaration: str, name: str = "Scratch", version: str = "1.0.0") -> str:
    """A `PacletInfo.wl` with an "AgentTools" extension that says this."""
    return (
        f'PacletObject[<| "Name" -> "{name}", "Version" -> "{version}",'
        f' "Extensions" -> {{ {{ "AgentTools", {declaration} }} }} |>]'
    )


def paclet(directory: Path, declaration: str, **files: str) -> PacletExtension:
    """A paclet in a directory, with definition files by their names in `AgentTools`."""
    write(directory / "PacletInfo.wl", info(declaration))
    for name, text in files.items():
        write(directory / "AgentTools" / name, text)
    return read_paclet(directory)


def packed(directory: Path, archive: Path, folder: str = "") -> Path:
    """The archive of a paclet's directory, its files below a folder if there is one."""
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as zipped:
        for file in sorted(directory.rglob("*")):
            if file.is_file():
                zipped.write(file, f"{folder}{file.relative_to(directory).as_posix()}")
    return archive
