"""Sessions: what an evaluator knows from one call to the next, also across restarts of the server.

A session is a journal (a file with one line for each evaluation), and, where the engine can tell
its definitions, a state file beside it. The kernel of a session may come and go.
"""

from paddock.kernels.sessions.journal import JournalEntry
from paddock.kernels.sessions.retention import RetentionPolicy
from paddock.kernels.sessions.session import EvaluationSession, SessionStatus
from paddock.kernels.sessions.session_manager import SessionManager, get_shared_session_manager

__all__ = [
    "EvaluationSession",
    "JournalEntry",
    "RetentionPolicy",
    "SessionManager",
    "SessionStatus",
    "get_shared_session_manager",
]
