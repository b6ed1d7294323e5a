"""Options that the tools for Wolfram|Alpha share; loaded to list tools."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from paddock.authoring.option import Option
from paddock.toolkits.wolfram.options import ENGINE_OPTION, ENGINE_OPTION_NAME

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
