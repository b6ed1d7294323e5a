"""Days between dates, dates before and after, days of the week, leap years.

Dates are of the Gregorian calendar and from 1753 on, when it was in use in Britain too. A date in
figures is only read as year-month-day, because 3/4 is in March for some and in April for others.
"""

from __future__ import annotations

import datetime
import re
from typing import TYPE_CHECKING

from paddock.toolkits.alpha.offline.offline_answer import OfflineAnswer

if TYPE_CHECKING:
    from collections.abc import Callable

MIN_YEAR, MAX_YEAR = 1753, 9998
_MONTH_NAMES = (
    *("january", "february", "march", "april", "may", "june", "july", "august"),
    *("september", "october", "november", "december"),
)
_MONTH_PATTERN = "|".join([*_MONTH_NAMES, *(month[:3] for month in _MONTH_NAMES), "sept"])
_DATE_PATTERN = (
    rf"(\d{{4}}-\d\d-\d\d|(?:{_MONTH_PATTERN})\.? \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}}"
    rf"|\d{{1,2}}(?:st|nd|rd|th)?(?: of)? (?:{_MONTH_PATTERN})\.?,? \d{{4}}|today|tomorrow|yesterday)"
)
_COUNT_PATTERN = r"(\d{1,6})"
_DURATION_PATTERN = rf"{_COUNT_PATTERN} (days?|weeks?)"
_UNIT_PATTERN = r"(days|weeks)"
_RELATIVE_DATE_PATTERN = r"\b(?:today|tomorrow|yesterday|ago)\b"
TODAY_NOTE = "Today is {} by the clock of the machine that Paddock runs on."


def answer_date(text: str) -> OfflineAnswer | None:
    """The answer to a question about dates."""
    for pattern, work in _PHRASES:
        found = re.fullmatch(pattern, text, re.IGNORECASE)
        if found:
            try:
                answer = work(*found.groups())
            except (ValueError, OverflowError):
                return None  # no such day
            is_today = work in (_answer_until, _answer_since) or re.search(
                _RELATIVE_DATE_PATTERN, text, re.IGNORECASE
            )
            note = (TODAY_NOTE.format(_format_date(_get_today())),) if is_today else ()
            return answer._replace(notes=note)
    return None


def _get_today() -> datetime.date:
    return datetime.datetime.now().astimezone().date()


def _parse_date(text: str) -> datetime.date:
    """The day that is meant.

    Raises:
        ValueError: when there is none.
    """
    lower = text.lower()
    offsets = {"yesterday": -1, "today": 0, "tomorrow": 1}
    if lower in offsets:
        return _get_today() + datetime.timedelta(days=offsets[lower])
    if "-" in lower:
        found = datetime.date.fromisoformat(lower)
    else:
        day, year = (int(one) for one in re.findall(r"\d+", lower))
        name = next(
            word for word in re.findall(r"[a-z]+", lower) if re.fullmatch(_MONTH_PATTERN, word)
        )
        month = next(at for at, one in enumerate(_MONTH_NAMES, 1) if one.startswith(name[:3]))
        found = datetime.date(year, month, day)
    return _check_year_range(found)


def _check_year_range(date: datetime.date) -> datetime.date:
    if not MIN_YEAR <= date.year <= MAX_YEAR:
        raise ValueError("before the calendar, or after it")
    return date


def _format_date(date: datetime.date) -> str:
    return f"{date:%A}, {date.isoformat()}"


def _answer_interval(unit: str, start: str, end: str) -> OfflineAnswer:
    first, last = _parse_date(start), _parse_date(end)
    asked = f"{unit} from {_format_date(first)} to {_format_date(last)}, the first day not counted"
    return OfflineAnswer(asked, _format_day_count((last - first).days, unit))


def _format_day_count(days: int, unit: str) -> str:
    if unit.lower() == "days":
        return "1 day" if days == 1 else f"{days} days"
    weeks, rest = divmod(abs(days), 7)
    sign = "-" if days < 0 else ""
    more = f" and {rest} day{'s' if rest > 1 else ''}" if rest else ""
    return f"{sign}{weeks} week{'' if weeks == 1 else 's'}{more}"


def _answer_until(unit: str, end: str) -> OfflineAnswer:
    return _answer_interval(unit, "today", end)


def _answer_since(unit: str, start: str) -> OfflineAnswer:
    return _answer_interval(unit, start, "today")


def _create_offset_answer(sign: int) -> Callable[..., OfflineAnswer]:
    def answer(count: str, unit: str, start: str = "today") -> OfflineAnswer:
        date = _parse_date(start)
        days = int(count) * (7 if unit.lower().startswith("week") else 1)
        found = _check_year_range(date + datetime.timedelta(days=sign * days))
        word = "after" if sign > 0 else "before"
        return OfflineAnswer(f"{count} {unit} {word} {_format_date(date)}", _format_date(found))

    return answer


def _answer_weekday(date: str) -> OfflineAnswer:
    found = _parse_date(date)
    return OfflineAnswer(f"day of the week of {found.isoformat()}", f"{found:%A}")


def _answer_leap_year(year: str) -> OfflineAnswer:
    number = int(year)
    _check_year_range(datetime.date(number, 1, 1))
    is_leap = number % 4 == 0 and (number % 100 != 0 or number % 400 == 0)
    result = f"{number} is {'a' if is_leap else 'not a'} leap year"
    return OfflineAnswer(f"is {number} a leap year?", result)


_PHRASES: tuple[tuple[str, Callable[..., OfflineAnswer]], ...] = (
    (
        rf"(?:how many |number of )?{_UNIT_PATTERN} (?:are there )?between {_DATE_PATTERN} and {_DATE_PATTERN}",
        _answer_interval,
    ),
    (
        rf"(?:how many |number of )?{_UNIT_PATTERN} from {_DATE_PATTERN} (?:to|until) {_DATE_PATTERN}",
        _answer_interval,
    ),
    (rf"(?:how many |number of )?{_UNIT_PATTERN} (?:until|till) {_DATE_PATTERN}", _answer_until),
    (rf"(?:how many |number of )?{_UNIT_PATTERN} since {_DATE_PATTERN}", _answer_since),
    (rf"(?:date )?{_DURATION_PATTERN} (?:after|from) {_DATE_PATTERN}", _create_offset_answer(1)),
    (rf"(?:date )?{_DURATION_PATTERN} before {_DATE_PATTERN}", _create_offset_answer(-1)),
    (rf"(?:date )?{_DURATION_PATTERN} ago", _create_offset_answer(-1)),
    (rf"(?:what )?day of (?:the )?week (?:is|was|of|for|on)? ?{_DATE_PATTERN}", _answer_weekday),
    (
        rf"(?:what |which )(?:day|weekday|day of the week) (?:is|was) {_DATE_PATTERN}",
        _answer_weekday,
    ),
    (r"is (\d{4}) a leap year", _answer_leap_year),
)
