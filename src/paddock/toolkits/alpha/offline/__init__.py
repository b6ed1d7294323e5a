"""Offline answers to kinds of questions that have a certain answer.

Each kind has a small grammar that rejects ambiguous questions. Numbers are computed exactly or with
a known error bound. Engine results are verified numerically. If no answer is certain,
`answer_offline` returns None.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING

from paddock.toolkits.alpha.offline.arithmetic import answer_arithmetic
from paddock.toolkits.alpha.offline.dates import answer_date
from paddock.toolkits.alpha.offline.engine_answers import answer_symbolic
from paddock.toolkits.alpha.offline.integers import answer_integers
from paddock.toolkits.alpha.offline.offline_answer import (
    EngineResult,
    OfflineAnswer,
    UncertainAnswerError,
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
    """Answer a question without Wolfram|Alpha, or return None if no answer is certain.

    Opening phrases such as "what is the" are removed first. Then each kind of question is tried.

    Args:
        query: The question, such as "what is 3 feet in meters?".
        evaluate: Evaluates Wolfram Language code, for calculus and algebra. Returns None if no
            engine is available.
    """
    text = " ".join(query.split())
    if not text or len(text) > MAX_QUESTION_CHARACTERS:
        return None
    text = text.rstrip("?. ")
    text = text.removesuffix("=").strip()
    opening = _OPENING_PATTERN.match(text)
    question = text[opening.end() :] if opening else text
    # The order matters because the patterns of later kinds accept more text. Formulas come last:
    # a question such as "how many days …" must not be read as a formula.
    phrase_answerers = (answer_date, answer_percentage, answer_integers, answer_unit_conversion)
    for answer_phrase in phrase_answerers:
        answer = answer_phrase(question)
        if answer is not None:
            return answer
    for answer_formula in (answer_symbolic, answer_arithmetic):
        # A RecursionError means that the formula is nested too deeply.
        with suppress(UncertainAnswerError, ArithmeticError, RecursionError):
            answer = answer_formula(question, evaluate)
            if answer is not None:
                return answer
    return None


__all__ = ["EngineResult", "OfflineAnswer", "answer_offline"]
