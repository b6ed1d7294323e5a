"""The directories that rows of the table begin with, written as templates (see `client.Place`)."""

from __future__ import annotations

from paddock.clients.client import ConfigLocation, ConfigLocations

CONFIG_DIRECTORY = "${XDG_CONFIG_HOME:-~/.config}"
APPLICATION_SUPPORT_DIRECTORY = "~/Library/Application Support"
APPDATA_DIRECTORY = "${APPDATA:-~/AppData/Roaming}"
LOCAL_APPDATA_DIRECTORY = "${LOCALAPPDATA:-~/AppData/Local}"


def locations_on_all_systems(*files: str | ConfigLocation) -> ConfigLocations:
    """The same places on all three systems."""
    places = tuple(_to_location(file) for file in files)
    return ConfigLocations(places, places, places)


def locations_by_system(
    *,
    linux: tuple[str | ConfigLocation, ...] = (),
    macos: tuple[str | ConfigLocation, ...] = (),
    windows: tuple[str | ConfigLocation, ...] = (),
) -> ConfigLocations:
    """Places that differ; none where the client does not run."""
    return ConfigLocations(*(tuple(_to_location(file) for file in files) for files in (linux, macos, windows)))


def application_locations(file: str) -> ConfigLocations:
    """A file in the directory that the system gives to applications."""
    return locations_by_system(
        linux=(f"{CONFIG_DIRECTORY}/{file}",), macos=(f"{APPLICATION_SUPPORT_DIRECTORY}/{file}",), windows=(f"{APPDATA_DIRECTORY}/{file}",)
    )


def _to_location(file: str | ConfigLocation) -> ConfigLocation:
    return file if isinstance(file, ConfigLocation) else ConfigLocation(file)
