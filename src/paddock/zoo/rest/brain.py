"""Routes for agents' brain entries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from litestar import Response, delete, get, patch, post, put
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter

from paddock.zoo.model import BrainEntry, EntryType, SearchHit
from paddock.zoo.rest.error_responses import declare_route
from paddock.zoo.rest.parameters import (
    MAX_PAGE_ITEMS,
    CursorQuery,
    ExpectedVersion,
    LimitQuery,
    ZooDependency,
    make_page_headers,
)
from paddock.zoo.rest.request_bodies import (
    EntryChanges,
    HandOverBody,
    NewEntryBody,
    PinBody,
    get_changes,
)

if TYPE_CHECKING:
    from paddock.zoo.service import Zoo

BRAIN_PATH = "/agents/{agent_id:str}/brain"
ENTRY_PATH = "/agents/{agent_id:str}/brain/{entry_id:str}"
BRAIN_ERRORS = (400, 404, 412)


@declare_route(get, BRAIN_PATH, "List brain entries", errors=(400, 404))
def list_entries(
    zoo: ZooDependency,
    agent_id: FromPath[str],
    type: FromQuery[EntryType | None] = None,  # noqa: A002 - the name in the URL
    tags: Annotated[
        list[str] | None,
        QueryParameter(
            description="Entries with any of these tags; repeated, or separated by commas."
        ),
    ] = None,
    date_from: Annotated[
        str | None,
        QueryParameter(
            name="dateFrom", max_length=40, description="Earliest date or time, inclusive."
        ),
    ] = None,
    date_to: Annotated[
        str | None,
        QueryParameter(
            name="dateTo",
            max_length=40,
            description="Latest date or time, inclusive; a date to the end of its day.",
        ),
    ] = None,
    pinned: FromQuery[bool | None] = None,
    text: Annotated[str | None, QueryParameter(max_length=200)] = None,
    workspace_id: Annotated[str | None, QueryParameter(name="workspaceId", max_length=500)] = None,
    limit: LimitQuery = None,
    cursor: CursorQuery = None,
) -> Response[list[BrainEntry]]:
    """Return entries, newest first. `X-Next-Cursor` is the cursor of the next page."""
    page = zoo.brain.query_entries(
        agent_id,
        type=type,
        tags=[tag for value in tags or () for tag in value.split(",")],
        date_from=date_from,
        date_to=date_to,
        pinned=pinned,
        text=text,
        workspace_id=workspace_id,
        limit=limit,
        cursor=cursor,
    )
    return Response(page.items, headers=make_page_headers(page.next_cursor))


@declare_route(post, BRAIN_PATH, "Create a brain entry", errors=(400, 404))
def create_entry(
    zoo: ZooDependency, agent_id: FromPath[str], data: JSONBody[NewEntryBody]
) -> BrainEntry:
    """Create an entry. The zoo sets its ID and its time."""
    return zoo.brain.create_entry(
        agent_id,
        data.type,
        data.content,
        tags=data.tags,
        pinned=data.pinned,
        metadata={"source": "manual", **data.metadata},
    )


@declare_route(get, ENTRY_PATH, "Get a brain entry", errors=(404,))
def get_entry(zoo: ZooDependency, agent_id: FromPath[str], entry_id: FromPath[str]) -> BrainEntry:
    """Return one entry."""
    return zoo.brain.get_entry(agent_id, entry_id)


@declare_route(put, ENTRY_PATH, "Change a brain entry", errors=BRAIN_ERRORS)
def put_entry(
    zoo: ZooDependency,
    agent_id: FromPath[str],
    entry_id: FromPath[str],
    data: JSONBody[EntryChanges],
    expected: ExpectedVersion,
) -> BrainEntry:
    """Change an entry, like PATCH: omitted fields stay as they are."""
    return _update_entry(zoo, agent_id, entry_id, data, expected)


@declare_route(patch, ENTRY_PATH, "Change a brain entry", errors=BRAIN_ERRORS)
def patch_entry(
    zoo: ZooDependency,
    agent_id: FromPath[str],
    entry_id: FromPath[str],
    data: JSONBody[EntryChanges],
    expected: ExpectedVersion,
) -> BrainEntry:
    """Change fields of an entry. Omitted fields stay as they are."""
    return _update_entry(zoo, agent_id, entry_id, data, expected)


@declare_route(delete, ENTRY_PATH, "Delete a brain entry", errors=BRAIN_ERRORS)
def delete_entry(
    zoo: ZooDependency, agent_id: FromPath[str], entry_id: FromPath[str], expected: ExpectedVersion
) -> None:
    """Move an entry to the bin, from which it can be restored for 30 days."""
    zoo.brain.delete_entry(agent_id, entry_id, version=expected)


@declare_route(
    post, f"{ENTRY_PATH}/restore", "Restore a deleted brain entry", errors=(404,), status_code=200
)
def restore_entry(
    zoo: ZooDependency, agent_id: FromPath[str], entry_id: FromPath[str]
) -> BrainEntry:
    """Restore an entry from the bin."""
    return zoo.brain.restore_entry(agent_id, entry_id)


@declare_route(patch, f"{ENTRY_PATH}/pin", "Pin a brain entry", errors=BRAIN_ERRORS)
def pin_entry(
    zoo: ZooDependency,
    agent_id: FromPath[str],
    entry_id: FromPath[str],
    data: JSONBody[PinBody | None] = None,
) -> BrainEntry:
    """Pin or unpin an entry. Without `pinned`, invert its state."""
    pinned = None if data is None else data.pinned
    return zoo.brain.pin_entry(agent_id, entry_id, pinned)


@declare_route(get, "/brain/search", "Search all brains", errors=(400, 404))
def search_brain(
    zoo: ZooDependency,
    text: Annotated[str, QueryParameter(min_length=1, max_length=500)],
    agent_id: Annotated[str | None, QueryParameter(name="agentId", max_length=200)] = None,
    limit: Annotated[int, QueryParameter(ge=1, le=MAX_PAGE_ITEMS)] = 20,
) -> list[SearchHit]:
    """Return the newest entries that contain all words of the text."""
    return zoo.brain.search(text, agent_id=agent_id, limit=limit)


@declare_route(
    post, "/agents/{agent_id:str}/hand-over", "Hand over to another agent", errors=(400, 404)
)
def hand_over(
    zoo: ZooDependency, agent_id: FromPath[str], data: JSONBody[HandOverBody]
) -> BrainEntry:
    """Create an entry of type `handoff` in the brain of the agent that takes over."""
    return zoo.brain.hand_over(agent_id, data.to_agent_id, data.summary, entry_ids=data.entry_ids)


def _update_entry(
    zoo: Zoo, agent_id: str, entry_id: str, body: EntryChanges, version: int | None
) -> BrainEntry:
    changes = get_changes(body)
    return zoo.brain.update_entry(agent_id, entry_id, changes, version=version)


BRAIN_ROUTES = [
    *(list_entries, create_entry, get_entry, put_entry, patch_entry, delete_entry),
    *(restore_entry, pin_entry, search_brain, hand_over),
]
