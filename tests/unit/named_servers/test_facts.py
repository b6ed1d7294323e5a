"""What is known of a server before a TOML parser is there: all of it, or that it is not certain."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddock.named_servers.definition import ServerDefinition, parse_definition
from paddock.named_servers.quick_facts import scan_definition_metadata
from paddock.named_servers.stored_form import format_toml, to_plain_table
from paddock.protocol.server_metadata import ServerMetadata

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
tables = st.fixed_dictionaries({"name": st.just("t"), "function": st.just("m:f")})
definitions = st.builds(
    ServerDefinition,
    name=st.just("any"),
    title=st.none() | texts,
    description=st.none() | texts,
    version=texts.filter(bool),
    instructions=st.none() | texts,
    views=st.booleans(),
    tools=st.lists(texts | tables, max_size=3),
    prompts=st.lists(texts, max_size=3),
    options=st.dictionaries(texts, st.dictionaries(texts, texts, max_size=2), max_size=2),
)


def said(facts: ServerMetadata) -> tuple[object, ...]:
    return facts.to_server_info(), facts.instructions, facts.capabilities


def read(directory: Path, text: str) -> tuple[ServerMetadata, bool]:
    file = directory / "any.toml"
    file.write_bytes(text.encode())
    return scan_definition_metadata(str(file), "any")


@given(definitions)
def test_what_we_write_is_certain_and_as_the_parser_has_it(
    tmp_path_factory: pytest.TempPathFactory, definition: ServerDefinition
) -> None:
    text = format_toml(to_plain_table(definition))
    assert parse_definition(tomllib.loads(text)) == definition
    facts, is_certain = read(tmp_path_factory.mktemp("facts"), text)
    assert is_certain
    assert facts.version == definition.version
    assert (facts.title or None) == (definition.title or None)
    assert facts.instructions == definition.instructions
    assert ("extensions" in facts.capabilities) == definition.views


def test_a_file_by_hand_with_comments_is_certain(tmp_path: Path) -> None:
    text = '# mine\n\nversion = "2" # new\nname="n"\nkey = "k"\ntools = [\n  "A", # a\n]\n'
    facts, is_certain = read(tmp_path, text)
    assert is_certain
    assert facts.to_server_info() == {"name": "n", "version": "2"}


def test_a_file_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    facts, is_certain = read(tmp_path, '\ufeffname = "marked"')
    assert (facts.name, is_certain) == ("marked", True)


def test_lines_may_end_as_on_windows(tmp_path: Path) -> None:
    text = 'name = "n"\r\ninstructions = """\r\none\r\ntwo"""\r\ntools = []\r\n'
    facts, is_certain = read(tmp_path, text)
    assert (facts.instructions, is_certain) == ("one\ntwo", True)


def test_missing_facts_have_the_defaults_of_the_caller(tmp_path: Path) -> None:
    file = tmp_path / "x.toml"
    file.write_text("tools = []", encoding="utf-8")
    facts, is_certain = scan_definition_metadata(str(file), "x", "7.0")
    assert (facts.name, facts.version, is_certain) == ("x", "7.0", True)


@pytest.mark.parametrize(
    "text",
    [
        "name = 'literal'",
        "name = '''\nlong'''",
        'name = "unfinished',
        'name = "two" "texts"',
        'name = """with a quote at its end""""',
        'instructions = """a \\\n   b"""',
        'instructions = ["a", "b"]',
        "version = 2",
        "views = 1",
        '"name" = "quoted"',
        'Name = "capital"',
        'ServerVersion = "3"',
        'Prompts = "instructions"',
        'DisplayName = "title"',
        'tools = [{ description = """\n[x]\n""" }]\nname = "later"',
        "mood = 'open",
        "[LLMEvaluator]\nPrompts = 'inside'",
        "no equals sign",
    ],
)
def test_what_is_not_plain_is_not_certain(tmp_path: Path, text: str) -> None:
    assert not read(tmp_path, text)[1]


@pytest.mark.parametrize(
    "text",
    [
        "tools = []",
        'tools = [\n"a", # ] "\n]',
        "tools = [\n['a]'],\n[true]\n]",
        'tools = [{ name = "x\\"]" }, { name = \'"\' }]',
        "mood = 'fine' # name = \"no\"",
        'mood = "name = \\"no\\""',
        "number = 1.5e3",
        "date = 2026-11-16T12:00:00Z",
        "a.b = 1",
    ],
)
def test_facts_may_stand_behind_other_values(tmp_path: Path, text: str) -> None:
    facts, is_certain = read(tmp_path, f'{text}\nname = "later"\n\n[t]\nname = "no"\n')
    assert tomllib.loads(text)
    assert (facts.name, is_certain) == ("later", True)


def test_what_is_in_tables_is_not_the_servers(tmp_path: Path) -> None:
    text = '[[tools]]\nname = "t"\ndescription = "d"\n\n[options.t]\nversion = "x"\n'
    facts, is_certain = read(tmp_path, text)
    assert (facts.to_server_info(), is_certain) == ({"name": "any", "version": "1.0.0"}, True)


def test_a_file_that_is_not_there_is_not_certain(tmp_path: Path) -> None:
    facts, is_certain = scan_definition_metadata(str(tmp_path / "none.toml"), "none")
    assert (facts.name, is_certain) == ("none", False)
