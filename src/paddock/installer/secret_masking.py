"""Keeping what is secret off the screen: values of environment variables and headers.

What a server says goes through here before it is shown, and so does what stands in an entry.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from paddock.authoring.tool_option import SECRET_MASK
from paddock.directories import DATA_DIRECTORY_VARIABLE
from paddock.extensions.paclets.search_paths import PACLET_PATH_VARIABLE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

SECRET_PLACEHOLDER = "hidden-value-{}-of-paddock"  # noqa: S105 - not a password
"""Stands for a secret until it is shown: two secrets are told apart by it."""
SECRET_TABLE_NAMES = frozenset(
    {"env", "envs", "environment", "headers", "http_headers", "requestOptions"}
)
"""What the places for secrets are called in clients' files."""
PUBLIC_VARIABLES = frozenset({DATA_DIRECTORY_VARIABLE, PACLET_PATH_VARIABLE, "PYTHONPATH"})
"""Variables that Paddock sets itself, and that are no secrets."""
REFERENCE_FORMATS = ("${0}", "${{{0}}}", "${{env:{0}}}", "{{env:{0}}}")
"""How values refer to variables in clients' files."""
MIN_SECRET_PATH_PART_CHARACTERS = 16
"""From this length on, a part of a path may be a key."""
MIN_FREE_SECRET_CHARACTERS = 4
"""From this length on, a value is hidden wherever it stands, and not only where it is one."""


def mask_url(url: str, cover: Callable[[object], str] = lambda _: SECRET_MASK) -> str:
    """A URL without what may be secret in it: a user, long parts of the path, values of a query."""
    head, _, query = url.partition("#")[0].partition("?")
    scheme, slashes, rest = head.rpartition("://")
    user, at, place = rest.rpartition("@")
    host, *path = place.split("/")
    shown = [part if len(part) < MIN_SECRET_PATH_PART_CHARACTERS else cover(part) for part in path]
    text = f"{scheme}{slashes}{cover(user) + at if at else ''}{'/'.join([host, *shown])}"
    pairs = (pair.partition("=") for pair in query.split("&"))
    values = (f"{name}={cover(value)}" if equals else cover(name) for name, equals, value in pairs)
    return f"{text}?{'&'.join(values)}" if query else text


def strip_command_options(command: str) -> str:
    """A program without options that somebody wrote behind it."""
    return re.split(r"\s+-", command)[0]


def mask_placeholders(text: str) -> str:
    """A text with the mask where a secret is covered."""
    return re.sub(SECRET_PLACEHOLDER.format(r"\d+"), SECRET_MASK, text)


def collect_secrets(data: object) -> tuple[str, ...]:
    """The values of all variables and headers in a file's data, the longest first."""
    return tuple(sorted(set(_iterate_secrets(data)), key=lambda value: (-len(value), value)))


def mask_secrets(text: str, secrets: Sequence[str]) -> str:
    """A text in which no secret can be read."""
    for secret in secrets:
        for form in _list_written_forms(secret):
            text = re.sub(_build_secret_pattern(form), SECRET_MASK, text, flags=re.MULTILINE)
    return text


def _iterate_secrets(data: object) -> Iterator[str]:
    pending: list[tuple[object, bool]] = [(data, False)]
    while pending:
        part, is_secret = pending.pop()
        if isinstance(part, dict):
            pending.extend(
                (value, key not in PUBLIC_VARIABLES and (is_secret or key in SECRET_TABLE_NAMES))
                for key, value in part.items()
                if not is_variable_reference(key, value)
            )
        elif isinstance(part, list):
            pending.extend((value, is_secret) for value in part)
        elif is_secret and part not in (None, "", True, False):
            yield str(part)


def is_variable_reference(name: object, value: object) -> bool:
    """Whether a value is nothing but the variable of the same name; a `$word` may be a password."""
    return isinstance(value, str) and value in {form.format(name) for form in REFERENCE_FORMATS}


def _list_written_forms(secret: str) -> list[str]:
    """How a value may stand in a file: as it is, escaped, and each of its lines by itself."""
    lines = [line.strip() for line in secret.splitlines()] if "\n" in secret else []
    forms = [secret, *(json.dumps(secret, ensure_ascii=flag)[1:-1] for flag in (True, False))]
    forms += [secret.replace("'", "''"), *lines]
    return sorted({form for form in forms if form}, key=len, reverse=True)


def _build_secret_pattern(form: str) -> str:
    text = re.escape(form)
    if len(form) >= MIN_FREE_SECRET_CHARACTERS:
        return text
    return rf"(?<=[\"']){text}(?=[\"'])|(?<=[:=] ){text}(?=,?\s*$)"
