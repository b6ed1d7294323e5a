"""`paddock docs`: searching documentation, indexing it, and the folders that belong to it."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from paddock.cli import output, text_layout
from paddock.cli.errors import ArgumentError, NothingDoneError
from paddock.docsearch import indexer
from paddock.docsearch.corpora.markdown_folders import add_folder, list_folders, remove_folder
from paddock.docsearch.corpora.registry import resolve_corpus_names
from paddock.docsearch.embeddings.model_choice import NO_VECTORS
from paddock.docsearch.search import DEFAULT_MAX_HITS, search_with_notes
from paddock.docsearch.search import get_index_status as index_status

if TYPE_CHECKING:
    from paddock.docsearch.indexer import IndexProgress
    from paddock.docsearch.search import CorpusStatus

Json = dict[str, Any]
MAX_LINE_CHARACTERS = 100
MAX_EXCERPT_CHARACTERS = 300
"""Characters of each page that a list shows."""
MAX_SHOWN_PROBLEMS = 5


@click.group(invoke_without_command=True)
@click.pass_context
def docs(ctx: click.Context) -> None:
    """Search documentation that is on this machine, and keep the index of it."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


@docs.command()
@click.argument("words", nargs=-1, required=True, metavar="WORDS…")
@click.option(
    "--in", "corpora", multiple=True, metavar="CORPUS", help="Search here: wolfram, python, …"
)
@click.option(
    "--limit",
    type=click.IntRange(1, 50),
    default=DEFAULT_MAX_HITS,
    show_default=True,
    help="How many pages.",
)
@click.option("--full", is_flag=True, help="Print whole pages.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def search(
    words: tuple[str, ...], *, corpora: tuple[str, ...], limit: int, full: bool, as_json: bool
) -> None:
    """Find the pages that answer a question, given in WORDS.

    The exit code is 1 when there are none.
    """
    question = " ".join(words)
    budget = 10**9  # a person can stop reading
    found = search_with_notes(
        question, resolve_corpus_names(corpora or ("all",)), limit=limit, budget=budget
    )
    if as_json:
        rows = [
            {
                "title": hit.title,
                "source": hit.source,
                "corpus": hit.corpus,
                "score": hit.score,
                "text": hit.text,
            }
            for hit in found.hits
        ]
        output.print_json(rows)
    for hit in () if as_json else found.hits:
        text = (
            hit.text
            if full
            else textwrap.shorten(hit.text, MAX_EXCERPT_CHARACTERS, placeholder=" …")
        )
        click.echo(
            f"{output.colour_text(text_layout.replace_control_characters(hit.title), 'green', bold=True)}"
        )
        click.echo(f"  {text_layout.replace_control_characters(hit.source)} ({hit.corpus})")
        click.echo(textwrap.indent(text_layout.replace_control_characters(text), "  ") + "\n")
    for note in found.notes:
        output.print_note(note)
    if not found.hits:
        raise NothingDoneError(
            ArgumentError(f"Nothing was found for {question!r}", hint="try other words")
        )


@docs.command()
@click.argument("corpora", nargs=-1, metavar="[CORPUS…]")
def index(corpora: tuple[str, ...]) -> None:
    """Bring the index up to date, of each CORPUS or of all of them.

    Only what has changed is read. The exit code is 1 when another process is at it already.
    """
    names = resolve_corpus_names(corpora or ("all",))
    counts: dict[str, int] = {}
    with output.show_progress("Looking for what has changed") as tell:

        def report(progress: IndexProgress) -> None:
            counts[progress.corpus] = progress.indexed_pages
            tell(f"{progress.corpus}: {progress.indexed_sources} of {progress.total_sources}")

        is_done = indexer.index_corpora(names, report)
    if not is_done:
        raise NothingDoneError(
            ArgumentError(
                "Another process is indexing already",
                hint="paddock docs status shows how far it is",
            )
        )
    for name, pages in counts.items():
        click.echo(f"{name}: {pages} pages read")
    if not counts:
        click.echo("Nothing has changed")


@docs.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def status(*, as_json: bool) -> None:
    """Say what is in the index, how it is searched, and what is being indexed."""
    found = index_status()
    if as_json:
        rows = [{**row._asdict(), "problems": list(row.problems)} for row in found.corpora]
        work = found.work._asdict() if found.work else None
        known: Json = {**found._asdict(), "corpora": rows, "work": work, "folders": list_folders()}
        output.print_json(known)
        return
    output.print_table(
        ("corpus", "parts", "pages", "what it is"), map(_build_corpus_row, found.corpora)
    )
    click.echo(f"The index is {found.file}, {found.size / 1e6:.1f} MB.")
    if found.vectors == NO_VECTORS:
        click.echo('Only words are compared. For meaning as well: pip install "paddock[search]".')
    else:
        click.echo(f"Words and meaning are compared; the vectors are {found.vectors}.")
    if found.work:
        click.echo(f"Being indexed: {' '.join(map(str, found.work[:2]))} of {found.work.total}.")
    for folder in list_folders():
        click.echo(text_layout.replace_control_characters(f"Folder: {folder}"))
    for row in found.corpora:
        for problem in row.problems[:MAX_SHOWN_PROBLEMS]:
            output.print_warning(f"{row.name}: {problem}")


@docs.command()
@click.argument("folder", type=click.Path(path_type=Path), metavar="FOLDER")
def add(folder: Path) -> None:
    """Search the Markdown files below FOLDER from now on; they are indexed at once."""
    if not add_folder(folder):
        click.echo("It is searched already")
    indexer.index_corpora(["folders"])


@docs.command()
@click.argument("folder", type=click.Path(path_type=Path), metavar="FOLDER")
def remove(folder: Path) -> None:
    """Search FOLDER no longer; its files stay as they are."""
    if not remove_folder(folder):
        raise ArgumentError(
            f"{folder} is none of your folders", hint="paddock docs status lists them"
        )
    indexer.index_corpora(["folders"])


def _build_corpus_row(one: CorpusStatus) -> list[output.Cell]:
    problem = output.StyledCell(f"{one.sources} ({len(one.problems)} unreadable)", "yellow")
    parts = problem if one.problems else str(one.sources)
    return [one.name, parts, str(one.pages), one.description]
