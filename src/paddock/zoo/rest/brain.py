"""Routes of the brain entries of agents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from litestar import Response, delete, get, patch, post, put
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter

from paddock.zoo.model import BrainEntry, EntryType, SearchHit
from paddock.zoo.rest.error_responses import describe_errors
from paddock.zoo.rest.parameters import (
    MAX_PAGE_ITEMS,
    CursorQuery,
    ExpectedVersion,
    LimitQuery,
    ZooDependency,
    make_etag_headers,
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
BRAIN_ERRORS = describe_errors(400, 404, 412)


@get(
    BRAIN_PATH,
    summary="List brain entries",
    responses=describe_errors(400, 404),
    sync_to_thread=True,
)
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


@post(
    BRAIN_PATH,
    summary="Create a brain entry",
    responses=describe_errors(400, 404),
    sync_to_thread=True,
)
def create_entry(
    zoo: ZooDependency, agent_id: FromPath[str], data: JSONBody[NewEntryBody]
) -> Response[BrainEntry]:
    """Create an entry. The zoo sets its ID and its time."""
    created = zoo.brain.create_entry(
        agent_id,
        data.type,
        data.content,
        tags=data.tags,
        pinned=data.pinned,
        metadata={"source": "manual", **data.metadata},
        source="web",
    )
    return Response(created, headers=make_etag_headers(created))


@get(ENTRY_PATH, summary="Get a brain entry", responses=describe_errors(404), sync_to_thread=True)
def get_entry(
    zoo: ZooDependency, agent_id: FromPath[str], entry_id: FromPath[str]
) -> Response[BrainEntry]:
    """Return one entry."""
    entry = zoo.brain.get_entry(agent_id, entry_id)
    return Response(entry, headers=make_etag_headers(entry))


@put(ENTRY_PATH, summary="Change a brain entry", responses=BRAIN_ERRORS, sync_to_thread=True)
def put_entry(
    zoo: ZooDependency,
    agent_id: FromPath[str],
    entry_id: FromPath[str],
    data: JSONBody[EntryChanges],
    expected: ExpectedVersion,
) -> Response[BrainEntry]:
    """Change an entry, like PATCH: omitted fields stay as they are."""
    return _update_entry(zoo, agent_id, entry_id, data, expected)


@patch(ENTRY_PATH, summary="Change a brain entry", responses=BRAIN_ERRORS, sync_to_thread=True)
def patch_entry(
    zoo: ZooDependency,
    agent_id: FromPath[str],
    entry_id: FromPath[str],
    data: JSONBody[EntryChanges],
    expected: ExpectedVersion,
) -> Response[BrainEntry]:
    """Change fields of an entry. Omitted fields stay as they are."""
    return _update_entry(zoo, agent_id, entry_id, data, expected)


@delete(ENTRY_PATH, summary="Delete a brain entry", responses=BRAIN_ERRORS, sync_to_thread=True)
def delete_entry(
    zoo: ZooDependency, agent_id: FromPath[str], entry_id: FromPath[str], expected: ExpectedVersion
) -> None:
    """Move an entry to the bin, from which it can be restored for 30 days."""
    zoo.brain.delete_entry(agent_id, entry_id, version=expected, source="web")


@post(
    f"{ENTRY_PATH}/restore",
    summary="Restore a deleted brain entry",
    responses=describe_errors(404),
    status_code=200,
    sync_to_thread=True,
)
def restore_entry(
    zoo: ZooDependency, agent_id: FromPath[str], entry_id: FromPath[str]
) -> Response[BrainEntry]:
    """Restore an entry from the bin."""
    entry = zoo.brain.restore_entry(agent_id, entry_id, source="web")
    return Response(entry, headers=make_etag_headers(entry))


@patch(
    f"{ENTRY_PATH}/pin", summary="Pin a brain entry", responses=BRAIN_ERRORS, sync_to_thread=True
)
def pin_entry(
    zoo: ZooDependency,
    agent_id: FromPath[str],
    entry_id: FromPath[str],
    data: JSONBody[PinBody | None] = None,
) -> Response[BrainEntry]:
    """Pin or unpin an entry. Without `pinned`, invert its state."""
    pinned = None if data is None else data.pinned
    entry = zoo.brain.pin_entry(agent_id, entry_id, pinned, source="web")
    return Response(entry, headers=make_etag_headers(entry))


@get(
    "/brain/search",
    summary="Search all brains",
    responses=describe_errors(400, 404),
    sync_to_thread=True,
)
def search_brain(
    zoo: ZooDependency,
    text: Annotated[str, QueryParameter(min_length=1, max_length=500)],
    agent_id: Annotated[str | None, QueryParameter(name="agentId", max_length=200)] = None,
    limit: Annotated[int, QueryParameter(ge=1, le=MAX_PAGE_ITEMS)] = 20,
) -> list[SearchHit]:
    """Return the newest entries that contain all words of the text."""
    return zoo.brain.search(text, agent_id=agent_id, limit=limit)


@post(
    "/agents/{agent_id:str}/hand-over",
    summary="Hand over to another agent",
    responses=describe_errors(400, 404),
    sync_to_thread=True,
)
def hand_over(
    zoo: ZooDependency, agent_id: FromPath[str], data: JSONBody[HandOverBody]
) -> Response[BrainEntry]:
    """Create an entry of type `handoff` in the brain of the agent that takes over."""
    created = zoo.brain.hand_over(
        agent_id, data.to_agent_id, data.summary, entry_ids=data.entry_ids, source="web"
    )
    return Response(created, headers=make_etag_headers(created))


def _update_entry(
    zoo: Zoo, agent_id: str, entry_id: str, body: EntryChanges, version: int | None
) -> Response[BrainEntry]:
    changes = get_changes(body)
    entry = zoo.brain.update_entry(agent_id, entry_id, changes, version=version, source="web")
    return Response(entry, headers=make_etag_headers(entry))


BRAIN_ROUTES = [
    *(list_entries, create_entry, get_entry, put_entry, patch_entry, delete_entry),
    *(restore_entry, pin_entry, search_brain, hand_over),
]
