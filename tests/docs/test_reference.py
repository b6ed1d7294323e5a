"""The reference is complete: a name, option, error code or limit cannot appear without its line."""

import inspect
import re
from collections.abc import Iterator
from pkgutil import resolve_name

import click
import pytest

import paddock
from paddock import testing
from paddock.authoring import (
    base_server,
    frontmatter,
    frontmatter_parser,
    methods,
    skill,
    skill_files,
)
from paddock.authoring import tool as tools
from paddock.cli.commands import CommandWithSubcommands, root_command
from paddock.client import calls
from paddock.client.connect_options import ConnectOptions
from paddock.client.http import channel, exchange, request_sender
from paddock.errors import PaddockError
from paddock.protocol import (
    dispatcher,
    tasks,
    thread_interrupt,
    versions,
)
from paddock.protocol import errors as rpc
from paddock.protocol.eras import input_required, subscriptions
from paddock.protocol.eras.session import RESOURCE_NOT_FOUND, SessionEra
from paddock.protocol.eras.stateless import StatelessEra
from paddock.serving import stdio
from paddock.serving.session import UnavailableOperations
from paddock.transports import channel_server, worker_pool
from paddock.transports.http import executor, sessions
from tests.all_errors import all_errors
from tests.docs.pages import ROOT

REFERENCE = ROOT / "docs" / "reference"
NOT_FOR_USERS = {
    *("add_connection", "can_list_before_lifespan", "lifespan", "metadata", "page_size"),
    *("remove_connection", "set_mounts", "state_key", "update_from"),
}
"""Attributes of `Server` that are parameters already, or for transports."""


def page(name: str) -> str:
    return (REFERENCE / name).read_text(encoding="utf-8")


