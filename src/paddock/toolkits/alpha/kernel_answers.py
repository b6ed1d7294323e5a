"""Offline answers with the engine that is there: what `offline` leaves to a kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paddock.errors import PaddockError
from paddock.kernels.calls import call_kernel
from paddock.kernels.limits import Limits
from paddock.toolkits.alpha.offline import Evaluated, OfflineAnswer, answer_offline
from paddock.toolkits.wolfram.engines import engine_named, engine_title, fresh_kernel
from paddock.toolkits.wolfram.options import ENGINE_OPTION

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paddock.authoring.context import Context
    from paddock.kernels.calls import IsCancelled, OnWait
    from paddock.kernels.outcome import Outcome

LIMITS = Limits(seconds=10, memory_bytes=1 << 30)


def offline_answer(ctx: Context, query: str, options: Mapping[str, Any]) -> OfflineAnswer | None:
    """An answer that is sure, or nothing."""

    def evaluate(code: str) -> Evaluated | None:
        try:
            engine = engine_named(options.get(ENGINE_OPTION))

            def work(is_cancelled: IsCancelled, on_wait: OnWait) -> Outcome:
                with fresh_kernel(engine, LIMITS) as kernel:
                    return kernel.evaluate(code, LIMITS, is_cancelled=is_cancelled, on_wait=on_wait)

            outcome = call_kernel(ctx, work, LIMITS.seconds)
        except PaddockError:
            return None  # without an engine there is less that can be answered
        ctx.raise_if_cancelled()
        if outcome.status != "done" or outcome.result is None or outcome.outputs:
            return None
        return Evaluated(outcome.result, engine_title(engine))

    return answer_offline(query, evaluate)
