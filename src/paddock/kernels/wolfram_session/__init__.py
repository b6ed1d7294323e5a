"""The front of the Wolfram Language: what is typed, and how the answer reads.

`evaluate` takes code as the next line of a session: it splits it into expressions with the parser
of `paddock.wolfram`, mends common slips, replaces references to earlier lines, has the kernel
evaluate one expression after the other, and gives an `Evaluation`, whose `items` are text and
pictures in reading order. `evaluate_code` does so with anything that evaluates. Where kernels come
from, and what is kept of a session, is left to `paddock.kernels.sessions`.
"""

from paddock.kernels.wolfram_session.answer import LineEvaluation, AnswerItem, AnswerImage, AnswerText
from paddock.kernels.wolfram_session.evaluating import evaluate_code
from paddock.kernels.wolfram_session.history import LineHistory
from paddock.kernels.wolfram_session.in_session import evaluate_line, read_line_history
from paddock.kernels.wolfram_session.texts import truncate_text

__all__ = [
    "LineEvaluation",
    "LineHistory",
    "AnswerItem",
    "AnswerImage",
    "AnswerText",
    "evaluate_line",
    "evaluate_code",
    "read_line_history",
    "truncate_text",
]
