"""Routes for starter agents, and for import and export in other programs' formats."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import msgspec
from litestar import Response, get, post
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import FromPath, JSONBody, QueryParameter
from msgspec import Struct, field

from paddock.zoo.errors import FieldError, InvalidAgentError
from paddock.zoo.file_plan import make_zip
from paddock.zoo.formats.converter import export_agents, import_files
from paddock.zoo.formats.exchange import AgentExport, File, Remark
from paddock.zoo.formats.format_registry import BUNDLE_FORMAT, FormatEntry, list_file_formats
from paddock.zoo.model import Agent, ImportReport, LibrarySkill
from paddock.zoo.rest.error_responses import declare_route, describe_errors
from paddock.zoo.rest.parameters import ZooDependency
from paddock.zoo.rest.request_bodies import RequestBody, StartersBody
from paddock.zoo.starter_agents import Starter, load_starters

if TYPE_CHECKING:
    from paddock.zoo.formats.exchange import ImportBatch
    from paddock.zoo.service import Zoo

MAX_FILES_BODY_BYTES = 16 * 1024 * 1024
"""Maximum size of an import's request body."""

FormatQuery = Annotated[str, QueryParameter(name="format", max_length=50)]
MemoryQuery = Annotated[bool, QueryParameter(description="Include brain entries.")]


class FilesBody(RequestBody, kw_only=True):
    """Files to import agents from."""

    files: list[File]
    format: str | None = None
    """The format of files whose path does not determine it."""


class Preview(Struct, rename="camel", kw_only=True):
    """The expected result of an import."""

    agents: list[Agent]
    skills: list[LibrarySkill]
    """Skills that would be added to the library."""
    entries: int
    """Number of brain entries of all agents."""
    report: list[Remark] = field(default_factory=list)


@get("/formats", summary="List the file formats")
async def list_formats() -> list[FormatEntry]:
    """Return the formats of other programs that agents can be exported to and imported from."""
    return list_file_formats()


@declare_route(get, "/agents/{agent_id:str}/export", "Export an agent as files", errors=(400, 404))
def export_agent(
    zoo: ZooDependency,
    agent_id: FromPath[str],
    format: FormatQuery,  # noqa: A002 - the name in the URL
    memory: MemoryQuery = False,
) -> AgentExport:
    """Return the files, and remarks about data that the format cannot represent."""
    return _export_agents(zoo, [zoo.agents.get(agent_id)], format, with_memory=memory)


@get(
    "/agents/{agent_id:str}/export.zip",
    summary="Export an agent as a zip archive",
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
    format: FormatQuery,  # noqa: A002 - the name in the URL
    memory: MemoryQuery = False,
) -> Response[bytes]:
    """Return the same files as an archive."""
    export = _export_agents(zoo, [zoo.agents.get(agent_id)], format, with_memory=memory)
    disposition = f'attachment; filename="{agent_id}-{format}.zip"'
    return Response(make_zip(export.files), headers={"Content-Disposition": disposition})


@declare_route(get, "/export", "Export the zoo as files", errors=(400,))
def export_zoo(
    zoo: ZooDependency,
    format: FormatQuery = BUNDLE_FORMAT,  # noqa: A002 - the name in the URL
    memory: MemoryQuery = True,
) -> AgentExport:
    """Export all agents; a bundle includes their brains and the library."""
    agents = zoo.agents.list_agents(archived=None).items
    return _export_agents(zoo, agents, format, with_memory=memory)


@declare_route(
    post,
    "/import/preview",
    "Preview an import",
    errors=(400,),
    status_code=200,
    request_max_body_size=MAX_FILES_BODY_BYTES,
)
def preview_import(data: JSONBody[FilesBody]) -> Preview:
    """Return the expected result of an import without storing anything."""
    batch = _read_import(data)
    return Preview(
        agents=batch.agents,
        skills=batch.library,
        entries=sum(map(len, batch.brains.values())),
        report=batch.report,
    )


@declare_route(
    post,
    "/import",
    "Import agents from files",
    errors=(400,),
    request_max_body_size=MAX_FILES_BODY_BYTES,
)
def import_agents(zoo: ZooDependency, data: JSONBody[FilesBody]) -> ImportReport:
    """Import all agents, or none if a value is invalid. Loose skills go to the library."""
    return zoo.importer.import_batch(_read_import(data))


@declare_route(get, "/starters", "List starter agents")
def list_starters() -> list[Starter]:
    """Return the agents that come with Paddock."""
    return load_starters()


@declare_route(post, "/starters", "Create starter agents", errors=(400,))
def make_starters(zoo: ZooDependency, data: JSONBody[StartersBody | None] = None) -> list[Agent]:
    """Create copies of starter agents, which can be changed like all others."""
    starters = {starter.id: starter.agent for starter in load_starters()}
    ids = [*starters] if data is None or data.ids is None else data.ids
    errors = [
        FieldError(f"ids[{index}]", f"there is no starter agent {starter_id!r}")
        for index, starter_id in enumerate(ids)
        if starter_id not in starters
    ]
    # All IDs are checked first, so that a wrong one does not leave only some agents created.
    if errors:
        raise InvalidAgentError(errors)
    return [zoo.agents.create(msgspec.to_builtins(starters[starter_id])) for starter_id in ids]


def _export_agents(
    zoo: Zoo, agents: list[Agent], format_name: str, *, with_memory: bool
) -> AgentExport:
    """Export agents in a format. A bundle also includes the skill library.

    Args:
        zoo: The zoo.
        agents: The agents.
        format_name: The format name, such as `claude-code`.
        with_memory: Include the agents' brain entries.
    """
    is_bundle = format_name == BUNDLE_FORMAT
    brains = None
    if with_memory:
        brains = {agent.id: zoo.brain.query_entries(agent.id).items for agent in agents}
    return export_agents(
        agents,
        format_name,
        brains=brains,
        library=zoo.library.list_skills() if is_bundle else (),
        packs=zoo.library.list_packs() if is_bundle else (),
    )


def _read_import(body: FilesBody) -> ImportBatch:
    """Convert the files in a request. Skills that belong to no agent go to the library."""
    batch = import_files(body.files, body.format)
    batch.library += [standalone.skill for standalone in batch.skills]
    return batch


FILE_ROUTES = [
    *(list_formats, export_agent, export_archive, export_zoo),
    *(preview_import, import_agents, list_starters, make_starters),
]
