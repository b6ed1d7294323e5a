"""What happened: counts, and every rule that was broken."""

from collections import Counter

SHOWN = 20


class Ledger:
    """The books of one run."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.violations: list[str] = []

    def count(self, what: str, number: int = 1) -> None:
        """Something went as it should."""
        self.counts[what] += number

    def broken(self, what: str) -> None:
        """A rule was broken."""
        self.violations.append(what)

    def require(self, is_right: bool, what: str) -> None:
        """Note a broken rule unless it was kept."""
        if not is_right:
            self.broken(what)

    def summary(self) -> list[str]:
        """The broken rules, the first of each kind and how often there were more like it."""
        lines = self.violations[:SHOWN]
        if len(self.violations) > SHOWN:
            lines.append(f"and {len(self.violations) - SHOWN} more")
        return lines
