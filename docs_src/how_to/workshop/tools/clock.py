from datetime import UTC, datetime


def now() -> str:
    """Return the current time in UTC."""
    return datetime.now(UTC).isoformat()


def year() -> int:
    """Return the current year in UTC."""
    return _now().year


def _now() -> datetime:
    return datetime.now(UTC)