def sections(text: str) -> dict[str, str]:
    """The sections of a page by their headings."""
    parts = re.split(r"^## (.+)\n", text, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


API = sections(page("python-api.md"))


def words(text: str) -> set[str]:
    """The identifiers in the code spans of a text."""
    spans = re.findall(r"`([^`]+)`", text, flags=re.S)
    return {word for span in spans for word in re.findall(r"\w+", span)}


def parameters(function: object) -> set[str]:
    if not callable(function):
        return set()
    found = inspect.signature(function).parameters.values()
    return {one.name for one in found if one.kind not in (one.VAR_KEYWORD, one.VAR_POSITIONAL)}


def members(kind: type) -> set[str]:
    return {name for name in dir(kind) if not name.startswith("_")}


def test_every_public_name_has_a_section() -> None:
    assert set(paddock.__all__) - set(API) == set()


def test_every_section_is_of_a_public_name() -> None:
    assert set(API) - set(paddock.__all__) == {"paddock.testing"}


@pytest.mark.parametrize("name", paddock.__all__)
def test_every_parameter_of_a_public_name_is_described(name: str) -> None:
    value = getattr(paddock, name)
    if name in ("Context", "Peer", "PeerError"):
        return  # made by Paddock, not by its users
    if isinstance(value, type) and issubclass(value, PaddockError):
        value = PaddockError
        name = "PaddockError"
    assert parameters(value) - words(API[name]) == set()


@pytest.mark.parametrize(
    "name", ["Server", "Skill", "Context", "Peer", "Elicited", "SampledMessage", "NamedServer"]
)
def test_every_public_member_of_a_class_is_described(name: str) -> None:
    assert members(getattr(paddock, name)) - words(API[name]) - NOT_FOR_USERS == set()


@pytest.mark.parametrize("name", ["Server", "Skill", "Context", "Peer"])
def test_every_parameter_of_a_method_is_described(name: str) -> None:
    kind = getattr(paddock, name)
    methods = [getattr(kind, member) for member in members(kind) - NOT_FOR_USERS]
    taken = {one for method in methods for one in parameters(method)} - {"self", "function"}
    assert taken - words(API[name]) == set()


def test_every_option_of_connect_is_described() -> None:
    assert set(ConnectOptions.__annotations__) - words(API["connect"]) == set()


def test_every_name_of_the_testing_module_is_described() -> None:
    own = {
        name
        for name, value in vars(testing).items()
        if getattr(value, "__module__", "") == testing.__name__
        and not name.startswith("_")
        and callable(value)
        and value is not testing.T
    }
    assert own | {"ERAS"} <= words(API["paddock.testing"])


def every_command() -> Iterator[tuple[str, click.Command]]:
    context = click.Context(root_command)
    for name in root_command.list_commands(context):
        command = root_command.get_command(context, name)
        assert command is not None
        yield name, command
        further = dict(getattr(command, "commands", {}))
        if isinstance(command, CommandWithSubcommands):
            further |= {word: resolve_name(path) for word, (path, _) in command.subcommands.items()}
        for word, one in further.items():
            yield f"{name} {word}", one


@pytest.mark.parametrize(("name", "command"), list(every_command()))
def test_every_option_of_a_command_is_described(name: str, command: click.Command) -> None:
    text = sections(page("cli.md"))[f"paddock {name}"]
    context = click.Context(command, help_option_names=["-h", "--help"])
    options = {option for one in command.get_params(context) for option in one.opts}
    arguments = {one.name for one in command.params if isinstance(one, click.Argument)}
    described = set(re.findall(r"`(--?[a-z][a-z-]*)", text))
    assert described == options - arguments


def test_every_command_has_a_trust_level() -> None:
    rows = re.findall(
        r"^\| [^|]+ \| (`.+) \|$", sections(page("cli.md"))["Trust levels"], flags=re.M
    )
    told = [name for row in rows for name in re.findall(r"`(\w+)`", row)]
    assert sorted(told) == sorted(root_command.list_commands(click.Context(root_command)))


def test_every_error_is_listed_with_its_code_and_its_home() -> None:
    rows = re.findall(r"^\| `([a-z-]+)` \| `([\w.]+)` \|", page("errors.md"), flags=re.M)
    homes = {kind.code: home(kind) for kind in all_errors()}
    assert dict(rows) == homes
    assert len(rows) == len(homes)


def home(kind: type[PaddockError]) -> str:
    module = "paddock" if kind.__name__ in paddock.__all__ else "paddock.errors"
    return f"{module}.{kind.__name__}"


def test_no_two_errors_share_a_code() -> None:
    codes = [kind.code for kind in all_errors()]
    assert sorted(codes) == sorted(set(codes))


def test_every_error_code_of_the_protocol_is_listed() -> None:
    listed = set(re.findall(r"^\| (-32\d+) \|", page("protocol.md"), flags=re.M))
    used = {value for name, value in vars(rpc).items() if name.isupper() and type(value) is int}
    assert listed == {str(code) for code in used | {RESOURCE_NOT_FOUND}}


def test_every_version_and_method_is_listed() -> None:
    text = page("protocol.md")
    rows = re.findall(r"^\| (\d{4}-\d\d-\d\d) \|", text, flags=re.M)
    assert tuple(rows) == versions.SUPPORTED_VERSIONS
    table = re.findall(r"^\| (`.+?`) \| (yes)? *\| (yes)? *\|", text, flags=re.M)
    listed = {
        era: {
            name for names, *marks in table if marks[era] for name in re.findall("`(.+?)`", names)
        }
        for era in (0, 1)
    }
    offered = UnavailableOperations(paddock.Server("any").metadata, RuntimeError())
    assert listed[0] == set(SessionEra(offered).methods)
    assert listed[1] == set(StatelessEra(offered, subscriptions.SubscriptionRegistry()).methods)


@pytest.mark.parametrize(
    "text",
    [
        f"| length of a line | {base_server.MAX_MESSAGE_BYTES // 2**20} MiB, or",
        f"| plain handlers at a time | {worker_pool.MAX_THREADS} threads",
        f"and `async def` calls under way | {worker_pool.MAX_QUEUED_REQUESTS} |",
        (
            f"| requests waiting for a server that is being loaded "
            f"| {dispatcher.MAX_DEFERRED_REQUESTS} |"
        ),
        (
            f"| a plain handler in the reading thread "
            f"| {channel_server.WATCHDOG_TICK_SECONDS * 1000:g} ms |"
        ),
        f"| open `subscriptions/listen` | {subscriptions.MAX_STREAMS} for each connection;",
        (
            f"| a plain handler for which the event loop waits (HTTP) "
            f"| {executor.BRIEF_WAIT_SECONDS * 1000:g} ms |"
        ),
        (
            "| a handler that continues after it was cancelled "
            f"| {thread_interrupt.RETRY_SECONDS:g} s |"
        ),
        f"| tasks that a server keeps | {tasks.MAX_TASKS} |",
        f"| how long a task is kept | {tasks.DEFAULT_TTL_MS} ms, at the most {tasks.MAX_TTL_MS} ms",
        f"| GET streams of a session | {sessions.MAX_STANDALONE_READERS} |",
        f"| URIs of one of them | {subscriptions.MAX_STREAM_URIS} |",
        f"| values of a completion | {methods.MAX_COMPLETION_VALUES} |",
        f"| name of a tool | {tools.MAX_TOOL_NAME_CHARACTERS} characters |",
        f"| name of a skill | {skill.MAX_SKILL_NAME_CHARACTERS} characters |",
        f"| description of a skill | {frontmatter.MAX_DESCRIPTION_CHARACTERS} characters |",
        (
            f"| {frontmatter.MAX_FRONTMATTER_CHARACTERS} characters, "
            f"{frontmatter_parser.MAX_NESTING_DEPTH} levels |"
        ),
        f"| files, and directories, of a skill | {skill_files.MAX_SKILL_FILES} |",
        f"| size of a skill | {skill_files.MAX_SKILL_BYTES // 2**20} MiB |",
        f"| validity of a `requestState` | {input_required.STATE_LIFETIME_SECONDS} s |",
        f"that only the author's code knows | {stdio.METADATA_WAIT_SECONDS:g} s |",
        f"that our own peer answers for one request | {calls.MAX_INPUT_ROUNDS} |",
        f"that our own peer takes over HTTP | {request_sender.MAX_BODY_BYTES // 2**20} MiB |",
        f"requests of our own peer under way over HTTP | {channel.MAX_OPEN_EXCHANGES} |",
        f"| requests waiting in that line | {channel.MAX_QUEUED_REQUESTS} |",
        f"| repetitions of a request of our own peer | {exchange.MAX_RETRIES} |",
        f"| work under way may finish | {channel_server.DRAIN_SECONDS:g} s |",
        f"| it is cancelled, and may clean up | {channel_server.DRAIN_SECONDS:g} s |",
        f"| whatever still runs is left behind | {stdio.STREAM_DRAIN_SECONDS:g} s",
        f"| a server that is still being imported is given up | {stdio.LOAD_GRACE_SECONDS:g} s",
        f"| leaving the lifespan | {stdio.LIFESPAN_EXIT_SECONDS:g} s |",
    ],
)
def test_every_limit_has_the_value_that_the_page_gives(text: str) -> None:
    assert text in page("protocol.md")
