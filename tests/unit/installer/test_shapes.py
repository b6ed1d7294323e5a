"""Entries as each client writes them itself, and read back."""

import pytest

from paddock.installer.apps import find_client, supported_clients
from paddock.installer.entry_format import ConfigEntry, UnsupportedTransportError

PROGRAM = ConfigEntry("/bin/p", ("a", "b"), {"FOO": "bar"}, description="Does it")
ADDRESS = ConfigEntry(url="http://h/mcp", headers={"K": "v"}, description="Does it")
COMMAND: dict[str, object] = {"command": "/bin/p", "args": ["a", "b"], "env": {"FOO": "bar"}}
URL: dict[str, object] = {"url": "http://h/mcp", "headers": {"K": "v"}}
GOOSE: dict[str, object] = {
    "enabled": True,
    "name": "N",
    "description": "Does it",
    "env_keys": [],
    "timeout": 300,
}
APPROVALS: dict[str, object] = {"disabled": False, "autoApprove": []}

FORMS: dict[str, tuple[dict[str, object], dict[str, object] | None]] = {
    "claude-code": ({"type": "stdio", **COMMAND}, {"type": "http", **URL}),
    "claude-desktop": (COMMAND, None),
    "codex": (COMMAND, {"url": "http://h/mcp", "http_headers": {"K": "v"}}),
    "gemini-cli": (COMMAND, {**URL, "type": "http"}),
    "qwen-code": (COMMAND, {"httpUrl": "http://h/mcp", "headers": {"K": "v"}}),
    "opencode": (
        {"type": "local", "command": ["/bin/p", "a", "b"], "environment": {"FOO": "bar"}},
        {"type": "remote", **URL},
    ),
    "kilo-code": (
        {"type": "local", "command": ["/bin/p", "a", "b"], "environment": {"FOO": "bar"}},
        {"type": "remote", **URL},
    ),
    "cline-cli": (
        {"transport": {"type": "stdio", **COMMAND}, "timeout": 60},
        {"transport": {"type": "streamableHttp", **URL}, "timeout": 60},
    ),
    "cline": (
        {"type": "stdio", **COMMAND, **APPROVALS, "timeout": 60},
        {"type": "streamableHttp", **URL, **APPROVALS, "timeout": 60},
    ),
    "amp": (COMMAND, URL),
    "copilot-cli": (
        {"tools": ["*"], "type": "stdio", **COMMAND},
        {"tools": ["*"], "type": "http", **URL},
    ),
    "goose": (
        {**GOOSE, "type": "stdio", "cmd": "/bin/p", "args": ["a", "b"], "envs": {"FOO": "bar"}},
        {
            **GOOSE,
            "type": "streamable_http",
            "uri": "http://h/mcp",
            "envs": {},
            "headers": {"K": "v"},
        },
    ),
    "factory": (
        {"type": "stdio", **COMMAND, "disabled": False},
        {"type": "http", **URL, "disabled": False},
    ),
    "qoder": (COMMAND, {**URL, "type": "http"}),
    "augment-code": ({"type": "stdio", **COMMAND}, {"type": "http", **URL}),
    "augment-code-ide": (
        {"name": "N", "type": "stdio", **COMMAND},
        {"name": "N", "type": "http", **URL},
    ),
    "openclaw": (COMMAND, {"transport": "streamable-http", **URL}),
    "hermes": ({**COMMAND, "enabled": True}, {**URL, "enabled": True}),
    "vscode": ({"type": "stdio", **COMMAND}, {"type": "http", **URL}),
    "kimi-code": (COMMAND, URL),
    "continue": (
        {"name": "N", **COMMAND},
        {
            "name": "N",
            "type": "streamable-http",
            "url": "http://h/mcp",
            "requestOptions": {"headers": {"K": "v"}},
        },
    ),
    "nanocoder": ({"transport": "stdio", **COMMAND}, {"transport": "http", **URL}),
    "crush": ({"type": "stdio", **COMMAND}, {"type": "http", **URL}),
    "windsurf": (COMMAND, {"serverUrl": "http://h/mcp", "headers": {"K": "v"}}),
    "antigravity": (COMMAND, {"serverUrl": "http://h/mcp", "headers": {"K": "v"}}),
    "roo-code": (COMMAND, {"type": "streamable-http", **URL}),
    "kiro": ({**COMMAND, **APPROVALS}, {**URL, **APPROVALS}),
    "gptme": ({"name": "N", "enabled": True, **COMMAND}, {"name": "N", "enabled": True, **URL}),
    "mcporter": (COMMAND, {"baseUrl": "http://h/mcp", "headers": {"K": "v"}}),
    "grok-build": (COMMAND, {"url": "http://h/mcp", "http_headers": {"K": "v"}}),
}


