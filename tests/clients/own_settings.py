"""What the users of client programs have set already: the model that a client is to use.

In several clients that is in the same file as the servers, which `paddock install` then finds
there. The files have comments where the client allows them.
"""

from collections.abc import Callable
from pathlib import Path

from tests.clients.starts import Place

OwnSettings = Callable[[Place], None]


def nothing(_place: Place) -> None:
    """The client has never been used."""


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def codex(place: Place) -> None:
    """A provider of models, and the trust in the folder."""
    settings = f"""\
model = "fake" # not a real one
model_provider = "fake"

[model_providers.fake]
name = "Fake"
base_url = "{place.model}/v1"
wire_api = "responses"

# Trusted folders follow.
[projects."{place.work}"]
trust_level = "trusted"
"""
    _write(place.home / ".codex" / "config.toml", settings)


def gemini(place: Place) -> None:
    """How to sign in."""
    settings = """\
{
  // by key
  "security": { "auth": { "selectedType": "gemini-api-key" } }
}
"""
    _write(place.home / ".gemini" / "settings.json", settings)


def qwen(place: Place) -> None:
    """How to sign in."""
    settings = """\
{
  // by key
  "security": { "auth": { "selectedType": "openai" } }
}
"""
    _write(place.home / ".qwen" / "settings.json", settings)


def opencode(place: Place) -> None:
    """A provider of models, in opencode."""
    _write(place.home / ".config" / "opencode" / "opencode.json", _opencode_settings(place))


def kilo(place: Place) -> None:
    """A provider of models, in Kilo."""
    _write(place.home / ".config" / "kilo" / "kilo.jsonc", _opencode_settings(place))


def _opencode_settings(place: Place) -> str:
    return f"""\
{{
\t"$schema": "https://opencode.ai/config.json",
\t// on this machine
\t"provider": {{
\t\t"fake": {{
\t\t\t"npm": "@ai-sdk/openai-compatible",
\t\t\t"options": {{ "baseURL": "{place.model}/v1", "apiKey": "none" }},
\t\t\t"models": {{ "fake": {{}} }}, // the only one
\t\t}},
\t}},
}}
"""


def continuing(place: Place) -> None:
    """A model."""
    settings = f"""\
name: Mine
version: 1.0.0
schema: v1
models:
  # on this machine
  - name: fake
    provider: openai
    model: fake
    apiBase: {place.model}/v1
    apiKey: none
    roles: [chat]
"""
    _write(place.home / ".continue" / "config.yaml", settings)


def kimi(place: Place) -> None:
    """A model, in a file beside that of the servers."""
    settings = f"""\
default_model = "fake"

[providers.fake]
type = "openai"
base_url = "{place.model}/v1"
api_key = "none"

[models.fake]
provider = "fake"
model = "fake"
max_context_size = 100000
"""
    _write(place.home / ".kimi-code" / "config.toml", settings)


def droid(place: Place) -> None:
    """A model, in a file beside that of the servers."""
    settings = f"""\
{{
  "customModels": [
    {{
      "id": "custom:fake-0",
      "model": "fake",
      "displayName": "fake",
      "baseUrl": "{place.model}/v1",
      "apiKey": "none",
      "provider": "generic-chat-completion-api",
      "maxOutputTokens": 1000
    }}
  ]
}}
"""
    _write(place.home / ".factory" / "settings.json", settings)


def nanocoder(place: Place) -> None:
    """A model, in a file of the folder."""
    provider = f'"name": "fake", "baseUrl": "{place.model}/v1", "apiKey": "none"'
    settings = f'{{"nanocoder": {{"providers": [{{{provider}, "models": ["fake"]}}]}}}}\n'
    _write(place.work / "agents.config.json", settings)


def llm(place: Place) -> None:
    """A model, and a file of servers, which has to be there."""
    _write(place.home / ".llm-tools-mcp" / "mcp.json", '{"mcpServers": {}}')
    settings = f"""\
- model_id: fake
  model_name: fake
  api_base: {place.model}/v1
  supports_tools: true
"""
    _write(place.home / ".config" / "io.datasette.llm" / "extra-openai-models.yaml", settings)


def inspector(place: Place) -> None:
    """Another server, in the file that the program is given."""
    _write(place.home / "mcp.json", '{"mcpServers": {"other": {"command": "true"}}}\n')
