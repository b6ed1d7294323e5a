"""Points in time as the zoo writes them: ISO 8601 in UTC with milliseconds, so that text sorts."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

_DATE_CHARACTERS = len("2026-01-31")


def format_timestamp(moment: datetime) -> str:
    """As in `2026-01-31T08:15:00.000Z`; without a zone it is taken to be UTC."""
    known = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return known.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def get_current_timestamp() -> str:
    """The present."""
    return format_timestamp(datetime.now(UTC))


def get_past_timestamp(days: int) -> str:
    """The present less so many days."""
    return format_timestamp(datetime.now(UTC) - timedelta(days=days))


def parse_period_start(text: str) -> str:
    """The moment that is written, or the first one of a day.

    Raises:
        ValueError: when it is neither a date nor a time of ISO 8601.
    """
    return format_timestamp(datetime.fromisoformat(text))


def parse_period_end(text: str) -> str:
    """The first moment that is later: for a day, that is when the next one begins.

    Raises:
        ValueError: when it is neither a date nor a time of ISO 8601.
    """
    if len(text) == _DATE_CHARACTERS:
        day = date.fromisoformat(text) + timedelta(days=1)
        return format_timestamp(datetime(day.year, day.month, day.day, tzinfo=UTC))
    moment = datetime.fromisoformat(text)
    return format_timestamp(moment + timedelta(milliseconds=1))
