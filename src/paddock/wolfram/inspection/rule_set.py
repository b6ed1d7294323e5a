"""Registration of the inspector's checks by rule subject."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.wolfram.expressions import Node
    from paddock.wolfram.inspection.inspection import Inspection

    NodeCheck = Callable[[Inspection, Node], None]
    SourceCheck = Callable[[Inspection], None]


class RuleSet:
    """The checks for the code inspector's rules about one subject, such as control flow.

    Node checks run during the walk over a source's expressions, for nodes with the registered
    heads. Source checks run after the walk, when all facts have been collected.
    """

    def __init__(self) -> None:
        self.node_checks: defaultdict[str, list[NodeCheck]] = defaultdict(list)
        self.source_checks: list[SourceCheck] = []
        self.scoping_checks: list[SourceCheck] = []
        """Source checks that only report issues of the severity Scoping."""

    def check_nodes(self, *heads: str) -> Callable[[NodeCheck], NodeCheck]:
        """Return a decorator that registers a check for nodes with any of these heads."""

        def register(check: NodeCheck) -> NodeCheck:
            for head in heads:
                self.node_checks[head].append(check)
            return check

        return register

    def check_source(self, check: SourceCheck) -> SourceCheck:
        """Register the decorated function as a check of the whole source."""
        self.source_checks.append(check)
        return check

    def check_scoping(self, check: SourceCheck) -> SourceCheck:
        """Register a source check that is skipped if the severity Scoping is excluded."""
        self.scoping_checks.append(check)
        return check
