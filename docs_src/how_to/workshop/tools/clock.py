from datetime import UTC, datetime


def now() -> str:
    """The time, in UTC."""
    return datetime.now(UTC).isoformat()


def year() -> int:
    """The year, in UTC."""
    return _now().year


def _now() -> datetime:
    return datetime.now(UTC)
