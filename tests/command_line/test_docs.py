"""`paddock docs`: searching documentation, and the index of it."""

from tests.command_line.program import Program

OFF = {"PADDOCK_INDEX_IN_BACKGROUND": "0"}


def test_a_folder_is_added_searched_and_removed(paddock: Program) -> None:
    notes = paddock.work / "notes"
    notes.mkdir()
    (notes / "pears.md").write_text("# Pears\n\nThey are grafted in spring.\n", encoding="utf-8")
    assert paddock("docs", "add", "notes").code == 0
    found = paddock("docs", "search", "grafting", "--in", "folders", "--json", environment=OFF)
    assert [(row["title"], row["source"], row["corpus"]) for row in found.json] == [
        ("Pears", str(notes / "pears.md"), "folders")
    ]
    shown = paddock("docs", "search", "grafting", "--in", "folders", environment=OFF)
    assert shown.out.splitlines()[:3] == [
        "Pears",
        f"  {notes / 'pears.md'} (folders)",
        "  They are grafted in spring.",
    ]
    assert paddock("docs", "status", "--json").json["folders"] == [str(notes)]
    assert paddock("docs", "remove", "notes").code == 0
    gone = paddock("docs", "search", "grafting", "--in", "folders", environment=OFF)
    assert (gone.code, gone.out) == (1, "")
    assert gone.err == "Error: No pages found for 'grafting'\nHint: try other words\n"


def test_indexing_reports_its_sources_and_does_nothing_twice(paddock: Program) -> None:
    first = paddock("docs", "index", "wolfram-symbols")
    assert first.out.startswith("wolfram-symbols: ")
    assert paddock("docs", "index", "wolfram-symbols").out == "Nothing has changed\n"
    rows = {row["name"]: row for row in paddock("docs", "status", "--json").json["corpora"]}
    assert rows["wolfram-symbols"]["pages"] > 1_000
    assert rows["python-stdlib"]["pages"] == 0


def test_the_status_without_numpy_says_how_to_get_more(paddock: Program) -> None:
    said = paddock("docs", "status", environment={"PADDOCK_EMBEDDING_MODEL": "none"})
    assert (said.code, said.err) == (0, "")
    assert 'pip install "paddock[search]"' in said.out


def test_a_corpus_a_model_or_a_folder_that_is_not_there_is_reported(paddock: Program) -> None:
    corpus = paddock("docs", "search", "x", "--in", "pyton")
    assert (corpus.code, corpus.err) == (
        2,
        "Error: unknown corpus 'pyton'\nHint: did you mean python?\n",
    )
    model = paddock(
        "docs", "index", "wolfram-symbols", environment={"PADDOCK_EMBEDDING_MODEL": "nowhere"}
    )
    assert model.code == 2
    assert "the sentence model cannot be read" in model.err
    assert paddock("docs", "add", "nowhere").code == 2
    assert paddock("docs", "remove", "nowhere").code == 2
