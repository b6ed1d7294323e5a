"""Offline answers about dates: intervals, offsets, days of the week, leap years.

Dates are Gregorian and start in 1753, that calendar's first full year in Britain. Numeric dates
must be year-month-day because 3/4 is in March for some users and in April for others.
"""

from __future__ import annotations

import calendar
import datetime
import re
from typing import TYPE_CHECKING

from paddock.toolkits.alpha.offline.offline_answer import OfflineAnswer, answer_by_phrase

if TYPE_CHECKING:
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
    """Answer a question about dates, such as "how many days until May 5, 2030".

    Returns None if no phrase matches, or if a date in the question does not exist. An answer that
    depends on the current date includes a note with that date.
    """
    try:
        answer = answer_by_phrase(_QUESTION_PHRASES, text)
    except (ValueError, OverflowError):
        return None  # The day does not exist, such as February 30, or it is out of range.
    if answer is not None and re.search(_RELATIVE_DATE_PATTERN, text, re.IGNORECASE):
        return _add_today_note(answer)
    return answer


def _add_today_note(answer: OfflineAnswer) -> OfflineAnswer:
    return answer._replace(notes=(TODAY_NOTE.format(_format_date(_get_today())),))


def _get_today() -> datetime.date:
    return datetime.datetime.now().astimezone().date()


def _parse_date(text: str) -> datetime.date:
    """Parse a date such as `2030-05-03`, "May 3, 2030", "3rd of May 2030" or "tomorrow".

    Raises:
        ValueError: The date does not exist or is out of range.
    """
    lower_text = text.lower()
    day_offsets = {"yesterday": -1, "today": 0, "tomorrow": 1}
    if lower_text in day_offsets:
        return _get_today() + datetime.timedelta(days=day_offsets[lower_text])
    is_numeric = "-" in lower_text
    parse = datetime.date.fromisoformat if is_numeric else _parse_written_date
    return _check_year_range(parse(lower_text))


def _parse_written_date(lower_text: str) -> datetime.date:
    """Parse a date that names its month, such as "may 3rd, 2030".

    The pattern `_DATE` ensures that the text has one month and two numbers: the day and the year.
    """
    day, year = (int(numeral) for numeral in re.findall(r"\d+", lower_text))
    month_prefix = re.findall(_MONTH, lower_text)[0][:3]
    month = 1 + [name[:3] for name in _MONTH_NAMES].index(month_prefix)
    return datetime.date(year, month, day)


def _check_year_range(date: datetime.date) -> datetime.date:
    if not MIN_YEAR <= date.year <= MAX_YEAR:
        raise ValueError("the year is out of range")
    return date


def _format_date(date: datetime.date) -> str:
    return f"{date:%A}, {date.isoformat()}"


def _answer_interval(unit: str, start: str, end: str) -> OfflineAnswer:
    """Return the number of days or weeks between two dates."""
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


def _answer_days_after(count: str, unit: str, start: str) -> OfflineAnswer:
    """Answer a question such as "3 weeks after May 5, 2030". The unit is days or weeks."""
    first_date = _parse_date(start)
    result_date = _check_year_range(first_date + _parse_duration(count, unit))
    interpretation = f"{count} {unit} after {_format_date(first_date)}"
    return OfflineAnswer(interpretation, _format_date(result_date))


def _answer_days_before(count: str, unit: str, start: str = "today") -> OfflineAnswer:
    """Answer a question such as "3 weeks before May 5, 2030" or "3 weeks ago"."""
    first_date = _parse_date(start)
    result_date = _check_year_range(first_date - _parse_duration(count, unit))
    interpretation = f"{count} {unit} before {_format_date(first_date)}"
    return OfflineAnswer(interpretation, _format_date(result_date))


def _parse_duration(count: str, unit: str) -> datetime.timedelta:
    is_weeks = unit.lower().startswith("week")
    return datetime.timedelta(days=int(count) * (7 if is_weeks else 1))


def _answer_weekday(date: str) -> OfflineAnswer:
    day = _parse_date(date)
    return OfflineAnswer(f"day of the week of {day.isoformat()}", f"{day:%A}")


def _answer_leap_year(year: str) -> OfflineAnswer:
    number = int(year)
    _check_year_range(datetime.date(number, 1, 1))
    result = f"{number} is {'a' if calendar.isleap(number) else 'not a'} leap year"
    return OfflineAnswer(f"is {number} a leap year?", result)


_QUESTION_PHRASES: Phrases = (
    (rf"{_COUNTED_UNIT} (?:are there )?between {_DATE} and {_DATE}", _answer_interval),
    (rf"{_COUNTED_UNIT} from {_DATE} (?:to|until) {_DATE}", _answer_interval),
    (rf"{_COUNTED_UNIT} (?:until|till) {_DATE}", _answer_until),
    (rf"{_COUNTED_UNIT} since {_DATE}", _answer_since),
    (rf"(?:date )?{_DURATION} (?:after|from) {_DATE}", _answer_days_after),
    (rf"(?:date )?{_DURATION} before {_DATE}", _answer_days_before),
    (rf"(?:date )?{_DURATION} ago", _answer_days_before),
    (rf"(?:what )?day of (?:the )?week (?:is|was|of|for|on)? ?{_DATE}", _answer_weekday),
    (rf"(?:what |which )(?:day|weekday|day of the week) (?:is|was) {_DATE}", _answer_weekday),
    (r"is (\d{4}) a leap year", _answer_leap_year),
)
