"""What becomes of a fault in code of the caller's that we call in threads of ours."""

from __future__ import annotations

import sys
import threading


def report_callback_error(fault: BaseException) -> None:
    """Show a fault in a callback the way Python shows one that ends a thread."""
    details = (type(fault), fault, fault.__traceback__, threading.current_thread())
    threading.excepthook(threading.ExceptHookArgs(details))
    sys.stderr.flush()
