"""Offline answers to the kinds of questions whose answers are certain.

Each kind has a small grammar that rejects ambiguous questions. Numbers are computed exactly or with
a known error bound. Results of an engine are verified numerically. Without a certain answer,
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
    """Return the answer to a question if it is certain, else None.

    Polite and interrogative openings, such as "what is the", are removed first. Then each kind of
    question is tried in turn.

    Args:
        query: The question.
        evaluate: Evaluates Wolfram Language code, for calculus and algebra.
    """
    text = " ".join(query.split())
    if not text or len(text) > MAX_QUESTION_CHARACTERS:
        return None
    text = text.rstrip("?. ")
    text = text.removesuffix("=").strip()
    opening = _OPENING_PATTERN.match(text)
    question = text[opening.end() :] if opening else text
    # The order matters, because the patterns of later kinds accept more text.
    # Formulas come last, because of questions such as "how many days …".
    for answer in (answer_date, answer_percentage, answer_integers, answer_unit_conversion):
        offline_answer = answer(question)
        if offline_answer is not None:
            return offline_answer
    for answer_formula in (answer_symbolic, answer_arithmetic):
        # RecursionError: the formula is nested too deeply.
        with suppress(UncertainAnswerError, ArithmeticError, RecursionError):
            offline_answer = answer_formula(question, evaluate)
            if offline_answer is not None:
                return offline_answer
    return None


__all__ = ["EngineResult", "OfflineAnswer", "answer_offline"]
