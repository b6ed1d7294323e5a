"""What to tell a client about a handler that failed, and what to tell the log.

The client gets one readable line; the log, on standard error unless the author has set it up
otherwise, gets the traceback.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.errors import PaddockError
from paddock.protocol.request import InputRequired, describe_object
from paddock.protocol.thread_interrupt import HandlerCancelled

if TYPE_CHECKING:
    from paddock.protocol.request import Request


class ToolError(PaddockError):
    """Raised by a handler to tell the model something; not logged as a failure."""

    code = "tool"


class ArgumentsError(ToolError):
    """The arguments of a call are not what the tool takes; its handler was not run."""

    code = "arguments"

    def __init__(self, text: str, place: str) -> None:
        super().__init__(text)
        self.place = place
        """Where in the arguments, as in `$.format`; empty when that is not known."""


def is_handler_failure(fault: BaseException, request: Request) -> bool:
    """Whether a fault is the handler's own, rather than our way to stop or suspend it."""
    if isinstance(fault, InputRequired | HandlerCancelled):
        return False
    return isinstance(fault, Exception | SystemExit | KeyboardInterrupt) or not request.is_cancelled


def describe_error(fault: BaseException, what: str, *, is_masked: bool) -> str:
    """One line for the client about a fault, which is also logged."""
    if isinstance(fault, PaddockError):
        return str(fault) if isinstance(fault, ToolError) else f"{what}: {fault}"
    log_failure(fault, f"{what} failed")
    if is_masked:
        return f"{what} failed"
    if isinstance(fault, SystemExit):
        return f"{what} tried to end the server (exit code {fault.code})"
    text = describe_object(fault)
    return f"{what} failed: {type(fault).__name__}" + (f": {text}" if text else "")


def log_failure(fault: BaseException | None, what: str) -> None:
    """Put a failure into the log, with the traceback of the fault behind it if there is one."""
    import logging  # noqa: PLC0415 - 15 ms, and only when something failed

    logging.getLogger("paddock").error(what, exc_info=fault)
