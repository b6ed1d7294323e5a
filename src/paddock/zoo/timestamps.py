"""Zoo timestamps: ISO 8601 in UTC with milliseconds.

All have the same length and time zone, so comparing them as text compares the times.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

_DATE_CHARACTERS = len("2026-01-31")


def format_timestamp(moment: datetime) -> str:
    """Format a time like `2026-01-31T08:15:00.000Z`. Times without a zone are taken as UTC."""
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return aware.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def get_current_timestamp() -> str:
    """Return the current time."""
    return format_timestamp(datetime.now(UTC))


def get_past_timestamp(days: int) -> str:
    """Return the time that is the given number of days ago."""
    return format_timestamp(datetime.now(UTC) - timedelta(days=days))


def parse_period_start(text: str) -> str:
    """Return the start of a date, or a time unchanged.

    Raises:
        ValueError: The text is neither a date nor a time in ISO 8601.
    """
    return format_timestamp(datetime.fromisoformat(text))


def parse_period_end(text: str) -> str:
    """Return the first moment after a date or time, to be used as an exclusive bound.

    The date `2026-01-31` gives the start of the next day, `2026-02-01T00:00:00.000Z`. A time gives
    the following millisecond.

    Raises:
        ValueError: The text is neither a date nor a time in ISO 8601.
    """
    if len(text) == _DATE_CHARACTERS:
        day = date.fromisoformat(text) + timedelta(days=1)
        return format_timestamp(datetime(day.year, day.month, day.day, tzinfo=UTC))
    moment = datetime.fromisoformat(text)
    return format_timestamp(moment + timedelta(milliseconds=1))
