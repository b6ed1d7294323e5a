"""Paddock gives AI agents their tools: write them in Python, serve them over MCP.

Names are loaded when they are first used, so that a server starts at once.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from paddock.authoring.app_view import AppView as AppView
    from paddock.authoring.asks import Elicited as Elicited
    from paddock.authoring.asks import Root as Root
    from paddock.authoring.asks import SampledMessage as SampledMessage
    from paddock.authoring.asks import elicitation as elicitation
    from paddock.authoring.asks import roots as roots
    from paddock.authoring.asks import sampling as sampling
    from paddock.authoring.asks import url_elicitation as url_elicitation
    from paddock.authoring.context import Context as Context
    from paddock.authoring.failures import ToolError as ToolError
    from paddock.authoring.need import Need as Need
    from paddock.authoring.option import Option as Option
    from paddock.authoring.prompt import Prompt as Prompt
    from paddock.authoring.prompt import PromptArgument as PromptArgument
    from paddock.authoring.resource import Resource as Resource
    from paddock.authoring.resource import ResourceTemplate as ResourceTemplate
    from paddock.authoring.skill import Skill as Skill
    from paddock.authoring.tool import Parameter as Parameter
    from paddock.authoring.tool import Tool as Tool
    from paddock.authorization.authorization import Authorization as Authorization
    from paddock.authorization.errors import InvalidTokenError as InvalidTokenError
    from paddock.authorization.github import GitHubValidator as GitHubValidator
    from paddock.authorization.introspection import (
        IntrospectionValidator as IntrospectionValidator,
    )
    from paddock.authorization.jwks import JwksValidator as JwksValidator
    from paddock.authorization.static_tokens import StaticTokens as StaticTokens
    from paddock.clients.bundle import bundle as bundle
    from paddock.clients.client import Client as Client
    from paddock.clients.deleting import delete_server as delete_server
    from paddock.clients.detection import detected_clients as detected_clients
    from paddock.clients.doctor import Finding as Finding
    from paddock.clients.doctor import doctor as doctor
    from paddock.clients.install import install as install
    from paddock.clients.install import install_all as install_all
    from paddock.clients.links import link as link
    from paddock.clients.plan import Change as Change
    from paddock.clients.plan import Outcome as Outcome
    from paddock.clients.plan import Plan as Plan
    from paddock.clients.table import supported_clients as supported_clients
    from paddock.clients.uninstall import uninstall as uninstall
    from paddock.connecting import connect as connect
    from paddock.errors import ConnectError as ConnectError
    from paddock.errors import DefinitionError as DefinitionError
    from paddock.errors import LoadError as LoadError
    from paddock.errors import PaddockError as PaddockError
    from paddock.extensions.discovery import discover as discover
    from paddock.extensions.extension import BrokenExtension as BrokenExtension
    from paddock.extensions.extension import Discovery as Discovery
    from paddock.extensions.extension import Extension as Extension
    from paddock.extensions.registry import default_prompts as default_prompts
    from paddock.extensions.registry import default_tools as default_tools
    from paddock.extensions.template import Template as Template
    from paddock.kernels.engines.report import EngineReport as EngineReport
    from paddock.kernels.engines.report import engines as engines
    from paddock.peer.errors import AccessRefusedError as AccessRefusedError
    from paddock.peer.errors import HttpError as HttpError
    from paddock.peer.errors import PeerError as PeerError
    from paddock.peer.errors import PeerTimeoutError as PeerTimeoutError
    from paddock.peer.peer import Peer as Peer
    from paddock.peer.results import ToolResult as ToolResult
    from paddock.protocol.ask import AskError as AskError
    from paddock.protocol.model.content import Annotations as Annotations
    from paddock.protocol.model.content import AudioContent as AudioContent
    from paddock.protocol.model.content import BlobResourceContents as BlobResourceContents
    from paddock.protocol.model.content import CallToolResult as CallToolResult
    from paddock.protocol.model.content import Content as Content
    from paddock.protocol.model.content import EmbeddedResource as EmbeddedResource
    from paddock.protocol.model.content import Icon as Icon
    from paddock.protocol.model.content import ImageContent as ImageContent
    from paddock.protocol.model.content import PromptMessage as PromptMessage
    from paddock.protocol.model.content import ResourceLink as ResourceLink
    from paddock.protocol.model.content import TextContent as TextContent
    from paddock.protocol.model.content import TextResourceContents as TextResourceContents
    from paddock.protocol.principal import Principal as Principal
    from paddock.protocol.trace_context import TraceContext as TraceContext
    from paddock.server import Server as Server
    from paddock.servers.api import create_server as create_server
    from paddock.servers.api import default_servers as default_servers
    from paddock.servers.api import edit_server as edit_server
    from paddock.servers.api import get_server as get_server
    from paddock.servers.api import list_servers as list_servers
    from paddock.servers.api import serve as serve
    from paddock.servers.errors import BuiltInServerError as BuiltInServerError
    from paddock.servers.errors import ServerDefinitionError as ServerDefinitionError
    from paddock.servers.errors import ServerExistsError as ServerExistsError
    from paddock.servers.errors import ServerNotFoundError as ServerNotFoundError
    from paddock.servers.installations import Installation as Installation
    from paddock.servers.named_server import NamedServer as NamedServer
    from paddock.serving.http import http_app as http_app
    from paddock.telemetry.logs import configure_logging as configure_logging
    from paddock.transports.http.limits import Limits as Limits
    from paddock.validation.outcome import Validation as Validation
    from paddock.validation.validate import validate as validate
    from paddock.version import __version__ as __version__

_NAMES_BY_MODULE = {
    "paddock.authoring.app_view": ("AppView",),
    "paddock.authoring.asks": (
        "Elicited",
        "Root",
        "SampledMessage",
        "elicitation",
        "roots",
        "sampling",
        "url_elicitation",
    ),
    "paddock.authoring.context": ("Context",),
    "paddock.authoring.failures": ("ToolError",),
    "paddock.authoring.need": ("Need",),
    "paddock.authoring.option": ("Option",),
    "paddock.authoring.prompt": ("Prompt", "PromptArgument"),
    "paddock.authoring.resource": ("Resource", "ResourceTemplate"),
    "paddock.authoring.skill": ("Skill",),
    "paddock.authoring.tool": ("Parameter", "Tool"),
    "paddock.authorization.authorization": ("Authorization",),
    "paddock.authorization.errors": ("InvalidTokenError",),
    "paddock.authorization.github": ("GitHubValidator",),
    "paddock.authorization.introspection": ("IntrospectionValidator",),
    "paddock.authorization.jwks": ("JwksValidator",),
    "paddock.authorization.static_tokens": ("StaticTokens",),
    "paddock.clients.bundle": ("bundle",),
    "paddock.clients.client": ("Client",),
    "paddock.clients.deleting": ("delete_server",),
    "paddock.clients.detection": ("detected_clients",),
    "paddock.clients.doctor": ("Finding", "doctor"),
    "paddock.clients.install": ("install", "install_all"),
    "paddock.clients.links": ("link",),
    "paddock.clients.plan": ("Change", "Outcome", "Plan"),
    "paddock.clients.table": ("supported_clients",),
    "paddock.clients.uninstall": ("uninstall",),
    "paddock.connecting": ("connect",),
    "paddock.errors": ("ConnectError", "DefinitionError", "LoadError", "PaddockError"),
    "paddock.extensions.discovery": ("discover",),
    "paddock.extensions.extension": ("BrokenExtension", "Discovery", "Extension"),
    "paddock.extensions.registry": ("default_prompts", "default_tools"),
    "paddock.extensions.template": ("Template",),
    "paddock.kernels.engines.report": ("EngineReport", "engines"),
    "paddock.peer.errors": ("AccessRefusedError", "HttpError", "PeerError", "PeerTimeoutError"),
    "paddock.peer.peer": ("Peer",),
    "paddock.peer.results": ("ToolResult",),
    "paddock.protocol.ask": ("AskError",),
    "paddock.protocol.model.content": (
        "Annotations",
        "AudioContent",
        "BlobResourceContents",
        "CallToolResult",
        "Content",
        "EmbeddedResource",
        "Icon",
        "ImageContent",
        "PromptMessage",
        "ResourceLink",
        "TextContent",
        "TextResourceContents",
    ),
    "paddock.protocol.principal": ("Principal",),
    "paddock.protocol.trace_context": ("TraceContext",),
    "paddock.server": ("Server",),
    "paddock.servers.api": (
        "create_server",
        "default_servers",
        "edit_server",
        "get_server",
        "list_servers",
        "serve",
    ),
    "paddock.servers.errors": (
        "BuiltInServerError",
        "ServerDefinitionError",
        "ServerExistsError",
        "ServerNotFoundError",
    ),
    "paddock.servers.installations": ("Installation",),
    "paddock.servers.named_server": ("NamedServer",),
    "paddock.serving.http": ("http_app",),
    "paddock.telemetry.logs": ("configure_logging",),
    "paddock.transports.http.limits": ("Limits",),
    "paddock.validation.outcome": ("Validation",),
    "paddock.validation.validate": ("validate",),
    "paddock.version": ("__version__",),
}
_MODULE_BY_NAME = {name: module for module, names in _NAMES_BY_MODULE.items() for name in names}

__all__ = sorted(name for name in _MODULE_BY_NAME if not name.startswith("_"))  # noqa: PLE0605 - names are loaded on first use


def __getattr__(name: str) -> object:
    module = _MODULE_BY_NAME.get(name)
    if module is None:
        raise AttributeError(f"module 'paddock' has no attribute {name!r}")
    value: object = getattr(__import__(module, fromlist=[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*globals(), *_MODULE_BY_NAME]
