"""Editing of text in the user's editor, with a draft file that is kept if saving fails."""

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


def edit_in_editor(original: str, save: Callable[[str], object], subject: str) -> bool:
    """Let the user edit a text until it can be saved or the user gives up.

    The text is edited in a temporary file, which is deleted on success and kept if the text was
    changed but could not be saved.

    Args:
        original: The text to edit.
        save: Saves the edited text, or raises PaddockError if it is invalid.
        subject: The name of the edited object in error messages, such as `the definition`.

    Returns:
        True if the text was changed and saved.

    Raises:
        ArgumentError: No editor is available, or the user stopped editing an invalid draft.
    """
    handle, path = mkstemp(prefix="paddock-", suffix=".toml")
    os.close(handle)
    draft = Path(path)
    draft.write_text(original, encoding="utf-8")
    while True:
        _open_editor(draft, original)
        text = _read_draft(draft)
        if text == original:
            break
        try:
            save(text)
        except PaddockError as error:
            _handle_save_error(error, draft, subject)
        else:
            break
    draft.unlink()
    return text != original


def _read_draft(draft: Path) -> str:
    try:
        # Some editors on Windows add a byte-order mark.
        return draft.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ArgumentError(f"Cannot read {draft}: {error}") from None


def _open_editor(draft: Path, original: str) -> None:
    """Open the draft in the editor and wait until the user closes it.

    If no editor can be started, an unchanged draft is deleted.
    """
    try:
        click.edit(filename=str(draft))
    except click.ClickException as error:
        if _read_draft(draft) == original:
            draft.unlink()
        raise ArgumentError(
            error.message, hint="name an editor in the environment variable VISUAL or EDITOR"
        ) from None


def _handle_save_error(error: PaddockError, draft: Path, subject: str) -> None:
    """Report that the draft could not be saved, and ask whether to edit it again.

    Returns normally if the user wants to edit it again.

    Raises:
        ArgumentError: The user gave up. The hint names the draft file, which is kept.
    """
    if output.can_ask():
        CommandError(error).show()
        if output.ask_yes_no("Edit it again?"):
            return
    raise ArgumentError(
        f"{subject.capitalize()} was not changed: {error}", hint=f"your draft is kept in {draft}"
    )
