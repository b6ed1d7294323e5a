"""Texts that look like keys and passwords, found before they leave in a file.

A finding says where one stands and of which kind it is, and never what it is.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import TYPE_CHECKING

from paddock.zoo.formats.exchange import Remark

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from paddock.zoo.model import Agent, BrainEntry

SECRET_KINDS = (
    ("a private key", r"-----BEGIN [A-Z ]*PRIVATE KEY-----"),
    ("an Anthropic API key", r"\bsk-ant-[\w-]{16,}"),
    ("an API key", r"\bsk-(?:proj-|or-v1-|live-)?[A-Za-z0-9_-]{20,}"),
    ("a Stripe key", r"\b[rsp]k_(?:live|test)_[A-Za-z0-9]{16,}"),
    ("a GitHub token", r"\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}"),
    ("a GitLab token", r"\bglpat-[\w-]{16,}"),
    ("a Slack token", r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}"),
    ("an AWS access key", r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"),
    ("a Google API key", r"\bAIza[\w-]{30,}"),
    ("a Hugging Face token", r"\bhf_[A-Za-z0-9]{20,}"),
    ("an npm token", r"\bnpm_[A-Za-z0-9]{30,}"),
    ("a PyPI token", r"\bpypi-[\w-]{32,}"),
    ("a signed token", r"\beyJ[\w-]{8,999}\.eyJ[\w-]{8,9999}\.[\w-]{8}"),
    ("a password in an address", r"\b[a-z][a-z0-9+.-]{0,20}://[^\s/:@]+:[^\s/@]{3,}@"),
)
_SECRET_PATTERN = re.compile("|".join(f"(?P<k{n}>{pattern})" for n, (_, pattern) in enumerate(SECRET_KINDS)))
_ASSIGNMENT_PATTERN = re.compile(
    r"(?i)\b(?:[\w-]{0,40}(?:api[_-]?key|secret|password|passwd|access[_-]?token|auth[_-]?token))\b"
    r"[\"']?\s*[:=]\s*[\"']?(?P<value>[^\s\"'`,;<>${}]{8,})"
)
_MIN_RANDOM_BITS = 3.0
"""Bits for each character, above which a text is no word."""


def find_secrets(text: str) -> Iterator[tuple[int, str]]:
    """The line and the kind of everything in a text that looks like a secret."""
    for number, line in enumerate(text.split("\n"), 1):
        found = _SECRET_PATTERN.search(line)
        if found is not None and found.lastgroup is not None:
            yield number, SECRET_KINDS[int(found.lastgroup[1:])][0]
        elif (assigned := _ASSIGNMENT_PATTERN.search(line)) and _is_random(assigned["value"]):
            yield number, "a secret"


def _is_random(text: str) -> bool:
    """Whether a value is mixed like a key, and not a word or an example."""
    kinds = (str.isdigit, str.islower, str.isupper)
    if sum(any(map(kind, text)) for kind in kinds) < len(kinds) - 1:
        return False
    counts = Counter(text)
    bits = -sum(n / len(text) * math.log2(n / len(text)) for n in counts.values())
    return bits >= _MIN_RANDOM_BITS


def find_agent_secrets(agent: Agent, entries: Iterable[BrainEntry] = ()) -> list[Remark]:
    """What looks like a secret in an agent's soul and skills, and in its brain."""
    texts = [("systemPrompt", "", agent.system_prompt), ("description", "", agent.description)]
    texts += [("skills", f"{one.name}: ", one.description) for one in agent.skills if one.enabled]
    texts += [("brain", f"{one.type} of {one.timestamp}: ", one.content) for one in entries]
    return [
        Remark(
            field=key,
            message=f"{place}line {line} holds what looks like {kind}",
            agent_id=agent.id,
        )
        for key, place, text in texts
        for line, kind in find_secrets(text)
    ]
