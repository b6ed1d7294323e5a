"""The commands `paddock docs ...`, which search and index documentation on this computer."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from paddock.cli import output, text_layout
from paddock.cli.errors import ArgumentError, NothingDoneError
from paddock.cli.shared_options import json_option
from paddock.docsearch import indexer
from paddock.docsearch.corpora.markdown_folders import add_folder, list_folders, remove_folder
from paddock.docsearch.corpora.registry import resolve_corpus_names
from paddock.docsearch.embeddings.model_choice import NO_VECTORS
from paddock.docsearch.search import DEFAULT_MAX_HITS, search_with_notes
from paddock.docsearch.search import get_index_status as index_status

if TYPE_CHECKING:
    from paddock.docsearch.indexer import IndexProgress
    from paddock.docsearch.model import PageHit
    from paddock.docsearch.search import CorpusStatus

Json = dict[str, Any]
MAX_LINE_CHARACTERS = 100
MAX_EXCERPT_CHARACTERS = 300
"""Characters of each page that `search` shows without `--full`."""
MAX_RESULT_CHARACTERS = 10**9
"""No limit in practice. The limit of the MCP tool saves a model's tokens."""
MAX_SHOWN_PROBLEMS = 5


@click.group(invoke_without_command=True)
@click.pass_context
def docs(ctx: click.Context) -> None:
    """Search documentation on this computer and manage its index."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


@docs.command()
@click.argument("words", nargs=-1, required=True, metavar="WORDS…")
@click.option(
    "--in", "corpora", multiple=True, metavar="CORPUS", help="Corpus to search: wolfram, python, …"
)
@click.option(
    "--limit",
    type=click.IntRange(1, 50),
    default=DEFAULT_MAX_HITS,
    show_default=True,
    help="Maximum number of pages.",
)
@click.option("--full", is_flag=True, help="Print entire pages.")
@json_option
def search(
    words: tuple[str, ...],
    *,
    corpora: tuple[str, ...],
    limit: int,
    full: bool,
    as_json: bool,
) -> None:
    """Print the pages that best answer a question, given in WORDS.

    The exit code is 1 if no page was found.
    """
    question = " ".join(words)
    results = search_with_notes(
        question,
        resolve_corpus_names(corpora or ("all",)),
        limit=limit,
        budget=MAX_RESULT_CHARACTERS,
    )
    if as_json:
        keys = ("title", "source", "corpus", "score", "text")
        output.print_json([output.select_attributes(hit, keys) for hit in results.hits])
    else:
        for hit in results.hits:
            _print_hit(hit, full=full)
    for note in results.notes:
        output.print_note(note)
    if not results.hits:
        raise NothingDoneError(
            ArgumentError(f"No pages found for {question!r}", hint="try other words")
        )


def _print_hit(hit: PageHit, *, full: bool) -> None:
    """Print a documentation page that matches a query.

    Args:
        hit: The page.
        full: Print the entire text instead of an excerpt.
    """
    title = text_layout.replace_control_characters(hit.title)
    text = (
        hit.text if full else textwrap.shorten(hit.text, MAX_EXCERPT_CHARACTERS, placeholder=" …")
    )
    click.echo(output.colour_text(title, "green", bold=True))
    click.echo(f"  {text_layout.replace_control_characters(hit.source)} ({hit.corpus})")
    click.echo(textwrap.indent(text_layout.replace_control_characters(text), "  ") + "\n")


@docs.command()
@click.argument("corpora", nargs=-1, metavar="[CORPUS…]")
def index(corpora: tuple[str, ...]) -> None:
    """Update the index of each CORPUS, or of all.

    Only changed files are read. The exit code is 1 if another process is already indexing.
    """
    corpus_names = resolve_corpus_names(corpora or ("all",))
    page_counts: dict[str, int] = {}
    with output.show_progress("Looking for changes") as set_status:

        def report_progress(progress: IndexProgress) -> None:
            page_counts[progress.corpus] = progress.indexed_pages
            set_status(f"{progress.corpus}: {progress.indexed_sources} of {progress.total_sources}")

        was_indexed = indexer.index_corpora(corpus_names, report_progress)
    if not was_indexed:
        raise NothingDoneError(
            ArgumentError(
                "Another process is already indexing",
                hint="paddock docs status shows its progress",
            )
        )
    for corpus_name, page_count in page_counts.items():
        click.echo(f"{corpus_name}: {page_count} pages read")
    if not page_counts:
        click.echo("Nothing has changed")


@docs.command()
@json_option
def status(*, as_json: bool) -> None:
    """Show the content of the index, the search method and the progress of indexing."""
    index = index_status()
    if as_json:
        json_status: Json = {
            **index._asdict(),
            "corpora": [corpus._asdict() for corpus in index.corpora],
            "work": index.work._asdict() if index.work else None,
            "folders": list_folders(),
        }
        output.print_json(json_status)
        return
    output.print_table(
        ("corpus", "parts", "pages", "what it is"), map(_build_corpus_row, index.corpora)
    )
    click.echo(f"The index is {index.file}, {index.size / 1e6:.1f} MB.")
    if index.vectors == NO_VECTORS:
        click.echo(
            'The search matches words only. To match meaning too: pip install "paddock[search]".'
        )
    else:
        click.echo(f"The search matches words and meaning (vectors: {index.vectors}).")
    if index.work:
        click.echo(f"Being indexed: {' '.join(map(str, index.work[:2]))} of {index.work.total}.")
    for folder in list_folders():
        click.echo(text_layout.replace_control_characters(f"Folder: {folder}"))
    for corpus in index.corpora:
        for problem in corpus.problems[:MAX_SHOWN_PROBLEMS]:
            output.print_warning(f"{corpus.name}: {problem}")


@docs.command()
@click.argument("folder", type=click.Path(path_type=Path), metavar="FOLDER")
def add(folder: Path) -> None:
    """Add the Markdown files below FOLDER to the search, and index them."""
    if not add_folder(folder):
        click.echo("The folder is already searched")
    indexer.index_corpora(["folders"])


@docs.command()
@click.argument("folder", type=click.Path(path_type=Path), metavar="FOLDER")
def remove(folder: Path) -> None:
    """Remove FOLDER from the search. Its files are not changed."""
    if not remove_folder(folder):
        raise ArgumentError(
            f"The folder {folder} is not searched",
            hint="paddock docs status lists your folders",
        )
    indexer.index_corpora(["folders"])


def _build_corpus_row(corpus: CorpusStatus) -> list[output.Cell]:
    sources: output.Cell = corpus.sources
    if corpus.problems:
        text = f"{corpus.sources} ({len(corpus.problems)} unreadable)"
        sources = output.StyledCell(text, "yellow")
    return [corpus.name, sources, corpus.pages, corpus.description]
