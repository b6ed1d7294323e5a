"""Notebook corpora: the documentation of a Wolfram installation and of paclets."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from paddock.directories import get_data_directory
from paddock.docsearch.corpora.registry import read_source_file, stamp_files, walk_files
from paddock.docsearch.model import DocPage
from paddock.kernels.wolfram.kernel_locator import find_kernel_program
from paddock.wolfram.notebooks import NotebookError, notebook_to_markdown, read_notebook

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.docsearch.model import CorpusSource

INSTALLATION_CORPUS = "wolfram-documentation"
PACLETS_CORPUS = "paclets"
INSTALLATION_VARIABLE = "WOLFRAM_INSTALLATION_DIRECTORY"
NOTEBOOK_SUFFIXES = frozenset((".nb",))
_MAX_PARENT_DIRECTORIES = 6


class _NotebookCorpus:
    """A search corpus whose sources are Wolfram notebooks. Each notebook is a page."""

    def read_pages(self, key: str) -> Iterator[DocPage]:
        """Yield the text of a Wolfram notebook as a single page, without its pictures.

        Args:
            key: The path to the notebook.

        Raises:
            ValueError: The file is not a valid notebook.
        """
        try:
            notebook = read_notebook(read_source_file(key).decode("utf-8", "replace"))
        except NotebookError as error:
            raise ValueError(f"{key}: {error}") from error
        markdown = notebook_to_markdown(
            notebook, output_limit=500, cell_limit=4_000, most_pictures=0
        )
        text = markdown.text.strip()
        if text:
            name = Path(key).stem
            yield DocPage(name, key, text, (name,))


class InstalledDocumentation(_NotebookCorpus):
    """The search corpus of the documentation that comes with an installed Wolfram product.

    Each notebook is a source.
    """

    name = INSTALLATION_CORPUS

    def list_sources(self) -> list[CorpusSource]:
        """Return the documentation notebooks, starting with those about single symbols.

        The list is empty if no Wolfram product is installed.
        """
        root = find_documentation_directory()
        if root is None:
            return []
        sources = stamp_files(walk_files(root, NOTEBOOK_SUFFIXES))
        return sorted(sources, key=lambda source: "ReferencePages" not in source.key)


class PacletPages(_NotebookCorpus):
    """The search corpus of the documentation for paclets, the packages of the Wolfram Language.

    Each notebook is a source.
    """

    name = PACLETS_CORPUS

    def list_sources(self) -> list[CorpusSource]:
        """Return the notebooks in the documentation directories of all paclets."""
        notebooks: list[Path] = []
        for folder in find_paclet_folders():
            # The folder is a paclet or contains paclets.
            directories = [folder / "Documentation", *sorted(folder.glob("*/Documentation"))]
            for directory in directories:
                notebooks += walk_files(directory, NOTEBOOK_SUFFIXES)
        distinct_notebooks = dict.fromkeys(notebooks)
        return stamp_files(distinct_notebooks)


def find_documentation_directory() -> Path | None:
    """Return the documentation directory of the installed Wolfram product, or None.

    The search covers the parent directories of the kernel program, or of the directory named by the
    environment variable `INSTALLATION_VARIABLE`.
    """
    configured = os.environ.get(INSTALLATION_VARIABLE)
    if configured:
        start = Path(configured)
    elif program := find_kernel_program():
        start = program.path.resolve()
    else:
        return None
    for parent in (start, *start.parents[:_MAX_PARENT_DIRECTORIES]):
        documentation = parent / "Documentation" / "English"
        if documentation.is_dir():
            return documentation
    return None


def find_paclet_folders() -> list[Path]:
    """Return the directories that are or contain paclets, the packages of the Wolfram Language.

    Candidates are the folders in the variable `PADDOCK_PACLET_PATH`, a folder in Paddock's data
    directory, and the folders where Wolfram products install paclets. Only existing ones are
    returned.
    """
    configured_folders = [
        Path(path) for path in os.environ.get("PADDOCK_PACLET_PATH", "").split(os.pathsep) if path
    ]
    paddock_folder = Path(get_data_directory()) / "paclets"
    user_base = os.environ.get("WOLFRAM_USERBASE")
    bases = [Path(user_base)] if user_base else []
    for product in ("Wolfram", "Mathematica"):
        if sys.platform == "win32":
            bases.append(Path(os.environ.get("APPDATA", "~")).expanduser() / product)
        elif sys.platform == "darwin":
            bases.append(Path.home() / "Library" / product)
        else:
            bases.append(Path.home() / f".{product}")
    standard_folders = [
        base / part for base in bases for part in ("Paclets/Repository", "Applications")
    ]
    folders = [*configured_folders, paddock_folder, *standard_folders]
    return [folder for folder in dict.fromkeys(folders) if folder.is_dir()]
