"""Routes of agents as files of other programs, there and back, and of agents to begin with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from litestar import Response, get, post
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import FromPath, JSONBody, QueryParameter
from msgspec import Struct, field

from paddock.zoo.errors import FieldError, InvalidAgentError
from paddock.zoo.file_plan import pack_files
from paddock.zoo.formats.converter import export_agents, import_files
from paddock.zoo.formats.exchange import Export, File, Remark
from paddock.zoo.formats.format_registry import BUNDLE_FORMAT, FormatEntry, list_file_formats
from paddock.zoo.model import Agent, ImportReport, LibrarySkill
from paddock.zoo.rest.error_responses import describe_errors
from paddock.zoo.rest.parameters import ZooDependency
from paddock.zoo.rest.request_bodies import RequestBody, StartersBody
from paddock.zoo.starter_agents import Starter, load_starters

if TYPE_CHECKING:
    from paddock.zoo.formats.exchange import ImportBatch
    from paddock.zoo.service import Zoo

MAX_FILES_BODY_BYTES = 16 * 1024 * 1024
"""The body of an import may have so many."""

FormatQuery = Annotated[str, QueryParameter(name="format", max_length=50)]
MemoryQuery = Annotated[bool, QueryParameter(description="With what the agent remembers.")]


class FilesBody(RequestBody, kw_only=True):
    """Files that agents are to be read from."""

    files: list[File]
    format: str | None = None
    """What a file is whose path does not say it."""


class Preview(Struct, rename="camel", kw_only=True):
    """What an import would make."""

    agents: list[Agent]
    skills: list[LibrarySkill]
    """Skills that would be put into the library."""
    entries: int
    """Brain entries of all agents together."""
    report: list[Remark] = field(default_factory=list)


@get("/formats", summary="List the formats of files")
async def list_formats() -> list[FormatEntry]:
    """Which programs' files agents can be written as, and read from."""
    return list_file_formats()


@get(
    "/agents/{agent_id:str}/export",
    summary="Write an agent as files",
    responses=describe_errors(400, 404),
    sync_to_thread=True,
)
def export_agent(
    zoo: ZooDependency,
    agent_id: FromPath[str],
    format: FormatQuery,  # noqa: A002 - what it is called in the URL
    memory: MemoryQuery = False,
) -> Export:
    """The files, and what of the agent does not fit into them."""
    return _export_agents(zoo, [zoo.agents.get(agent_id)], format, has_memory=memory)


@get(
    "/agents/{agent_id:str}/export.zip",
    summary="Write an agent as files in an archive",
    media_type="application/zip",
    responses={
        200: ResponseSpec(bytes, media_type="application/zip", description="The archive."),
        **describe_errors(400, 404),
    },
    sync_to_thread=True,
)
def export_archive(
    zoo: ZooDependency,
    agent_id: FromPath[str],
    format: FormatQuery,  # noqa: A002 - what it is called in the URL
    memory: MemoryQuery = False,
) -> Response[bytes]:
    """The same files."""
    found = _export_agents(zoo, [zoo.agents.get(agent_id)], format, has_memory=memory)
    told = f'attachment; filename="{agent_id}-{format}.zip"'
    return Response(pack_files(found.files), headers={"Content-Disposition": told})


@get(
    "/export", summary="Write the zoo as files", responses=describe_errors(400), sync_to_thread=True
)
def export_zoo(
    zoo: ZooDependency,
    format: FormatQuery = BUNDLE_FORMAT,  # noqa: A002 - what it is called in the URL
    memory: MemoryQuery = True,
) -> Export:
    """All agents; as a bundle, with their brains and the library."""
    agents = zoo.agents.list_agents(archived=None).items
    return _export_agents(zoo, agents, format, has_memory=memory)


@post(
    "/import/preview",
    summary="See what files would make",
    responses=describe_errors(400),
    status_code=200,
    request_max_body_size=MAX_FILES_BODY_BYTES,
    sync_to_thread=True,
)
def preview_import(data: JSONBody[FilesBody]) -> Preview:
    """Nothing is kept."""
    found = _read_import(data)
    return Preview(
        agents=found.agents,
        skills=found.library,
        entries=sum(map(len, found.brains.values())),
        report=found.report,
    )


@post(
    "/import",
    summary="Read agents from files",
    responses=describe_errors(400),
    request_max_body_size=MAX_FILES_BODY_BYTES,
    sync_to_thread=True,
)
def import_agents(zoo: ZooDependency, data: JSONBody[FilesBody]) -> ImportReport:
    """All of them or, when something cannot be kept, none. Skills alone go into the library."""
    return zoo.importer.import_batch(_read_import(data))


@get("/starters", summary="List agents to begin with", sync_to_thread=True)
def list_starters() -> list[Starter]:
    """They come with Paddock."""
    return load_starters()


@post(
    "/starters",
    summary="Make agents to begin with",
    responses=describe_errors(400),
    sync_to_thread=True,
)
def make_starters(zoo: ZooDependency, data: JSONBody[StartersBody | None] = None) -> list[Agent]:
    """Copies, which are the zoo's own from then on."""
    known = {one.id: one.agent for one in load_starters()}
    wanted = [*known] if data is None or data.ids is None else data.ids
    unknown = [one for one in wanted if one not in known]
    if unknown:
        raise InvalidAgentError(
            [
                FieldError(f"ids[{wanted.index(one)}]", f"there is no starter {one!r}")
                for one in unknown
            ]
        )
    return [zoo.agents.create(_to_data(known[one]), source="web") for one in wanted]


def _to_data(agent: Agent) -> dict[str, Any]:
    """An agent as it is asked for; the zoo finds a free id and makes what is its own."""
    data: dict[str, Any] = msgspec.to_builtins(agent)
    return data


def _export_agents(zoo: Zoo, agents: list[Agent], name: str, *, has_memory: bool) -> Export:
    is_bundle = name == BUNDLE_FORMAT
    brains = (
        {one.id: zoo.brain.query_entries(one.id).items for one in agents} if has_memory else None
    )
    return export_agents(
        agents,
        name,
        brains=brains,
        library=zoo.library.list_skills() if is_bundle else (),
        packs=zoo.library.list_packs() if is_bundle else (),
    )


def _read_import(body: FilesBody) -> ImportBatch:
    found = import_files(body.files, body.format)
    found.library += [one.skill for one in found.skills]
    return found


FILE_ROUTES = [
    *(list_formats, export_agent, export_archive, export_zoo),
    *(preview_import, import_agents, list_starters, make_starters),
]
