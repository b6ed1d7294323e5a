"""Questions about whole numbers: primes, factors, divisors, remainders, choices, notations."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from paddock.toolkits.alpha.offline.answer import OfflineAnswer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MOST = 10**12
"""The largest number that is divided by all smaller ones up to its root: a tenth of a second."""
_MOST_CHOSEN = 1000
_WHOLE = r"(\d{1,3}(?:,\d{3})+|[1-9]\d*|0)"
_BASES = {"binary": ("b", 2), "octal": ("o", 8), "hexadecimal": ("x", 16), "hex": ("x", 16)}


def answer_whole_numbers(text: str) -> OfflineAnswer | None:
    """The answer to a question about whole numbers."""
    for pattern, work in _PHRASES:
        found = re.fullmatch(pattern, text, re.IGNORECASE)
        if found:
            return work([group for group in found.groups() if group is not None])
    return None


def _numbers(groups: Sequence[str]) -> list[int]:
    return [int(group.replace(",", "")) for group in groups]


def prime_factors(number: int) -> dict[int, int]:
    """The prime factors of a number above 1, with how often each is in it."""
    found: dict[int, int] = {}
    candidate = 2
    while candidate * candidate <= number:
        while number % candidate == 0:
            found[candidate] = found.get(candidate, 0) + 1
            number //= candidate
        candidate += 1 if candidate == 2 else 2
    if number > 1:
        found[number] = found.get(number, 0) + 1
    return found


def _is_prime(groups: Sequence[str]) -> OfflineAnswer | None:
    number = _numbers(groups)[0]
    if number > MOST:
        return None
    factors = prime_factors(number) if number > 1 else {}
    is_prime = factors == {number: 1}
    more = f": it is {_product(factors)}" if factors and not is_prime else ""
    result = f"{number} is {'a prime number' if is_prime else 'not a prime number'}{more}"
    return OfflineAnswer(f"is {number} prime?", result)


def _factored(groups: Sequence[str]) -> OfflineAnswer | None:
    number = _numbers(groups)[0]
    if not 1 < number <= MOST:
        return None
    return OfflineAnswer(f"prime factors of {number}", _product(prime_factors(number)))


def _product(factors: dict[int, int]) -> str:
    parts = (f"{prime}^{count}" if count > 1 else str(prime) for prime, count in factors.items())
    return " \u00d7 ".join(parts)


def _common(name: str, work: Callable[..., int]) -> Callable[[Sequence[str]], OfflineAnswer | None]:
    def answer(groups: Sequence[str]) -> OfflineAnswer | None:
        numbers = [int(one.replace(",", "")) for one in re.findall(r"\d[\d,]*\d|\d", groups[0])]
        if min(numbers) < 1 or max(numbers) > 10**30:
            return None
        return OfflineAnswer(f"{name} of {', '.join(map(str, numbers))}", str(work(*numbers)))

    return answer


def _remainder(groups: Sequence[str]) -> OfflineAnswer | None:
    number, divisor = _numbers(groups)
    if divisor == 0:
        return None
    return OfflineAnswer(f"{number} mod {divisor}", str(number % divisor))


def _choose(groups: Sequence[str]) -> OfflineAnswer | None:
    number, count = _numbers(groups)
    if number > _MOST_CHOSEN:
        return None
    return OfflineAnswer(f"{number} choose {count}", str(math.comb(number, count)))


def _factorial(groups: Sequence[str]) -> OfflineAnswer | None:
    number = _numbers(groups)[0]
    if number > 400:
        return None
    return OfflineAnswer(f"{number}!", str(math.factorial(number)))


def _in_base(groups: Sequence[str]) -> OfflineAnswer | None:
    number, base = int(groups[0].replace(",", "")), groups[1].lower()
    letter, radix = _BASES[base]
    return OfflineAnswer(f"{number} in {base}", f"{number:{letter}} (base {radix})")


_SEVERAL = r"(?:greatest common divisor|gcd|greatest common factor|gcf|highest common factor|hcf)"
_NUMBERS = r"((?:\d+(?:, and |, | and ))+\d+)"
_PHRASES: tuple[tuple[str, Callable[[Sequence[str]], OfflineAnswer | None]], ...] = (
    (rf"is {_WHOLE} (?:a )?prime(?: number)?", _is_prime),
    (rf"(?:prime factors|prime factorization|prime factorisation) of {_WHOLE}", _factored),
    (rf"factor(?:ize|ise)? {_WHOLE}", _factored),
    (rf"{_SEVERAL} of {_NUMBERS}", _common("greatest common divisor", math.gcd)),
    (rf"(?:least common multiple|lcm) of {_NUMBERS}", _common("least common multiple", math.lcm)),
    (rf"{_WHOLE} (?:mod|modulo) {_WHOLE}", _remainder),
    (rf"remainder of {_WHOLE} divided by {_WHOLE}", _remainder),
    (rf"{_WHOLE} choose {_WHOLE}", _choose),
    (rf"{_WHOLE} factorial", _factorial),
    (rf"factorial of {_WHOLE}", _factorial),
    (rf"(?:convert )?{_WHOLE} (?:in|to) (binary|octal|hexadecimal|hex)", _in_base),
)
