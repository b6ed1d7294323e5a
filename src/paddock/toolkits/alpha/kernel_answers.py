"""Offline answers with the engine that is there: what `offline` leaves to a kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paddock.errors import PaddockError
from paddock.kernels.calls import call_kernel
from paddock.kernels.limits import EvaluationLimits
from paddock.toolkits.alpha.offline import EngineResult, OfflineAnswer, answer_offline
from paddock.toolkits.wolfram.engines import get_engine_by_name, describe_engine, open_kernel
from paddock.toolkits.wolfram.options import ENGINE_OPTION_NAME

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paddock.authoring.context import Context
    from paddock.kernels.calls import CancelCheck, ProgressCallback
    from paddock.kernels.outcome import EvaluationResult

OFFLINE_LIMITS = EvaluationLimits(seconds=10, memory_bytes=1 << 30)


def find_offline_answer(ctx: Context, query: str, options: Mapping[str, Any]) -> OfflineAnswer | None:
    """An answer that is sure, or nothing."""

    def evaluate(code: str) -> EngineResult | None:
        try:
            engine = get_engine_by_name(options.get(ENGINE_OPTION_NAME))

            def work(is_cancelled: CancelCheck, on_wait: ProgressCallback) -> EvaluationResult:
                with open_kernel(engine, OFFLINE_LIMITS) as kernel:
                    return kernel.evaluate(code, OFFLINE_LIMITS, is_cancelled=is_cancelled, on_wait=on_wait)

            outcome = call_kernel(ctx, work, OFFLINE_LIMITS.seconds)
        except PaddockError:
            return None  # without an engine there is less that can be answered
        ctx.raise_if_cancelled()
        if outcome.status != "done" or outcome.result is None or outcome.outputs:
            return None
        return EngineResult(outcome.result, describe_engine(engine))

    return answer_offline(query, evaluate)
