"""Matches URIs against URI templates.

Supports a subset of RFC 6570: `{name}` matches one path segment, `{+name}` and `{name*}` may match
slashes, and `{?a,b}` at the end matches optional query parameters. Values are percent-decoded.
"""

from __future__ import annotations

import re

from paddock.errors import DefinitionError

_EXPRESSION = re.compile(r"\{([^{}]*)\}")
_VARIABLE = re.compile(r"(\+?)([A-Za-z_]\w*)(\*?)$")
MAX_URI_CHARACTERS = 4096
"""Maximum length of matching URIs, because matching multiple variables takes quadratic time."""


class UriTemplate:
    """A compiled URI template."""

    __slots__ = ("_pattern", "_query", "template", "variables")

    def __init__(self, template: str) -> None:
        self.template = template
        path, self._query = _split_query(template)
        names: list[str] = []
        pieces: list[str] = []
        position = 0
        for match in _EXPRESSION.finditer(path):
            pieces.append(re.escape(path[position : match.start()]))
            pieces.append(self._build_group(match[1], names))
            position = match.end()
        pieces.append(re.escape(path[position:]))
        self._pattern = re.compile("".join(pieces))
        self.variables = names + self._query

    def match(self, uri: str) -> dict[str, str] | None:
        """Return the values of the template's variables in a URI, or None if it does not match.

        For example, `weather://{city}/today` matches `weather://new%20york/today` with
        `{"city": "new york"}`. Query parameters that are not in the URI are left out.
        """
        if len(uri) > MAX_URI_CHARACTERS:
            return None
        path, mark, query = uri.partition("?") if self._query else (uri, "", "")
        path_match = self._pattern.fullmatch(path)
        if path_match is None:
            return None
        from urllib.parse import parse_qs, unquote  # 2 ms, only for templates

        values = {name: unquote(value) for name, value in path_match.groupdict().items()}
        parameters = parse_qs(query, keep_blank_values=True) if mark else {}
        values.update({name: parameters[name][0] for name in self._query if name in parameters})
        return values

    def _build_group(self, expression: str, names: list[str]) -> str:
        """Return the regular expression for a variable, and add its name to `names`.

        Args:
            expression: The text between the braces, such as `city` or `+path`.
            names: The names of the variables before this one.

        Raises:
            DefinitionError: The expression is not in the supported subset.
        """
        variable = _VARIABLE.match(expression)
        if variable is None:
            raise DefinitionError(
                f"{{{expression}}} is not a variable of a URI template",
                where=self.template,
                hint="use {name}, {+name}, {name*}, or {?a,b} at the end",
            )
        may_have_slashes = bool(variable[1] or variable[3])
        name = variable[2]
        # A variable that appears twice must match the same value in both places.
        if name in names:
            return f"(?P={name})"
        names.append(name)
        return f"(?P<{name}>{'.+?' if may_have_slashes else '[^/]+?'})"


def _split_query(template: str) -> tuple[str, list[str]]:
    """Return a URI template without its query, and the names of its query parameters.

    For example, `search://{index}{?q,page}` gives `search://{index}` and `["q", "page"]`.
    """
    if not template.endswith("}"):
        return template, []
    path, mark, query = template.rpartition("{?")
    if not mark:
        return template, []
    return path, [name.strip() for name in query[:-1].split(",")]
