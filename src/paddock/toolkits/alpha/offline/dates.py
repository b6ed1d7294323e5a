"""Offline answers about dates: intervals, offsets, days of the week, leap years.

Dates are Gregorian, from 1753 on, the first full year of that calendar in Britain. Numeric dates
must be year-month-day, because 3/4 is in March for some users and in April for others.
"""

from __future__ import annotations

import calendar
import datetime
import re
from typing import TYPE_CHECKING

from paddock.toolkits.alpha.offline.offline_answer import OfflineAnswer, answer_by_phrase

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.toolkits.alpha.offline.offline_answer import Phrases

MIN_YEAR, MAX_YEAR = 1753, 9998
_MONTH_NAMES = (
    *("january", "february", "march", "april", "may", "june", "july", "august"),
    *("september", "october", "november", "december"),
)
_MONTH = "|".join([*_MONTH_NAMES, *(month[:3] for month in _MONTH_NAMES), "sept"])
_DATE = (
    rf"(\d{{4}}-\d\d-\d\d|(?:{_MONTH})\.? \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}}"
    rf"|\d{{1,2}}(?:st|nd|rd|th)?(?: of)? (?:{_MONTH})\.?,? \d{{4}}"
    r"|today|tomorrow|yesterday)"
)
_COUNT = r"(\d{1,6})"
_DURATION = rf"{_COUNT} (days?|weeks?)"
_UNIT = r"(days|weeks)"
_RELATIVE_DATE_PATTERN = r"\b(?:today|tomorrow|yesterday|ago)\b"
TODAY_NOTE = "Today is {} by the clock of the machine that runs Paddock."
_COUNTED_UNIT = rf"(?:how many |number of )?{_UNIT}"


def answer_date(text: str) -> OfflineAnswer | None:
    """Answer a question about dates, or return None."""
    try:
        answer = answer_by_phrase(_PHRASES, text)
    except (ValueError, OverflowError):
        return None  # not an existing day
    if answer is not None and re.search(_RELATIVE_DATE_PATTERN, text, re.IGNORECASE):
        return _add_today_note(answer)
    return answer


def _add_today_note(answer: OfflineAnswer) -> OfflineAnswer:
    return answer._replace(notes=(TODAY_NOTE.format(_format_date(_get_today())),))


def _get_today() -> datetime.date:
    return datetime.datetime.now().astimezone().date()


def _parse_date(text: str) -> datetime.date:
    """Parse a date in words or figures, or a relative date such as "tomorrow".

    Raises:
        ValueError: The date does not exist or is out of range.
    """
    lower = text.lower()
    offsets = {"yesterday": -1, "today": 0, "tomorrow": 1}
    if lower in offsets:
        return _get_today() + datetime.timedelta(days=offsets[lower])
    if "-" in lower:
        date = datetime.date.fromisoformat(lower)
    else:
        day, year = (int(numeral) for numeral in re.findall(r"\d+", lower))
        month_name = re.findall(_MONTH, lower)[0][:3]
        month = 1 + [name[:3] for name in _MONTH_NAMES].index(month_name)
        date = datetime.date(year, month, day)
    return _check_year_range(date)


def _check_year_range(date: datetime.date) -> datetime.date:
    if not MIN_YEAR <= date.year <= MAX_YEAR:
        raise ValueError("the year is out of range")
    return date


def _format_date(date: datetime.date) -> str:
    return f"{date:%A}, {date.isoformat()}"


def _answer_interval(unit: str, start: str, end: str) -> OfflineAnswer:
    """Return the days or weeks between two dates."""
    first, last = _parse_date(start), _parse_date(end)
    interpretation = (
        f"{unit} from {_format_date(first)} to {_format_date(last)}, the first day not counted"
    )
    return OfflineAnswer(interpretation, _format_day_count((last - first).days, unit))


def _format_day_count(day_count: int, unit: str) -> str:
    if unit.lower() == "days":
        return "1 day" if day_count == 1 else f"{day_count} days"
    weeks, days_left = divmod(abs(day_count), 7)
    sign = "-" if day_count < 0 else ""
    days_text = f" and {days_left} day{'s' if days_left > 1 else ''}" if days_left else ""
    return f"{sign}{weeks} week{'' if weeks == 1 else 's'}{days_text}"


def _answer_until(unit: str, end: str) -> OfflineAnswer:
    return _add_today_note(_answer_interval(unit, "today", end))


def _answer_since(unit: str, start: str) -> OfflineAnswer:
    return _add_today_note(_answer_interval(unit, start, "today"))


def _create_offset_answer(sign: int) -> Callable[..., OfflineAnswer]:
    """Create a function that adds a duration to a date (sign 1), or subtracts it (sign -1)."""

    def answer(count: str, unit: str, start: str = "today") -> OfflineAnswer:
        date = _parse_date(start)
        days = int(count) * (7 if unit.lower().startswith("week") else 1)
        result = _check_year_range(date + datetime.timedelta(days=sign * days))
        word = "after" if sign > 0 else "before"
        return OfflineAnswer(f"{count} {unit} {word} {_format_date(date)}", _format_date(result))

    return answer


def _answer_weekday(date: str) -> OfflineAnswer:
    day = _parse_date(date)
    return OfflineAnswer(f"day of the week of {day.isoformat()}", f"{day:%A}")


def _answer_leap_year(year: str) -> OfflineAnswer:
    number = int(year)
    _check_year_range(datetime.date(number, 1, 1))
    result = f"{number} is {'a' if calendar.isleap(number) else 'not a'} leap year"
    return OfflineAnswer(f"is {number} a leap year?", result)


_PHRASES: Phrases = (
    (rf"{_COUNTED_UNIT} (?:are there )?between {_DATE} and {_DATE}", _answer_interval),
    (rf"{_COUNTED_UNIT} from {_DATE} (?:to|until) {_DATE}", _answer_interval),
    (rf"{_COUNTED_UNIT} (?:until|till) {_DATE}", _answer_until),
    (rf"{_COUNTED_UNIT} since {_DATE}", _answer_since),
    (rf"(?:date )?{_DURATION} (?:after|from) {_DATE}", _create_offset_answer(1)),
    (rf"(?:date )?{_DURATION} before {_DATE}", _create_offset_answer(-1)),
    (rf"(?:date )?{_DURATION} ago", _create_offset_answer(-1)),
    (rf"(?:what )?day of (?:the )?week (?:is|was|of|for|on)? ?{_DATE}", _answer_weekday),
    (rf"(?:what |which )(?:day|weekday|day of the week) (?:is|was) {_DATE}", _answer_weekday),
    (r"is (\d{4}) a leap year", _answer_leap_year),
)
