"""Answers without Wolfram|Alpha, for the few kinds of questions where one can be sure.

Each kind has a small grammar, which refuses whatever could be meant in two ways. Numbers are worked
out exactly, or with a known error. What an engine says about formulas is checked with numbers
before anybody is told. `answer_offline` gives nothing for everything else.

All kinds of questions that are answered offline, and which of them a question is.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from paddock.toolkits.alpha.offline.arithmetic import answer_arithmetic
from paddock.toolkits.alpha.offline.dates import answer_date
from paddock.toolkits.alpha.offline.engine_answers import answer_symbolic
from paddock.toolkits.alpha.offline.integers import answer_integers
from paddock.toolkits.alpha.offline.offline_answer import (
    EngineResult,
    OfflineAnswer,
    answer_percentage,
)
from paddock.toolkits.alpha.offline.units import answer_unit_conversion

if TYPE_CHECKING:
    from paddock.toolkits.alpha.offline.offline_answer import EvaluateCode


MAX_QUESTION_CHARACTERS = 300
_OPENING_PATTERN = re.compile(
    r"(?:please |can you |tell me )*"
    r"(?:(?:what is|what's|what are|how much is|calculate|compute|evaluate|find|work out) "
    r"(?:the )?)?",
    re.IGNORECASE,
)


def answer_offline(query: str, evaluate: EvaluateCode) -> OfflineAnswer | None:
    """The answer to a question, if one is sure; else nothing."""
    text = " ".join(query.split())
    if not text or len(text) > MAX_QUESTION_CHARACTERS:
        return None
    text = text.rstrip("?. ")
    text = text.removesuffix("=").strip()
    opening = _OPENING_PATTERN.match(text)
    asked = text[opening.end() :] if opening else text
    for answer in (answer_date, answer_percentage, answer_integers, answer_unit_conversion):
        # How many days or feet is asked for stands at the beginning.
        found = answer(asked)
        if found is not None:
            return found
    return answer_symbolic(asked, evaluate) or answer_arithmetic(asked, evaluate)


__all__ = ["EngineResult", "OfflineAnswer", "answer_offline"]
