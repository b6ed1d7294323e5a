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
    """Return the prime factors of a number above 1, with their exponents: `{2: 3, 5: 1}` for 40."""
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
    """Answer whether a number is prime, or return None if it is too large to factorize.

    If the number is not prime, the answer lists its factors.
    """
    number = _parse_integer(numeral)
    if number > MAX_FACTORED_NUMBER:
        return None
    question = f"is {number} prime?"
    factors = find_prime_factors(number) if number > 1 else {}
    if factors == {number: 1}:
        return OfflineAnswer(question, f"{number} is a prime number")
    factors_text = f": it is {_format_factors(factors)}" if factors else ""
    return OfflineAnswer(question, f"{number} is not a prime number{factors_text}")


def _answer_factorization(numeral: str) -> OfflineAnswer | None:
    number = _parse_integer(numeral)
    if not 1 < number <= MAX_FACTORED_NUMBER:
        return None
    return OfflineAnswer(f"prime factors of {number}", _format_factors(find_prime_factors(number)))


def _format_factors(factors: dict[int, int]) -> str:
    parts = (f"{prime}^{count}" if count > 1 else str(prime) for prime, count in factors.items())
    return " \u00d7 ".join(parts)


def _answer_gcd(numerals: str) -> OfflineAnswer | None:
    return _answer_with_integers("greatest common divisor", math.gcd, numerals)


def _answer_lcm(numerals: str) -> OfflineAnswer | None:
    return _answer_with_integers("least common multiple", math.lcm, numerals)


def _answer_with_integers(
    function_name: str, compute: Callable[..., int], numerals: str
) -> OfflineAnswer | None:
    """Answer with the value of a function of multiple integers, such as "12, 18 and 30".

    Returns None if an integer is zero or too large.
    """
    numbers = [_parse_integer(numeral) for numeral in re.findall(r"\d[\d,]*\d|\d", numerals)]
    if min(numbers) < 1 or max(numbers) > 10**30:
        return None
    question = f"{function_name} of {', '.join(map(str, numbers))}"
    return OfflineAnswer(question, str(compute(*numbers)))


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
    (rf"{_GCD} of {_INTEGERS}", _answer_gcd),
    (rf"(?:least common multiple|lcm) of {_INTEGERS}", _answer_lcm),
    (rf"{_INTEGER} (?:mod|modulo) {_INTEGER}", _answer_remainder),
    (rf"remainder of {_INTEGER} divided by {_INTEGER}", _answer_remainder),
    (rf"{_INTEGER} choose {_INTEGER}", _answer_combinations),
    (rf"{_INTEGER} factorial", _answer_factorial),
    (rf"factorial of {_INTEGER}", _answer_factorial),
    (rf"(?:convert )?{_INTEGER} (?:in|to) (binary|octal|hexadecimal|hex)", _answer_base),
)
