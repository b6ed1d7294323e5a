"""The AppID: where it is kept, what to do to get one, and that nobody is told it.

It is looked for in the tool's option, the environment, and a file of the user's, so that clients
which pass no environment on need not have it in their own files.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from paddock.authoring.option import SECRET_MASK
from paddock.directories import get_data_directory
from paddock.toolkits.alpha.options import APP_ID_OPTION_NAME, APP_ID_VARIABLE

if TYPE_CHECKING:
    from collections.abc import Mapping

APP_ID_FILE_NAME = "wolfram-alpha-appid"
_MAX_APP_ID_FILE_BYTES = 1000


def find_app_id(options: Mapping[str, object], environment: Mapping[str, str] | None = None) -> str:
    """The AppID, or nothing when there is none."""
    variables = os.environ if environment is None else environment
    given = options.get(APP_ID_OPTION_NAME) or variables.get(APP_ID_VARIABLE) or _read_app_id_file()
    return str(given).strip()


def describe_missing_app_id(options: Mapping[str, object], environment: Mapping[str, str]) -> str:
    """What whoever installs a server should know when there is none."""
    return "" if find_app_id(options, environment) else f"There is no AppID. {describe_app_id_setup()}"


def get_app_id_file() -> Path:
    """The file that may hold it, and nothing else."""
    return Path(get_data_directory()) / APP_ID_FILE_NAME


def describe_app_id_setup(*, is_local: bool = True) -> str:
    """What the user does to have one; who is elsewhere is told no path of this machine."""
    file = f"the file {get_app_id_file()}" if is_local else f"the file {APP_ID_FILE_NAME} of Paddock's data"
    return (
        "To ask Wolfram|Alpha, an AppID is needed. Get one free of charge at "
        "https://developer.wolframalpha.com (choose the LLM API), and put it into the environment "
        f"variable {APP_ID_VARIABLE} of the server, or alone into {file}."
    )


def mask_app_id(text: str, app_id: str) -> str:
    """A text in which the AppID cannot be read."""
    return text.replace(app_id, SECRET_MASK) if app_id else text


def _read_app_id_file() -> str:
    try:
        with get_app_id_file().open("rb") as file:
            return file.read(_MAX_APP_ID_FILE_BYTES).decode()
    except (OSError, UnicodeDecodeError):
        return ""