@pytest.mark.parametrize("client", FORMS)
def test_an_entry_for_a_program_looks_as_the_client_writes_it(client: str) -> None:
    assert find_client(client).shape.render_entry(PROGRAM, "N") == FORMS[client][0]


@pytest.mark.parametrize("client", [name for name, forms in FORMS.items() if forms[1]])
def test_an_entry_for_a_url_looks_as_the_client_writes_it(client: str) -> None:
    assert find_client(client).shape.render_entry(ADDRESS, "N") == FORMS[client][1]


@pytest.mark.parametrize("client", supported_clients())
def test_what_is_written_is_read_back(client: str) -> None:
    shape = find_client(client).shape
    read = shape.parse_entry(shape.render_entry(PROGRAM, "N"))
    assert read is not None
    assert (read.command, read.args, read.env) == (PROGRAM.command, PROGRAM.args, PROGRAM.env)
    if shape.http is not None:
        read = shape.parse_entry(shape.render_entry(ADDRESS, "N"))
        assert read is not None
        assert (read.url, read.headers) == (ADDRESS.url, ADDRESS.headers)


@pytest.mark.parametrize("client", supported_clients())
def test_nothing_is_written_that_has_no_value(client: str) -> None:
    shape = find_client(client).shape
    bare = shape.render_entry(ConfigEntry("/bin/p"), "N")
    assert None not in bare.values()
    assert {"env", "environment", "headers"} & bare.keys() == set()


def test_a_url_for_a_client_that_only_starts_programs_is_refused() -> None:
    with pytest.raises(UnsupportedTransportError) as caught:
        find_client("claude-desktop").shape.render_entry(ADDRESS, "N")
    assert caught.value.code == "unsupported-transport"


@pytest.mark.parametrize("client", ["cline", "cline-cli"])
@pytest.mark.parametrize(
    "data",
    [
        {"command": "/bin/p", "args": ["a"]},
        {"command": "/bin/p", "args": ["a"], "disabled": False, "autoApprove": ["x"]},
        {"type": "stdio", "command": "/bin/p", "args": ["a"], "timeout": 10},
        {"transport": {"type": "stdio", "command": "/bin/p", "args": ["a"]}},
    ],
)
def test_cline_reads_entries_flat_or_nested(client: str, data: dict[str, object]) -> None:
    assert find_client(client).shape.parse_entry(data) == ConfigEntry("/bin/p", ("a",))


def test_what_a_client_skips_is_not_read() -> None:
    claude = find_client("claude-code").shape
    assert claude.parse_entry({"url": "http://h/mcp"}) is None
    assert claude.parse_entry({"type": None, "command": "/bin/p"}) is None
    assert claude.parse_entry({"command": "/bin/p", "env": {"N": 1}}) is None
    assert claude.parse_entry({"command": ["/bin/p"]}) is None
    assert claude.parse_entry("/bin/p") is None
    opencode = find_client("opencode").shape
    assert opencode.parse_entry({"command": ["/bin/p"]}) is None
    assert opencode.parse_entry({"type": "local", "command": []}) is None


def test_the_older_name_of_a_kind_is_read_too() -> None:
    copilot = find_client("copilot-cli").shape
    assert copilot.parse_entry({"type": "stdio", "command": "/bin/p"}) == ConfigEntry("/bin/p")


@pytest.mark.parametrize(
    ("client", "switch"), [("kiro", {"disabled": True}), ("codex", {"enabled": False})]
)
def test_an_entry_that_is_switched_off_says_so(client: str, switch: dict[str, object]) -> None:
    entry = find_client(client).shape.parse_entry({"command": "/bin/p", **switch})
    assert entry == ConfigEntry("/bin/p", is_enabled=False)
