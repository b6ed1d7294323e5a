"""Where paclets are looked for, on each system."""

from pathlib import PurePath, PurePosixPath, PureWindowsPath

import pytest

from paddock.extensions.paclets.search_paths import PACLET_PATH_VARIABLE, list_search_paths
from paddock.named_servers.launch_command import build_launch_environment

PLACES: dict[str, tuple[dict[str, str], list[str]]] = {
    "linux": (
        {"HOME": "/home/ann"},
        [
            "/data/paclets",
            "/home/ann/.Wolfram/Paclets",
            "/home/ann/.Wolfram/Applications",
            "/home/ann/.Mathematica/Paclets",
            "/home/ann/.Mathematica/Applications",
            "/usr/share/Wolfram/Paclets",
            "/usr/share/Wolfram/Applications",
            "/usr/share/Mathematica/Paclets",
            "/usr/share/Mathematica/Applications",
        ],
    ),
    "darwin": (
        {"HOME": "/Users/ann"},
        [
            "/data/paclets",
            "/Users/ann/Library/Wolfram/Paclets",
            "/Users/ann/Library/Wolfram/Applications",
            "/Users/ann/Library/Mathematica/Paclets",
            "/Users/ann/Library/Mathematica/Applications",
            "/Library/Wolfram/Paclets",
            "/Library/Wolfram/Applications",
            "/Library/Mathematica/Paclets",
            "/Library/Mathematica/Applications",
        ],
    ),
    "win32": (
        {"USERPROFILE": "C:\\Users\\ann", "PROGRAMDATA": "D:\\Shared"},
        [
            "\\data\\paclets",
            "C:\\Users\\ann\\AppData\\Roaming\\Wolfram\\Paclets",
            "C:\\Users\\ann\\AppData\\Roaming\\Wolfram\\Applications",
            "C:\\Users\\ann\\AppData\\Roaming\\Mathematica\\Paclets",
            "C:\\Users\\ann\\AppData\\Roaming\\Mathematica\\Applications",
            "D:\\Shared\\Wolfram\\Paclets",
            "D:\\Shared\\Wolfram\\Applications",
            "D:\\Shared\\Mathematica\\Paclets",
            "D:\\Shared\\Mathematica\\Applications",
        ],
    ),
}


@pytest.mark.parametrize("system", PLACES)
def test_the_folders_of_the_user_come_before_those_of_the_machine(system: str) -> None:
    environment, expected = PLACES[system]
    found = list_search_paths(system, environment, data_directory="/data")
    assert [str(path) for path in found] == expected


def test_paths_given_by_hand_come_first() -> None:
    environment = {"HOME": "/home/ann", PACLET_PATH_VARIABLE: "~/mine:/srv/Charts.paclet:"}
    found = list_search_paths("linux", environment, data_directory="/data")
    assert found[:3] == [
        PurePosixPath("/home/ann/mine"),
        PurePosixPath("/srv/Charts.paclet"),
        PurePosixPath("/data/paclets"),
    ]


def test_paths_on_windows_are_divided_by_semicolons() -> None:
    environment = {"USERPROFILE": "C:\\Users\\ann", PACLET_PATH_VARIABLE: 'E:\\one;"F:\\two words"'}
    found = list_search_paths("win32", environment, data_directory="/data")
    assert found[:2] == [PureWindowsPath("E:\\one"), PureWindowsPath("F:\\two words")]


@pytest.mark.parametrize(
    ("variable", "place"),
    [
        ("WOLFRAM_USERBASE", 1),
        ("MATHEMATICA_USERBASE", 1),
        ("WOLFRAM_BASE", 5),
        ("MATHEMATICA_BASE", 5),
        ("APPDATA", None),
    ],
)
def test_variables_of_wolfram_say_where_its_folders_are(variable: str, place: int | None) -> None:
    found = list_search_paths(
        "linux", {"HOME": "/home/ann", variable: "/base"}, data_directory="/data"
    )
    expected: list[PurePath] = [PurePosixPath("/base/Paclets"), PurePosixPath("/base/Applications")]
    assert (found[place : place + 2] == expected) if place else (expected[0] not in found)


def test_roaming_profiles_of_windows_are_followed() -> None:
    found = list_search_paths("win32", {"APPDATA": "R:\\Roaming"}, data_directory="/data")
    assert PureWindowsPath("R:\\Roaming\\Wolfram\\Paclets") in found


def test_a_client_is_reported_paths_given_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PACLET_PATH_VARIABLE, "/srv/paclets")
    assert build_launch_environment()[PACLET_PATH_VARIABLE] == "/srv/paclets"
    monkeypatch.delenv(PACLET_PATH_VARIABLE)
    assert PACLET_PATH_VARIABLE not in build_launch_environment()
