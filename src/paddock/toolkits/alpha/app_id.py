"""The AppID: where it is kept, what to do to get one, and that nobody is told it.

It is looked for in the tool's option, the environment, and a file of the user's, so that clients
which pass no environment on need not have it in their own files.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from paddock.authoring.option import MASK
from paddock.directories import data_directory
from paddock.toolkits.alpha.options import APP_ID_OPTION, APP_ID_VARIABLE

if TYPE_CHECKING:
    from collections.abc import Mapping

FILE_NAME = "wolfram-alpha-appid"
_MOST_BYTES = 1000


def find_app_id(options: Mapping[str, object], environment: Mapping[str, str] | None = None) -> str:
    """The AppID, or nothing when there is none."""
    variables = os.environ if environment is None else environment
    given = options.get(APP_ID_OPTION) or variables.get(APP_ID_VARIABLE) or _from_file()
    return str(given).strip()


def missing_app_id(options: Mapping[str, object], environment: Mapping[str, str]) -> str:
    """What whoever installs a server should know when there is none."""
    return "" if find_app_id(options, environment) else f"There is no AppID. {how_to_get()}"


def app_id_file() -> Path:
    """The file that may hold it, and nothing else."""
    return Path(data_directory()) / FILE_NAME


def how_to_get(*, is_local: bool = True) -> str:
    """What the user does to have one; who is elsewhere is told no path of this machine."""
    file = f"the file {app_id_file()}" if is_local else f"the file {FILE_NAME} of Paddock's data"
    return (
        "To ask Wolfram|Alpha, an AppID is needed. Get one free of charge at "
        "https://developer.wolframalpha.com (choose the LLM API), and put it into the environment "
        f"variable {APP_ID_VARIABLE} of the server, or alone into {file}."
    )


def masked(text: str, app_id: str) -> str:
    """A text in which the AppID cannot be read."""
    return text.replace(app_id, MASK) if app_id else text


def _from_file() -> str:
    try:
        with app_id_file().open("rb") as file:
            return file.read(_MOST_BYTES).decode()
    except (OSError, UnicodeDecodeError):
        return ""
