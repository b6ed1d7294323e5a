"""Options that several Wolfram tools share; loaded to list tools, so without kernels."""

from __future__ import annotations

from paddock.authoring.option import Option

ENGINE_OPTION_NAME = "Engine"
ENGINE_OPTION = Option(None, str | None, "Which engine evaluates: wolfram, woxi, mathics or none")
