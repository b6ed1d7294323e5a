"""The client program that the official suite drives: `python -m tests.conformance.client URL`.

The suite says in the environment which scenario it plays, and in which protocol version.
"""

import json
import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from paddock import Peer, connect
from paddock.client.connect_options import ConnectOptions, Json
from paddock.client.errors import AnswerError
from paddock.client.http.request_sender import RequestSender

CONTEXT = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT") or "{}")
ERA = os.environ.get("MCP_CONFORMANCE_PROTOCOL_VERSION")


def fill_in(question: Json) -> Json:
    """Accept a form as it is offered, with its defaults."""
    schema = question.get("requestedSchema")
    properties = schema["properties"] if isinstance(schema, dict) else {}
    content = {name: field.get("default", True) for name, field in properties.items()}
    return {"action": "accept", "content": content}


def call_every_tool(peer: Peer) -> None:
    """Call each tool, with something of the right type for each argument that it requires."""
    for tool in peer.tools():
        properties = tool.input_schema.get("properties", {})
        required = tool.input_schema.get("required", [])
        assert isinstance(properties, dict)
        assert isinstance(required, list)
        peer.call(tool.name, {name: SAMPLES[properties[name]["type"]] for name in required})


SAMPLES: dict[str, object] = {"boolean": True, "integer": 2, "number": 2.5, "string": "text"}


def use_everything(peer: Peer) -> None:
    """Use whatever is listed."""
    call_every_tool(peer)
    for resource in peer.resources():
        peer.read(resource.uri)
    for prompt in peer.prompts():
        peer.prompt(prompt.name)


def make_given_calls(peer: Peer) -> None:
    """Call what the suite says."""
    for call in CONTEXT["toolCalls"]:
        peer.call(call["name"], call["arguments"])


def list_tools(peer: Peer) -> None:
    """Only look."""
    peer.tools()


def list_skills(peer: Peer) -> None:
    """Only look."""
    peer.skills()


def load_skills(peer: Peer) -> None:
    """Read every file of the skills that are what they should be."""
    for skill in peer.skills():
        with suppress(AnswerError):
            peer.skill_file(skill)
            for file in skill.resources if isinstance(skill.resources, list) else []:
                peer.skill_file(skill, file.uri)


def keep_schemas(peer: Peer) -> None:
    """Say what arrived of a schema."""
    tools = {tool.name: tool for tool in peer.tools()}
    peer.call("json_schema_echo", schema=tools["json_schema_2020_12_tool"].input_schema)


stream_was_answered = threading.Event()
"""Set when the session's GET stream is open, or the server does not offer it."""
open_stream = RequestSender.open_stream


def open_stream_and_report(*arguments: Any) -> Any:
    """Open a stream as usual, and set the event."""
    try:
        return open_stream(*arguments)
    finally:
        stream_was_answered.set()


def call_after_the_stream(peer: Peer) -> None:
    """Call each tool once the session's GET stream is open.

    The suite takes the first GET request after a call for the reconnection that it waits for. On a
    busy machine, the session's own stream can be this late.
    """
    stream_was_answered.wait(5)
    call_every_tool(peer)


SCENARIOS: dict[str, Callable[[Peer], None]] = {
    "http-custom-headers": make_given_calls,
    "http-standard-headers": use_everything,
    "initialize": list_tools,
    "json-schema-2020-12-preservation": keep_schemas,
    "json-schema-ref-no-deref": list_tools,
    "sep-2640-client-no-prefetch": list_skills,
    "sep-2640-client-verify-digest": load_skills,
    "sep-2640-client-verify-frontmatter": load_skills,
    "sep-2640-client-verify-size": load_skills,
    "sse-retry": call_after_the_stream,
}


def main() -> None:
    """Play the scenario."""
    options: ConnectOptions = {
        "era": ERA,
        "on_elicit": fill_in,
        "on_sample": lambda _: "sampled",
        "roots": [],
        "token": os.environ.get("PADDOCK_TOKEN"),
    }
    RequestSender.open_stream = open_stream_and_report  # type: ignore[assignment]
    play = SCENARIOS.get(os.environ["MCP_CONFORMANCE_SCENARIO"], call_every_tool)
    with connect(sys.argv[1], **options) as peer:
        play(peer)


if __name__ == "__main__":
    main()
