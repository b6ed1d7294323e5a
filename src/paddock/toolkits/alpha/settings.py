"""Options that the tools for Wolfram|Alpha share; loaded to list tools.

The AppID: where it is kept, what to do to get one, and that nobody is told it.

It is looked for in the tool's option, the environment, and a file of the user's, so that clients
which pass no environment on need not have it in their own files.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from msgspec import Meta

from paddock.authoring.tool_option import SECRET_MASK, Option
from paddock.directories import get_data_directory
from paddock.toolkits.tool_options import ENGINE_OPTION, ENGINE_OPTION_NAME

if TYPE_CHECKING:
    from collections.abc import Mapping


APP_ID_OPTION_NAME = "AppID"
APP_ID_VARIABLE = "WOLFRAM_ALPHA_APPID"
QUERY_OPTIONS = {
    APP_ID_OPTION_NAME: Option(
        None,
        str | None,
        f"The AppID; better where no file of a client has it: {APP_ID_VARIABLE}",
        is_secret=True,
    ),
    "Method": Option(
        "LLM",
        Literal["LLM", "FullResults"],
        "Which of the services answers: LLM in fewer words, FullResults with all pictures",
    ),
    "BaseURL": Option(
        None, str | None, "Where the services are, if not at Wolfram's: https://… or this machine"
    ),
    "TimeConstraint": Option(
        25.0, Annotated[float, Meta(gt=0, le=300)], "Seconds for the answer to a query"
    ),
    "MaxCharacterCount": Option(
        6800, Annotated[int, Meta(ge=100, le=100_000)], "Characters of the answer to a query"
    ),
    "Units": Option(
        None, Literal["metric", "nonmetric"] | None, "Which units are used, else by location"
    ),
    "IncludeWolframLanguageResults": Option(
        False, bool, "Whether FullResults has Wolfram Language code as well"
    ),
    "MaxImageCount": Option(
        10, Annotated[int, Meta(ge=0, le=50)], "Pictures that are fetched; the others are links"
    ),
    "MaxImageBytes": Option(
        8 << 20, Annotated[int, Meta(ge=0, le=64 << 20)], "Bytes of all pictures together"
    ),
    "ImageTimeConstraint": Option(
        5.0, Annotated[float, Meta(gt=0, le=60)], "Seconds for all pictures together"
    ),
}
"""What counts for every query."""
OFFLINE_OPTIONS = {
    "Offline": Option(
        True, bool, "Whether Paddock answers by itself where Wolfram|Alpha does not and it is sure"
    ),
    ENGINE_OPTION_NAME: ENGINE_OPTION,
}
READ_ONLY_ANNOTATIONS = {
    "readOnlyHint": True,
    "destructiveHint": False,
    "idempotentHint": True,
    "openWorldHint": True,
}
"""What the tools say of themselves."""
MAX_QUERIES = 5
"""Queries in one call, each of which is counted by the service."""
QueryCount = Annotated[int, Meta(ge=1, le=MAX_QUERIES)]


APP_ID_FILE_NAME = "wolfram-alpha-appid"
_MAX_APP_ID_FILE_BYTES = 1000


def find_app_id(options: Mapping[str, object], environment: Mapping[str, str] | None = None) -> str:
    """The AppID, or nothing when there is none."""
    variables = os.environ if environment is None else environment
    given = options.get(APP_ID_OPTION_NAME) or variables.get(APP_ID_VARIABLE) or _read_app_id_file()
    return str(given).strip()


def describe_missing_app_id(options: Mapping[str, object], environment: Mapping[str, str]) -> str:
    """What whoever installs a server should know when there is none."""
    return (
        "" if find_app_id(options, environment) else f"There is no AppID. {describe_app_id_setup()}"
    )


def get_app_id_file() -> Path:
    """The file that may hold it, and nothing else."""
    return Path(get_data_directory()) / APP_ID_FILE_NAME


def describe_app_id_setup(*, is_local: bool = True) -> str:
    """What the user does to have one; who is elsewhere is told no path of this machine."""
    file = (
        f"the file {get_app_id_file()}"
        if is_local
        else f"the file {APP_ID_FILE_NAME} of Paddock's data"
    )
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
