"""What the API says of itself, put right where the framework cannot know it, and with examples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

Json = dict[str, Any]

PROBLEM_SCHEMA = {"$ref": "#/components/schemas/Problem"}
STRICT_SCHEMA_SUFFIXES = ("Body", "Changes")
"""Endings of the names of what takes no unknown keys."""
UNAUTHENTICATED_PATHS = ("/api/health", "/api/sign-in", "/api/sign-out")
EXAMPLE_AGENT: Json = {
    "name": "Ada",
    "description": "Counts what nobody has counted.",
    "systemPrompt": "You count before you claim.",
    "tags": ["numbers"],
}
EXAMPLE_SKILL: Json = {
    "name": "Check the sums",
    "description": "Add every column twice, from both ends.",
    "whenToUse": "When there is a table of numbers.",
}
EXAMPLE_ENTRY: Json = {
    "type": "decision",
    "content": "Prices are kept in cents.",
    "tags": ["money"],
    "pinned": True,
}
BODY_EXAMPLES: dict[tuple[str, str], Json] = {
    ("post", "/api/agents"): EXAMPLE_AGENT,
    ("put", "/api/agents/{agent_id}"): {"description": "Counts twice."},
    ("patch", "/api/agents/{agent_id}"): {"description": "Counts twice."},
    ("post", "/api/agents/{agent_id}/duplicate"): {"name": "Grace"},
    ("post", "/api/agents/{agent_id}/inject"): {"memory": True, "budgetTokens": 1000},
    ("post", "/api/agents/{agent_id}/skills"): EXAMPLE_SKILL,
    ("patch", "/api/agents/{agent_id}/skills/{skill_id}"): {"enabled": False},
    ("post", "/api/agents/{agent_id}/skills/{skill_id}/toggle"): {"enabled": True},
    ("put", "/api/agents/{agent_id}/skills/order"): {"ids": ["check-the-sums"]},
    ("post", "/api/agents/{agent_id}/categories"): {"name": "Numbers", "color": "#5B5F97"},
    ("post", "/api/agents/{agent_id}/hand-over"): {
        "toAgentId": "grace",
        "summary": "The prices are done; the taxes are not.",
    },
    ("post", "/api/agents/{agent_id}/brain"): EXAMPLE_ENTRY,
    ("put", "/api/agents/{agent_id}/brain/{entry_id}"): {"pinned": False},
    ("patch", "/api/agents/{agent_id}/brain/{entry_id}"): {"pinned": False},
    ("patch", "/api/agents/{agent_id}/brain/{entry_id}/pin"): {"pinned": True},
    ("post", "/api/library/skills"): EXAMPLE_SKILL,
    ("post", "/api/library/packs"): {"name": "Numbers", "description": "For tables and sums."},
    ("post", "/api/library/copy"): {"agentId": "ada", "skillIds": ["check-the-sums"]},
    ("post", "/api/servers/{name}/tools/{tool}/call"): {"arguments": {"name": "Ada"}},
    ("post", "/api/servers/{name}/prompts/{prompt}"): {"arguments": {}},
    ("post", "/api/clients/{client}/plan"): {
        "server": "AgentZoo",
        "url": "http://127.0.0.1:3912/mcp",
    },
    ("post", "/api/clients/{client}/install"): {"server": "AgentZoo"},
    ("post", "/api/clients/{client}/uninstall"): {"server": "AgentZoo"},
    ("post", "/api/import/preview"): {
        "files": [{"path": ".claude/agents/ada.md", "text": "---\nname: ada\n---\nYou count.\n"}]
    },
    ("post", "/api/starters"): {"ids": ["fern"]},
    ("post", "/api/sign-in"): {"token": "the one that Paddock was started with"},
}
PARAMETER_EXAMPLES: dict[str, object] = {
    "agent_id": "ada",
    "skill_id": "check-the-sums",
    "category_id": "numbers",
    "name": "Demo",
    "tool": "greet",
    "client": "cursor",
    "number": 1,
    "before": 1,
    "after": 2,
    "tag": "numbers",
    "If-Match": '"3"',
}
"""Examples of parameters, by their names."""


def complete_openapi(schema: Json) -> Json:
    """The description of the API, changed in place."""
    for path, method, operation in _iterate_operations(schema):
        for parameter in operation.get("parameters", ()):
            _complete_parameter(parameter)
        body = operation.get("requestBody")
        if body is not None:
            _complete_body(body, BODY_EXAMPLES.get((method, path)))
        for status, answer in operation["responses"].items():
            if status == "400":
                answer["content"] = {"application/json": {"schema": PROBLEM_SCHEMA}}
        if path in UNAUTHENTICATED_PATHS:
            operation["security"] = []
    components = schema["components"]
    for name, component in components["schemas"].items():
        if name.endswith(STRICT_SCHEMA_SUFFIXES):
            component["additionalProperties"] = False
    components["securitySchemes"] = {
        "token": {"type": "http", "scheme": "bearer"},
        "session": {"type": "apiKey", "in": "cookie", "name": "paddock_session"},
    }
    # Where nobody has to sign in, neither is needed.
    schema["security"] = [{}, {"token": []}, {"session": []}]
    return schema


def _iterate_operations(schema: Json) -> Iterator[tuple[str, str, Json]]:
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            if method in ("get", "post", "put", "patch", "delete"):
                yield path, method, operation


def _complete_parameter(parameter: Json) -> None:
    """A header that is left out is not there; it has no null."""
    if parameter["in"] == "header":
        parameter["schema"] = _remove_null(parameter["schema"])
    if parameter["name"] in PARAMETER_EXAMPLES:
        parameter["example"] = PARAMETER_EXAMPLES[parameter["name"]]


def _complete_body(body: Json, example: Json | None) -> None:
    """A body that may be null may as well be left out."""
    for content in body["content"].values():
        if _remove_null(content["schema"]) is not content["schema"]:
            body["required"] = False
        if example is not None:
            content["example"] = example


def _remove_null(schema: Json) -> Json:
    """A schema without the choice of null, if it has that."""
    for key in ("oneOf", "anyOf"):
        choices = schema.get(key)
        if choices is None or {"type": "null"} not in choices:
            continue
        rest = [one for one in choices if one != {"type": "null"}]
        others = {name: value for name, value in schema.items() if name != key}
        return {**others, **rest[0]} if len(rest) == 1 else {**others, key: rest}
    kinds = schema.get("type")
    if isinstance(kinds, list) and "null" in kinds:
        rest = [one for one in kinds if one != "null"]
        return {**schema, "type": rest[0] if len(rest) == 1 else rest}
    return schema
