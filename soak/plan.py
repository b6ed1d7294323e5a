"""How much of everything there is in a run."""

from typing import NamedTuple


class Plan(NamedTuple):
    """The sizes of one run."""

    clients: int
    calls: int
    sessions: int
    cancellers: int
    cancellations: int
    listeners: int
    changes: int
    task_owners: int
    tasks: int
    slow_readers: int
    drowning: int
    never_reading: int
    vanishers: int
    departures: int
    half_open: int
    resumers: int
    resumptions: int
    session_seconds: int
    """After which the server ends a session that nobody uses."""
    growth_mb: int
    peak_mb: int


FULL = Plan(
    clients=500,
    calls=200_000,
    sessions=10_000,
    cancellers=20,
    cancellations=50,
    listeners=50,
    changes=40,
    task_owners=20,
    tasks=40,
    slow_readers=20,
    drowning=6,
    never_reading=6,
    vanishers=30,
    departures=60,
    half_open=40,
    resumers=10,
    resumptions=20,
    session_seconds=20,
    growth_mb=64,
    peak_mb=700,
)
QUICK = FULL._replace(calls=20_000, sessions=2000, cancellations=10, tasks=10, departures=20)
TINY = Plan(
    clients=20,
    calls=1000,
    sessions=100,
    cancellers=4,
    cancellations=6,
    listeners=6,
    changes=5,
    task_owners=4,
    tasks=4,
    slow_readers=4,
    drowning=0,
    never_reading=0,
    vanishers=4,
    departures=10,
    half_open=4,
    resumers=2,
    resumptions=2,
    session_seconds=3,
    growth_mb=64,
    peak_mb=500,
)
