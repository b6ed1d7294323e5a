"""Sessions: the state of an evaluator across calls and server restarts.

A session consists of a journal, which has one line per evaluation, and a state file if its engine
can save definitions. The session's kernel may be replaced at any time.
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
