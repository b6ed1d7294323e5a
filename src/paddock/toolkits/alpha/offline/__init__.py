"""Answers without Wolfram|Alpha, for the few kinds of questions where one can be sure.

Each kind has a small grammar, which refuses whatever could be meant in two ways. Numbers are worked
out exactly, or with a known error. What an engine says about formulas is checked with numbers
before anybody is told. `answer_offline` gives nothing for everything else.
"""

from paddock.toolkits.alpha.offline.answer import EngineResult, OfflineAnswer
from paddock.toolkits.alpha.offline.kinds import answer_offline

__all__ = ["EngineResult", "OfflineAnswer", "answer_offline"]
