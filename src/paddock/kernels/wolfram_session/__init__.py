"""The front of the Wolfram Language: what is typed, and how the answer reads.

`evaluate_code` splits code into expressions with the parser of `paddock.wolfram`, mends common
slips, replaces references to earlier lines, has a kernel evaluate one expression after the other,
and gives an `Evaluation`, whose `items` are text and pictures in reading order. Where the kernel
comes from, and what is kept of a session, is left to `paddock.kernels.sessions`.
"""

from paddock.kernels.wolfram_session.answer import Evaluation, Item, Picture, Words
from paddock.kernels.wolfram_session.evaluating import evaluate_code
from paddock.kernels.wolfram_session.history import History
from paddock.kernels.wolfram_session.texts import truncated

__all__ = ["Evaluation", "History", "Item", "Picture", "Words", "evaluate_code", "truncated"]
