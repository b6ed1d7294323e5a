"""What can be served, as far as serving needs to know it.

Loaded before the first answer, so it needs nothing but the interpreter.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import Protocol

    from paddock.authoring.offering import Offering
    from paddock.protocol.facts import ServerFacts

    class Loadable(Protocol):
        """A server that is loaded behind the first answer."""

        text: str
        """What the user calls it."""
        facts: ServerFacts
        is_certain: bool
        """Whether the facts will still be so when it is loaded."""
        complete: Callable[[Offering], object] | None
        """What is to be done with the server once it is loaded."""

        def load(self) -> Offering:
            """Load the server, or load it anew.

            Raises:
                PaddockError: when it cannot be.
            """

        def files(self) -> list[Path]:
            """The files whose change is a reason to load it anew, as far as they are known."""

        def forget(self) -> None:
            """Have its modules run anew when it is loaded the next time."""


PREFERRED_NAMES = ("server", "mcp", "app")
"""What a server is called in a file that has several."""
