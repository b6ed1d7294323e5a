"""Options of the Wolfram|Alpha tools, and the AppID that authenticates requests to the service.

The AppID comes from the tool's option, the environment, or a file in Paddock's data directory. The
file is for clients that do not pass environment variables on to servers.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from msgspec import Meta

from paddock.authoring.tool import SECRET_MASK, Option
from paddock.directories import get_data_directory
from paddock.toolkits.tool_options import ENGINE_OPTIONS

if TYPE_CHECKING:
    from collections.abc import Mapping


APP_ID_OPTION_NAME = "AppID"
APP_ID_VARIABLE = "WOLFRAM_ALPHA_APPID"
QUERY_OPTIONS = {
    APP_ID_OPTION_NAME: Option(
        None,
        str | None,
        f"AppID of Wolfram|Alpha; prefer {APP_ID_VARIABLE}, which keeps it out of client configs",
        is_secret=True,
    ),
    "Method": Option(
        "LLM",
        Literal["LLM", "FullResults"],
        "API to use: LLM for concise results, FullResults for all images",
    ),
    "BaseURL": Option(
        None, str | None, "Base URL of the API, if not Wolfram's: https://… or this machine"
    ),
    "TimeConstraint": Option(
        25.0, Annotated[float, Meta(gt=0, le=300)], "Time limit of a query, in seconds"
    ),
    "MaxCharacterCount": Option(
        6800, Annotated[int, Meta(ge=100, le=100_000)], "Maximum length of a result, in characters"
    ),
    "Units": Option(
        None, Literal["metric", "nonmetric"] | None, "Unit system. Default: by location"
    ),
    "IncludeWolframLanguageResults": Option(
        False, bool, "Whether FullResults includes Wolfram Language code"
    ),
    "MaxImageCount": Option(
        10, Annotated[int, Meta(ge=0, le=50)], "Images to download; further images become links"
    ),
    "MaxImageBytes": Option(
        8 << 20, Annotated[int, Meta(ge=0, le=64 << 20)], "Maximum total size of images, in bytes"
    ),
    "ImageTimeConstraint": Option(
        5.0, Annotated[float, Meta(gt=0, le=60)], "Time limit for downloading images, in seconds"
    ),
}
"""Options that apply to every query."""
OFFLINE_OPTIONS = {
    "Offline": Option(
        True, bool, "Whether to answer locally if Wolfram|Alpha fails and the answer is certain"
    ),
    **ENGINE_OPTIONS,
}
# The service counts every query in a call, so a single call must not use up the quota.
MAX_QUERIES = 5
QueryCount = Annotated[int, Meta(ge=1, le=MAX_QUERIES)]


APP_ID_FILE_NAME = "wolfram-alpha-appid"
_MAX_APP_ID_FILE_BYTES = 1000


def find_app_id(options: Mapping[str, object], environment: Mapping[str, str] | None = None) -> str:
    """Return the AppID, the user's Wolfram|Alpha key, or an empty string if none is set.

    The tool's options are checked first, then an environment variable, and then a file in the data
    directory.

    Args:
        options: The options of the tool.
        environment: The environment variables, or None for those of the process.
    """
    variables = os.environ if environment is None else environment
    app_id = options.get(APP_ID_OPTION_NAME) or variables.get(APP_ID_VARIABLE)
    return str(app_id or _read_app_id_file()).strip()


def describe_missing_app_id(options: Mapping[str, object], environment: Mapping[str, str]) -> str:
    """Return a note for installers if no AppID is configured, or else an empty string."""
    if find_app_id(options, environment):
        return ""
    return f"No AppID is configured. {describe_app_id_setup()}"


def get_app_id_file() -> Path:
    """Return the path of the file that may contain the AppID."""
    return Path(get_data_directory()) / APP_ID_FILE_NAME


def describe_app_id_setup(*, is_local: bool = True) -> str:
    """Explain how to configure an AppID.

    Args:
        is_local: Whether the user is on this machine. Only local users see the full path of the
            file where the AppID can be saved.
    """
    location = get_app_id_file() if is_local else f"{APP_ID_FILE_NAME} in Paddock's data directory"
    return (
        "Wolfram|Alpha requires an AppID. Get one free of charge at "
        "https://developer.wolframalpha.com (choose the LLM API), and set the environment variable "
        f"{APP_ID_VARIABLE} of the server, or save the AppID in the file {location}."
    )


def mask_app_id(text: str, app_id: str) -> str:
    """Mask the AppID in a text, such as a URL in an error message."""
    return text.replace(app_id, SECRET_MASK) if app_id else text


def _read_app_id_file() -> str:
    try:
        with get_app_id_file().open("rb") as file:
            return file.read(_MAX_APP_ID_FILE_BYTES).decode()
    except (OSError, UnicodeDecodeError):
        return ""
