"""Options that several tools share; loaded to list tools, so without anything of kernels."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from paddock.authoring.option import Option

LONGEST_SECONDS = 604_800
"""The longest time limit: a week."""
LEAST_MEMORY = 256 << 20
"""Below it an engine may not even start an evaluation."""
NETWORK_OPTION = "AllowNetwork"
NETWORK = Option(False, bool, "Whether the code may use the network")
MEMORY_OPTION = "MemoryConstraint"
MEMORY = Option(
    4 << 30, Annotated[int, Meta(ge=LEAST_MEMORY)], "Bytes of memory that an evaluation may take"
)
Seconds = Annotated[float, Meta(gt=0, le=LONGEST_SECONDS)]
ENGINE_OPTION = "Engine"
ENGINE = Option(None, str | None, "Which engine evaluates: wolfram, woxi, mathics or none")
