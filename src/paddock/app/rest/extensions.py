"""Routes for the extensions and Wolfram Language engines on this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from litestar import get
from msgspec import Struct, field

from paddock.extensions.discovery import discover
from paddock.kernels.wolfram.engines import engines
from paddock.zoo.rest.error_responses import declare_route

if TYPE_CHECKING:
    from paddock.extensions.extension import BrokenExtension, Extension
    from paddock.extensions.manifest import ItemKind


class ItemInfo(Struct, rename="camel", kw_only=True):
    """A tool, prompt, resource or server of an extension."""

    name: str
    description: str | None


class ExtensionInfo(Struct, rename="camel", kw_only=True):
    """An installed extension."""

    name: str
    kind: str
    version: str | None
    place: str
    servers: list[ItemInfo] = field(default_factory=list)
    tools: list[ItemInfo] = field(default_factory=list)
    prompts: list[ItemInfo] = field(default_factory=list)
    resources: list[ItemInfo] = field(default_factory=list)
    problem: str | None = None
    """The error, if the extension cannot be used."""


class EngineInfo(Struct, rename="camel", kw_only=True):
    """A Wolfram Language engine, installed or not."""

    name: str
    title: str
    version: str
    """Empty if the engine is not installed, or only running it would show the version."""
    licence: str
    found: str
    """The path, or empty if it is not installed."""
    how_to_get: str
    capabilities: list[str]
    confinement: str
    """What the sandbox denies to kernels of the engine."""
    is_chosen: bool
    reason: str
    """Why this engine was chosen; empty for others."""


@declare_route(get, "/extensions", "List the extensions")
def list_extensions() -> list[ExtensionInfo]:
    """Return extensions from their metadata and manifests, broken ones with their error."""
    discovered = discover()
    return [
        *map(_make_extension_info, discovered.extensions),
        *map(_make_broken_extension_info, discovered.broken),
    ]


@declare_route(get, "/engines", "List the Wolfram Language engines")
def list_engines() -> list[EngineInfo]:
    """Return engines in order of preference, with instructions for those not installed."""
    return msgspec.convert(engines(), list[EngineInfo], from_attributes=True)


def _make_extension_info(extension: Extension) -> ExtensionInfo:
    """Return the JSON object for an installed extension, with the names of its items."""
    return ExtensionInfo(
        name=extension.name,
        kind=extension.kind,
        version=extension.version,
        place=str(extension.directory),
        servers=_make_item_infos(extension, "servers"),
        tools=_make_item_infos(extension, "tools"),
        prompts=_make_item_infos(extension, "prompts"),
        resources=_make_item_infos(extension, "resources"),
    )


def _make_broken_extension_info(extension: BrokenExtension) -> ExtensionInfo:
    """Return the JSON object for an extension that cannot be used, with its error."""
    return ExtensionInfo(
        name=extension.name,
        kind=extension.kind,
        version=extension.version,
        place=str(extension.place),
        problem=str(extension.problem),
    )


def _make_item_infos(extension: Extension, kind: ItemKind) -> list[ItemInfo]:
    """Return the items of one kind, with the names that definitions use for them."""
    prefix = "" if extension.is_built_in else f"{extension.name}/"
    return [
        ItemInfo(name=f"{prefix}{item.name}", description=item.description)
        for item in extension.manifest.get_items(kind)
    ]


EXTENSION_ROUTES = [list_extensions, list_engines]
