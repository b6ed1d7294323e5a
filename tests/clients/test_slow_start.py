"""A server that takes twelve seconds to load is connected at once, in every client.

The order of what was stated is looked at rather than the clock: the handshake is answered before
the author's module is loaded.
"""

from collections.abc import Callable

import pytest

from tests.clients.conversation import OPENINGS
from tests.clients.slow_starts import (
    CLAUDE_LIST,
    GEMINI_LIST,
    INSPECTORS,
    LIBRARIES,
    SLOW_STARTS,
    TURNS,
    Outcome,
    SlowStart,
)

Results = Callable[[SlowStart], Outcome]


def named(start: SlowStart) -> str:
    return start.name


@pytest.mark.parametrize("client", SLOW_STARTS, ids=named)
def test_the_handshake_is_answered_before_the_module_is_loaded(
    client: SlowStart, slow_start: Results
) -> None:
    found = slow_start(client).conversations
    assert any(conversation.openings() for conversation in found)
    for conversation in found:
        assert conversation.openings() == conversation.openings_answered_before_load()


@pytest.mark.parametrize("client", SLOW_STARTS, ids=named)
def test_no_client_falls_back_to_another_handshake(client: SlowStart, slow_start: Results) -> None:
    found = slow_start(client).conversations
    tried = {method for conversation in found for method in conversation.methods()}
    assert len(tried & {*OPENINGS}) == 1


@pytest.mark.parametrize("client", [*LIBRARIES, *INSPECTORS], ids=named)
def test_the_tools_are_listed_after_the_load(client: SlowStart, slow_start: Results) -> None:
    outcome = slow_start(client)
    assert [tool["name"] for tool in outcome.report["tools"]["tools"]] == ["ready"]
    assert outcome.conversations[-1].is_loaded()


@pytest.mark.parametrize("client", LIBRARIES, ids=named)
def test_a_library_knows_the_server_before_it_is_loaded(
    client: SlowStart, slow_start: Results
) -> None:
    identity = slow_start(client).report["identity"]
    assert identity["serverInfo"]["name"] == "slow"
    assert identity["instructions"] == "Takes its time."


@pytest.mark.parametrize("client", LIBRARIES, ids=named)
def test_a_tool_can_be_called_after_the_load(client: SlowStart, slow_start: Results) -> None:
    content = slow_start(client).report["ready"]["content"]
    assert [block["text"] for block in content] == ["ready at last"]


@pytest.mark.parametrize("client", TURNS, ids=named)
def test_an_agent_offers_the_tool_to_its_model_and_calls_it(
    client: SlowStart, slow_start: Results
) -> None:
    outcome = slow_start(client)
    assert outcome.turn
    assert outcome.turn.ended.code == 0, outcome.turn.ended.errors
    assert any(name.endswith("ready") for name in outcome.turn.offered)
    assert "ready at last" in outcome.turn.tool_results
    assert "tools/call" in outcome.conversations[-1].methods()


def test_gemini_says_that_it_is_connected_within_its_five_seconds(slow_start: Results) -> None:
    turn = slow_start(GEMINI_LIST).turn
    assert turn
    assert " - Connected" in turn.ended.output + turn.ended.errors


def test_claude_says_that_it_is_connected(slow_start: Results) -> None:
    """It also gives `tools/list` five seconds and says so; a session waits for it (see above)."""
    turn = slow_start(CLAUDE_LIST).turn
    assert turn
    assert " Connected" in turn.ended.output
