"""Handler errors: the client gets one readable line, and the log gets the traceback.

The log goes to standard error unless the author has configured logging.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.errors import PaddockError, get_logger
from paddock.protocol.request import InputRequired, describe_object
from paddock.protocol.thread_interrupt import HandlerCancelled

if TYPE_CHECKING:
    from paddock.protocol.request import Request


class ToolError(PaddockError):
    """Raised by a handler to send a message to the model, without being logged as a failure."""

    code = "tool"


class ArgumentsError(ToolError):
    """The arguments of a call do not match the tool's schema, so the handler was not called."""

    code = "arguments"

    def __init__(self, text: str, argument_path: str) -> None:
        super().__init__(text)
        self.argument_path = argument_path
        """Path of the invalid argument, as in `$.format`, or empty if unknown."""


def is_handler_failure(error: BaseException, request: Request) -> bool:
    """Return False for exceptions that Paddock itself uses to stop or suspend a handler."""
    if isinstance(error, InputRequired | HandlerCancelled):
        return False
    return isinstance(error, Exception | SystemExit | KeyboardInterrupt) or not request.is_cancelled


def describe_error(error: BaseException, label: str, *, is_masked: bool) -> str:
    """Return the text that informs a client that a handler has raised an exception.

    Paddock's own errors are meant for clients, so their messages are used. Any other exception is a
    bug or failure in the handler. It is also logged, because the author needs the traceback.

    Args:
        error: The exception that ended the call.
        label: A description of the item, as in `Tool 'add'`.
        is_masked: Hide the messages of other exceptions, which may reveal server internals.
    """
    if isinstance(error, PaddockError):
        return str(error) if isinstance(error, ToolError) else f"{label}: {error}"
    log_failure(error, f"{label} failed")
    if is_masked:
        return f"{label} failed"
    if isinstance(error, SystemExit):
        return f"{label} tried to end the server (exit code {error.code})"
    text = describe_object(error)
    return f"{label} failed: {type(error).__name__}" + (f": {text}" if text else "")


def log_failure(error: BaseException | None, message: str) -> None:
    """Log a failure, with the traceback of the exception if given."""
    get_logger().error(message, exc_info=error)
