"""A text edited in the person's editor until it is right; what they wrote is never lost."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import mkstemp
from typing import TYPE_CHECKING

import click

from paddock.cli import output
from paddock.cli.errors import ArgumentError, CommandError
from paddock.errors import PaddockError

if TYPE_CHECKING:
    from collections.abc import Callable


def edit_in_editor(before: str, save: Callable[[str], object], what: str) -> bool:
    """Have a copy of a text edited until it can be saved; whether it has changed.

    Args:
        before: The text.
        save: Takes the new text, and refuses it with a PaddockError if it is wrong.
        what: What the text is, for a sentence: `the definition`.

    Raises:
        ArgumentError: when there is no editor, or the person gives up.
    """
    handle, path = mkstemp(prefix="paddock-", suffix=".toml")
    os.close(handle)
    draft = Path(path)
    draft.write_text(before, encoding="utf-8")
    while True:
        _open_editor(draft, before)
        text = _read_draft(draft)
        if text == before:
            break
        try:
            save(text)
        except PaddockError as error:
            _handle_save_error(error, draft, what)
        else:
            break
    draft.unlink()
    return text != before


def _read_draft(draft: Path) -> str:
    try:
        return draft.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ArgumentError(f"Cannot read {draft}: {error}") from None


def _open_editor(draft: Path, before: str) -> None:
    try:
        click.edit(filename=str(draft))
    except click.ClickException as error:
        if _read_draft(draft) == before:
            draft.unlink()
        raise ArgumentError(
            error.message, hint="name an editor in the environment variable VISUAL or EDITOR"
        ) from None


def _handle_save_error(error: PaddockError, draft: Path, what: str) -> None:
    """Say what is wrong with a draft, and go on only if the person wants to; it is not lost."""
    if output.can_ask():
        CommandError(error).show()
        if output.ask_yes_no("Edit it again?"):
            return
    raise ArgumentError(
        f"{what.capitalize()} is as it was: {error}", hint=f"what you wrote is kept in {draft}"
    )
