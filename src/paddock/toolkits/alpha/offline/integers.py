"""Offline answers about integers: primes, factors, divisors, remainders, combinations, bases."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from paddock.toolkits.alpha.offline.offline_answer import OfflineAnswer, answer_by_phrase

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.toolkits.alpha.offline.offline_answer import Phrases

MAX_FACTORED_NUMBER = 10**12  # Trial division up to its square root takes 0.1 s.
_MAX_COMBINATION_SIZE = 1000
_INTEGER = r"(\d{1,3}(?:,\d{3})+|[1-9]\d*|0)"
_BASE_FORMATS = {"binary": ("b", 2), "octal": ("o", 8), "hexadecimal": ("x", 16), "hex": ("x", 16)}
_GCD = r"(?:greatest common (?:divisor|factor)|highest common factor|gcd|gcf|hcf)"
_INTEGERS = r"((?:\d+(?:, and |, | and ))+\d+)"


def answer_integers(text: str) -> OfflineAnswer | None:
    """Answer a question about integers, or return None."""
    return answer_by_phrase(_PHRASES, text)


def _parse_integer(text: str) -> int:
    return int(text.replace(",", ""))


def find_prime_factors(number: int) -> dict[int, int]:
    """Return the prime factors of a number above 1 with their exponents."""
    exponents: dict[int, int] = {}
    candidate = 2
    while candidate * candidate <= number:
        while number % candidate == 0:
            exponents[candidate] = exponents.get(candidate, 0) + 1
            number //= candidate
        candidate += 1 if candidate == 2 else 2
    if number > 1:
        exponents[number] = exponents.get(number, 0) + 1
    return exponents


def _answer_primality(numeral: str) -> OfflineAnswer | None:
    """Return the answer on whether a number is prime, with its factors if it is not."""
    number = _parse_integer(numeral)
    if number > MAX_FACTORED_NUMBER:
        return None
    factors = find_prime_factors(number) if number > 1 else {}
    is_prime = factors == {number: 1}
    factors_text = f": it is {_format_factors(factors)}" if factors and not is_prime else ""
    result = f"{number} is {'a prime number' if is_prime else 'not a prime number'}{factors_text}"
    return OfflineAnswer(f"is {number} prime?", result)


def _answer_factorization(numeral: str) -> OfflineAnswer | None:
    number = _parse_integer(numeral)
    if not 1 < number <= MAX_FACTORED_NUMBER:
        return None
    return OfflineAnswer(f"prime factors of {number}", _format_factors(find_prime_factors(number)))


def _format_factors(factors: dict[int, int]) -> str:
    parts = (f"{prime}^{count}" if count > 1 else str(prime) for prime, count in factors.items())
    return " \u00d7 ".join(parts)


def _create_list_answer(
    name: str, compute: Callable[..., int]
) -> Callable[[str], OfflineAnswer | None]:
    """Create a function that answers with a function of several integers, such as their divisor."""

    def answer(numerals: str) -> OfflineAnswer | None:
        numbers = [_parse_integer(numeral) for numeral in re.findall(r"\d[\d,]*\d|\d", numerals)]
        if min(numbers) < 1 or max(numbers) > 10**30:
            return None
        return OfflineAnswer(f"{name} of {', '.join(map(str, numbers))}", str(compute(*numbers)))

    return answer


def _answer_remainder(dividend: str, divisor: str) -> OfflineAnswer | None:
    numbers = _parse_integer(dividend), _parse_integer(divisor)
    if numbers[1] == 0:
        return None
    return OfflineAnswer(f"{numbers[0]} mod {numbers[1]}", str(numbers[0] % numbers[1]))


def _answer_combinations(set_size: str, subset_size: str) -> OfflineAnswer | None:
    number, count = _parse_integer(set_size), _parse_integer(subset_size)
    if number > _MAX_COMBINATION_SIZE:
        return None
    return OfflineAnswer(f"{number} choose {count}", str(math.comb(number, count)))


def _answer_factorial(numeral: str) -> OfflineAnswer | None:
    number = _parse_integer(numeral)
    # Longer results are of no use to a reader.
    if number > 400:
        return None
    return OfflineAnswer(f"{number}!", str(math.factorial(number)))


def _answer_base(numeral: str, base: str) -> OfflineAnswer:
    number = _parse_integer(numeral)
    letter, radix = _BASE_FORMATS[base.lower()]
    return OfflineAnswer(f"{number} in {base.lower()}", f"{number:{letter}} (base {radix})")


_PHRASES: Phrases = (
    (rf"is {_INTEGER} (?:a )?prime(?: number)?", _answer_primality),
    (rf"prime (?:factors|factorization|factorisation) of {_INTEGER}", _answer_factorization),
    (rf"factor(?:ize|ise)? {_INTEGER}", _answer_factorization),
    (rf"{_GCD} of {_INTEGERS}", _create_list_answer("greatest common divisor", math.gcd)),
    (
        rf"(?:least common multiple|lcm) of {_INTEGERS}",
        _create_list_answer("least common multiple", math.lcm),
    ),
    (rf"{_INTEGER} (?:mod|modulo) {_INTEGER}", _answer_remainder),
    (rf"remainder of {_INTEGER} divided by {_INTEGER}", _answer_remainder),
    (rf"{_INTEGER} choose {_INTEGER}", _answer_combinations),
    (rf"{_INTEGER} factorial", _answer_factorial),
    (rf"factorial of {_INTEGER}", _answer_factorial),
    (rf"(?:convert )?{_INTEGER} (?:in|to) (binary|octal|hexadecimal|hex)", _answer_base),
)
