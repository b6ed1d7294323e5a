"""Days between dates, dates before and after, days of the week, leap years.

Dates are of the Gregorian calendar and from 1753 on, when it was in use in Britain too. A date in
figures is only read as year-month-day, because 3/4 is in March for some and in April for others.
"""

from __future__ import annotations

import datetime
import re
from typing import TYPE_CHECKING

from paddock.toolkits.alpha.offline.answer import OfflineAnswer

if TYPE_CHECKING:
    from collections.abc import Callable

FIRST_YEAR, LAST_YEAR = 1753, 9998
_MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july", "august"),
    *("september", "october", "november", "december"),
)
_MONTH = "|".join([*_MONTHS, *(month[:3] for month in _MONTHS), "sept"])
_DATE = (
    rf"(\d{{4}}-\d\d-\d\d|(?:{_MONTH})\.? \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}}"
    rf"|\d{{1,2}}(?:st|nd|rd|th)?(?: of)? (?:{_MONTH})\.?,? \d{{4}}|today|tomorrow|yesterday)"
)
_NUMERAL = r"(\d{1,6})"
_SPAN = rf"{_NUMERAL} (days?|weeks?)"
_UNIT = r"(days|weeks)"
_RELATIVE = r"\b(?:today|tomorrow|yesterday|ago)\b"
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
            is_today = work in (_until, _since) or re.search(_RELATIVE, text, re.IGNORECASE)
            note = (TODAY_NOTE.format(_shown(_today())),) if is_today else ()
            return answer._replace(notes=note)
    return None


def _today() -> datetime.date:
    return datetime.datetime.now().astimezone().date()


def _date(text: str) -> datetime.date:
    """The day that is meant.

    Raises:
        ValueError: when there is none.
    """
    lower = text.lower()
    offsets = {"yesterday": -1, "today": 0, "tomorrow": 1}
    if lower in offsets:
        return _today() + datetime.timedelta(days=offsets[lower])
    if "-" in lower:
        found = datetime.date.fromisoformat(lower)
    else:
        day, year = (int(one) for one in re.findall(r"\d+", lower))
        name = next(word for word in re.findall(r"[a-z]+", lower) if re.fullmatch(_MONTH, word))
        month = next(at for at, one in enumerate(_MONTHS, 1) if one.startswith(name[:3]))
        found = datetime.date(year, month, day)
    return _checked(found)


def _checked(date: datetime.date) -> datetime.date:
    if not FIRST_YEAR <= date.year <= LAST_YEAR:
        raise ValueError("before the calendar, or after it")
    return date


def _shown(date: datetime.date) -> str:
    return f"{date:%A}, {date.isoformat()}"


def _between(unit: str, start: str, end: str) -> OfflineAnswer:
    first, last = _date(start), _date(end)
    asked = f"{unit} from {_shown(first)} to {_shown(last)}, the first day not counted"
    return OfflineAnswer(asked, _counted((last - first).days, unit))


def _counted(days: int, unit: str) -> str:
    if unit.lower() == "days":
        return "1 day" if days == 1 else f"{days} days"
    weeks, rest = divmod(abs(days), 7)
    sign = "-" if days < 0 else ""
    more = f" and {rest} day{'s' if rest > 1 else ''}" if rest else ""
    return f"{sign}{weeks} week{'' if weeks == 1 else 's'}{more}"


def _until(unit: str, end: str) -> OfflineAnswer:
    return _between(unit, "today", end)


def _since(unit: str, start: str) -> OfflineAnswer:
    return _between(unit, start, "today")


def _moved(sign: int) -> Callable[..., OfflineAnswer]:
    def answer(count: str, unit: str, start: str = "today") -> OfflineAnswer:
        date = _date(start)
        days = int(count) * (7 if unit.lower().startswith("week") else 1)
        found = _checked(date + datetime.timedelta(days=sign * days))
        word = "after" if sign > 0 else "before"
        return OfflineAnswer(f"{count} {unit} {word} {_shown(date)}", _shown(found))

    return answer


def _weekday(date: str) -> OfflineAnswer:
    found = _date(date)
    return OfflineAnswer(f"day of the week of {found.isoformat()}", f"{found:%A}")


def _leap(year: str) -> OfflineAnswer:
    number = int(year)
    _checked(datetime.date(number, 1, 1))
    is_leap = number % 4 == 0 and (number % 100 != 0 or number % 400 == 0)
    result = f"{number} is {'a' if is_leap else 'not a'} leap year"
    return OfflineAnswer(f"is {number} a leap year?", result)


_PHRASES: tuple[tuple[str, Callable[..., OfflineAnswer]], ...] = (
    (rf"(?:how many |number of )?{_UNIT} (?:are there )?between {_DATE} and {_DATE}", _between),
    (rf"(?:how many |number of )?{_UNIT} from {_DATE} (?:to|until) {_DATE}", _between),
    (rf"(?:how many |number of )?{_UNIT} (?:until|till) {_DATE}", _until),
    (rf"(?:how many |number of )?{_UNIT} since {_DATE}", _since),
    (rf"(?:date )?{_SPAN} (?:after|from) {_DATE}", _moved(1)),
    (rf"(?:date )?{_SPAN} before {_DATE}", _moved(-1)),
    (rf"(?:date )?{_SPAN} ago", _moved(-1)),
    (rf"(?:what )?day of (?:the )?week (?:is|was|of|for|on)? ?{_DATE}", _weekday),
    (rf"(?:what |which )(?:day|weekday|day of the week) (?:is|was) {_DATE}", _weekday),
    (r"is (\d{4}) a leap year", _leap),
)
