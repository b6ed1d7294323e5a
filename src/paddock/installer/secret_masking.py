"""Masks secrets: the values of environment variables and headers, and parts of URLs.

Both server output and the entries in clients' files are masked before they are shown, because
they may contain tokens.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from paddock.authoring.tool import SECRET_MASK
from paddock.directories import DATA_DIRECTORY_VARIABLE
from paddock.extensions.paclets.search_paths import PACLET_PATH_VARIABLE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

SECRET_PLACEHOLDER = "hidden-value-{}-of-paddock"  # noqa: S105 - not a password
"""Replaces a secret in a preview; numbered, so that a diff distinguishes two secrets."""
SECRET_TABLE_NAMES = frozenset(
    {"env", "envs", "environment", "headers", "http_headers", "requestOptions"}
)
"""Keys of the tables in clients' files whose values may be secret."""
PUBLIC_VARIABLES = frozenset({DATA_DIRECTORY_VARIABLE, PACLET_PATH_VARIABLE, "PYTHONPATH"})
"""Variables that Paddock itself sets, and that contain no secrets."""
REFERENCE_FORMATS = ("${0}", "${{{0}}}", "${{env:{0}}}", "{{env:{0}}}")
"""The syntaxes for variable references in clients' files."""
MIN_SECRET_PATH_PART_CHARACTERS = 16
"""The minimum length of a URL path segment that may be an API key."""
MIN_FREE_SECRET_CHARACTERS = 4
"""The minimum length of secrets that are masked anywhere; shorter ones only as whole values."""


def mask_url(url: str, replace_secret: Callable[[object], str] = lambda _: SECRET_MASK) -> str:
    """Return a URL with the parts that may be secret masked.

    These are the user and password, long parts of the path, and the values of the query. The
    fragment is removed.

    Args:
        url: The URL.
        replace_secret: Returns the replacement of a secret.
    """
    url_before_query, _, query = url.partition("#")[0].partition("?")
    scheme, slashes, address = url_before_query.rpartition("://")
    user, at_sign, location = address.rpartition("@")
    host, *path = location.split("/")
    masked_path = [
        part if len(part) < MIN_SECRET_PATH_PART_CHARACTERS else replace_secret(part)
        for part in path
    ]
    masked_user = replace_secret(user) + at_sign if at_sign else ""
    masked_url = f"{scheme}{slashes}{masked_user}{'/'.join([host, *masked_path])}"
    if not query:
        return masked_url
    query_pairs = (pair.partition("=") for pair in query.split("&"))
    masked_pairs = (
        f"{name}={replace_secret(value)}" if equals else replace_secret(name)
        for name, equals, value in query_pairs
    )
    return f"{masked_url}?{'&'.join(masked_pairs)}"


def strip_command_options(command: str) -> str:
    """Return a command without any options in the same string, because they may be secret."""
    return re.split(r"\s+-", command)[0]


def mask_placeholders(text: str) -> str:
    """Replace the numbered placeholders in a text with the mask."""
    return re.sub(SECRET_PLACEHOLDER.format(r"\d+"), SECRET_MASK, text)


def collect_secrets(data: object) -> tuple[str, ...]:
    """Return the values of all variables and headers in a file's data, the longest first."""
    return tuple(sorted(set(_iterate_secrets(data)), key=lambda value: (-len(value), value)))


def mask_secrets(text: str, secrets: Sequence[str]) -> str:
    """Replace all occurrences of secrets in a text with `SECRET_MASK`.

    Args:
        text: The text to be shown to the user, such as a diff or the output of a server.
        secrets: The secrets, ordered from the longest to the shortest, so that a secret that
            contains another one is masked completely.
    """
    for secret in secrets:
        # A file may contain the secret with escaped characters, for instance `\"` in JSON.
        for written_form in _list_written_forms(secret):
            pattern = _build_secret_pattern(written_form)
            text = re.sub(pattern, SECRET_MASK, text, flags=re.MULTILINE)
    return text


def _iterate_secrets(data: object) -> Iterator[str]:
    """Yield the secrets in the parsed data of a client's configuration file.

    These are all values in tables of environment variables or HTTP headers, at any depth, such as
    `"sk-…"` in `{"env": {"API_KEY": "sk-…"}}`. References such as `${API_KEY}` are not secret.
    """
    pending: list[tuple[object, bool]] = [(data, False)]
    while pending:
        node, is_secret = pending.pop()
        if isinstance(node, dict):
            pending.extend(
                (value, key not in PUBLIC_VARIABLES and (is_secret or key in SECRET_TABLE_NAMES))
                for key, value in node.items()
                if not is_variable_reference(key, value)
            )
        elif isinstance(node, list):
            pending.extend((value, is_secret) for value in node)
        elif is_secret and node not in (None, "", True, False):
            yield str(node)


def is_variable_reference(name: object, value: object) -> bool:
    """Return whether a value is a reference to the variable of the same name.

    Other references count as secrets, because a password may look like `$word`.
    """
    return isinstance(value, str) and value in {form.format(name) for form in REFERENCE_FORMATS}


def _list_written_forms(secret: str) -> list[str]:
    """Return the forms a secret can have in a file: unchanged, escaped, and each of its lines."""
    lines = [line.strip() for line in secret.splitlines()] if "\n" in secret else []
    forms = [secret, *(json.dumps(secret, ensure_ascii=flag)[1:-1] for flag in (True, False))]
    forms += [secret.replace("'", "''"), *lines]
    return sorted({form for form in forms if form}, key=len, reverse=True)


def _build_secret_pattern(form: str) -> str:
    text = re.escape(form)
    # Replacing a short secret anywhere would destroy other words, so it must be a complete value:
    # in quotes, or after a colon or equals sign at the end of a line.
    if len(form) >= MIN_FREE_SECRET_CHARACTERS:
        return text
    return rf"(?<=[\"']){text}(?=[\"'])|(?<=[:=] ){text}(?=,?\s*$)"
