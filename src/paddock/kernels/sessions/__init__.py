"""Sessions: what an evaluator knows from one call to the next, also across restarts of the server.

A session is a journal (a file with one line for each evaluation), and, where the engine can tell
its definitions, a state file beside it. The kernel of a session may come and go.
"""

from paddock.kernels.sessions.journal import Entry
from paddock.kernels.sessions.opening import Sessions, shared_sessions
from paddock.kernels.sessions.pruning import Keeping
from paddock.kernels.sessions.session import Session, SessionStatus

__all__ = ["Entry", "Keeping", "Session", "SessionStatus", "Sessions", "shared_sessions"]
