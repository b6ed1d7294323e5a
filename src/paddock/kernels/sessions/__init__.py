"""Sessions: what an evaluator knows from one call to the next, also across restarts of the server.

A session is a journal (a file with one line for each evaluation), and, where the engine can tell
its definitions, a state file beside it. The kernel of a session may come and go.
"""

from paddock.kernels.sessions.journal import JournalEntry
from paddock.kernels.sessions.opening import SessionManager, get_shared_session_manager
from paddock.kernels.sessions.pruning import RetentionPolicy
from paddock.kernels.sessions.session import EvaluationSession, SessionStatus

__all__ = ["JournalEntry", "RetentionPolicy", "EvaluationSession", "SessionStatus", "SessionManager", "get_shared_session_manager"]
