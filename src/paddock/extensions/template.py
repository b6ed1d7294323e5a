"""Texts with blanks, as Python definitions of prompts give them."""

from __future__ import annotations


class Template:
    """A prompt's text in which `{name}` stands for an argument.

    `{?name?text}` is the text only when the argument was given. A plain string in a definition is
    sent as it is, braces and all; this says that it is to be filled in.
    """

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return f"Template({self.text!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Template) and other.text == self.text

    def __hash__(self) -> int:
        return hash((Template, self.text))
