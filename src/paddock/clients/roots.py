"""The directories that rows of the table begin with, written as templates (see `client.Place`)."""

from __future__ import annotations

from paddock.clients.client import Place, Places

CONFIG = "${XDG_CONFIG_HOME:-~/.config}"
SUPPORT = "~/Library/Application Support"
APPDATA = "${APPDATA:-~/AppData/Roaming}"
LOCALAPPDATA = "${LOCALAPPDATA:-~/AppData/Local}"


def everywhere(*files: str | Place) -> Places:
    """The same places on all three systems."""
    places = tuple(_place(file) for file in files)
    return Places(places, places, places)


def by_system(
    *,
    linux: tuple[str | Place, ...] = (),
    macos: tuple[str | Place, ...] = (),
    windows: tuple[str | Place, ...] = (),
) -> Places:
    """Places that differ; none where the client does not run."""
    return Places(*(tuple(_place(file) for file in files) for files in (linux, macos, windows)))


def application(file: str) -> Places:
    """A file in the directory that the system gives to applications."""
    return by_system(
        linux=(f"{CONFIG}/{file}",), macos=(f"{SUPPORT}/{file}",), windows=(f"{APPDATA}/{file}",)
    )


def _place(file: str | Place) -> Place:
    return file if isinstance(file, Place) else Place(file)
