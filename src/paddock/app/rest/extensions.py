"""Routes of extensions and of engines: what there is on this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from litestar import get
from msgspec import Struct, field

from paddock.extensions.discovery import discover
from paddock.kernels.wolfram.engines import EngineReport, engines

if TYPE_CHECKING:
    from paddock.extensions.extension import BrokenExtension, Extension
    from paddock.extensions.manifest import ManifestItem


class ItemInfo(Struct, rename="camel", kw_only=True):
    """Something that an extension brings."""

    name: str
    description: str | None


class ExtensionInfo(Struct, rename="camel", kw_only=True):
    """What is installed and brings tools, prompts and servers."""

    name: str
    kind: str
    version: str | None
    place: str
    servers: list[ItemInfo] = field(default_factory=list)
    tools: list[ItemInfo] = field(default_factory=list)
    prompts: list[ItemInfo] = field(default_factory=list)
    resources: list[ItemInfo] = field(default_factory=list)
    problem: str | None = None
    """Why it cannot be used."""


class EngineInfo(Struct, rename="camel", kw_only=True):
    """An engine of the Wolfram Language, whether it is on this machine or not."""

    name: str
    title: str
    version: str
    """Empty when it is not here, or when that does not show without starting it."""
    licence: str
    found: str
    """Where it is, or empty."""
    how_to_get: str
    capabilities: list[str]
    confinement: str
    """What its kernels are kept from."""
    is_chosen: bool
    reason: str
    """Why it was chosen; empty for the others."""


@get("/extensions", summary="List the extensions", sync_to_thread=True)
def list_extensions() -> list[ExtensionInfo]:
    """Only metadata and manifests are read; broken ones say what is wrong."""
    found = discover()
    return [
        *map(_make_extension_info, found.extensions),
        *map(_make_broken_extension_info, found.broken),
    ]


@get("/engines", summary="List the engines of the Wolfram Language", sync_to_thread=True)
def list_engines() -> list[EngineInfo]:
    """The preferred first, with how to get those that are not here."""
    return [EngineInfo(**_get_engine_fields(one)) for one in engines()]


def _get_engine_fields(one: EngineReport) -> dict[str, Any]:
    return {**msgspec.structs.asdict(one), "capabilities": [*one.capabilities]}


def _make_extension_info(one: Extension) -> ExtensionInfo:
    return ExtensionInfo(
        name=one.name,
        kind=one.kind,
        version=one.version,
        place=str(one.directory),
        servers=[_make_item_info(one, item) for item in one.manifest.get_items("servers")],
        tools=[_make_item_info(one, item) for item in one.manifest.get_items("tools")],
        prompts=[_make_item_info(one, item) for item in one.manifest.get_items("prompts")],
        resources=[_make_item_info(one, item) for item in one.manifest.get_items("resources")],
    )


def _make_broken_extension_info(one: BrokenExtension) -> ExtensionInfo:
    return ExtensionInfo(
        name=one.name,
        kind=one.kind,
        version=one.version,
        place=str(one.place),
        problem=str(one.problem),
    )


def _make_item_info(extension: Extension, item: ManifestItem) -> ItemInfo:
    name = item.name if extension.is_built_in else f"{extension.name}/{item.name}"
    return ItemInfo(name=name, description=item.description)


EXTENSION_ROUTES = [list_extensions, list_engines]
