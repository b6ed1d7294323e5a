"""What was measured: the samples of each metric for each contender, and how they are compared."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median


@dataclass(frozen=True)
class Metric:
    """A figure that is measured for every contender."""

    key: str
    title: str
    unit: str
    summary: Callable[[list[float]], float] = min
    higher_is_better: bool = False
    is_compared: bool = True
    """Whether a ratio between two values means anything; next to nothing it does not."""

    def advantage(self, value: float, base: float) -> float:
        """How many times better a value is than another."""
        better, worse = (value, base) if self.higher_is_better else (base, value)
        return better / worse if worse > 0 else float("inf")

    def best(self, values: list[float]) -> float:
        """The best of some values."""
        return max(values) if self.higher_is_better else min(values)


def median_of(samples: list[float]) -> float:
    """The summary of a metric whose best sample would flatter."""
    return median(samples)


@dataclass(frozen=True)
class Table:
    """Metrics that are shown side by side."""

    title: str
    metrics: tuple[Metric, ...]


@dataclass
class Results:
    """All samples of a run, and why some are missing."""

    samples: dict[tuple[str, str], list[float]] = field(default_factory=lambda: defaultdict(list))
    notes: dict[tuple[str, str], str] = field(default_factory=dict)

    def add(self, metric: Metric, contender: str, value: float) -> None:
        """Keep a sample."""
        self.samples[metric.key, contender].append(value)

    def note(self, metric: Metric, contender: str, text: str) -> None:
        """Keep a remark about a value, or the reason why there is none."""
        self.notes[metric.key, contender] = text

    def value(self, metric: Metric, contender: str) -> float | None:
        """What the samples of a metric come to; None when there are none."""
        samples = self.samples.get((metric.key, contender))
        return metric.summary(samples) if samples else None
