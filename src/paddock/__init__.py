"""Write tools for AI agents in Python and serve them over MCP.

Public names are imported on first use: `from paddock import Server` loads neither the client nor
the HTTP server, which keeps the start of a server short.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from paddock.auth.authorization import Authorization as Authorization
    from paddock.auth.errors import InvalidTokenError as InvalidTokenError
    from paddock.auth.github import GitHubValidator as GitHubValidator
    from paddock.auth.introspection import IntrospectionValidator as IntrospectionValidator
    from paddock.auth.jwt_validator import JwksValidator as JwksValidator
    from paddock.auth.static_tokens import StaticTokens as StaticTokens
    from paddock.authoring.app_view import AppView as AppView
    from paddock.authoring.context import Context as Context
    from paddock.authoring.handler_errors import ToolError as ToolError
    from paddock.authoring.input_requests import Elicited as Elicited
    from paddock.authoring.input_requests import Root as Root
    from paddock.authoring.input_requests import SampledMessage as SampledMessage
    from paddock.authoring.input_requests import elicitation as elicitation
    from paddock.authoring.input_requests import roots as roots
    from paddock.authoring.input_requests import sampling as sampling
    from paddock.authoring.input_requests import url_elicitation as url_elicitation
    from paddock.authoring.prompt import Prompt as Prompt
    from paddock.authoring.prompt import PromptArgument as PromptArgument
    from paddock.authoring.resource import Resource as Resource
    from paddock.authoring.resource import ResourceTemplate as ResourceTemplate
    from paddock.authoring.skill import Skill as Skill
    from paddock.authoring.tool import Need as Need
    from paddock.authoring.tool import Option as Option
    from paddock.authoring.tool import Parameter as Parameter
    from paddock.authoring.tool import Tool as Tool
    from paddock.client.errors import AccessRefusedError as AccessRefusedError
    from paddock.client.errors import HttpError as HttpError
    from paddock.client.errors import PeerError as PeerError
    from paddock.client.errors import PeerTimeoutError as PeerTimeoutError
    from paddock.client.peer import Peer as Peer
    from paddock.client.results import ToolResult as ToolResult
    from paddock.connector import connect as connect
    from paddock.errors import ConnectError as ConnectError
    from paddock.errors import DefinitionError as DefinitionError
    from paddock.errors import LoadError as LoadError
    from paddock.errors import PaddockError as PaddockError
    from paddock.extensions.discovery import discover as discover
    from paddock.extensions.extension import BrokenExtension as BrokenExtension
    from paddock.extensions.extension import Discovery as Discovery
    from paddock.extensions.extension import Extension as Extension
    from paddock.extensions.prompt_definition import Template as Template
    from paddock.extensions.registry import default_prompts as default_prompts
    from paddock.extensions.registry import default_tools as default_tools
    from paddock.installer.apps import supported_clients as supported_clients
    from paddock.installer.bundle import bundle as bundle
    from paddock.installer.client_app import Client as Client
    from paddock.installer.detection import detected_clients as detected_clients
    from paddock.installer.doctor import Finding as Finding
    from paddock.installer.doctor import doctor as doctor
    from paddock.installer.install import install as install
    from paddock.installer.install import install_all as install_all
    from paddock.installer.links import link as link
    from paddock.installer.plan import ClientOutcome, FileChange
    from paddock.installer.plan import Plan as Plan
    from paddock.installer.uninstall import delete_server as delete_server
    from paddock.installer.uninstall import uninstall as uninstall
    from paddock.kernels.wolfram.engines import EngineReport as EngineReport
    from paddock.kernels.wolfram.engines import engines as engines
    from paddock.named_servers.api import create_server as create_server
    from paddock.named_servers.api import default_servers as default_servers
    from paddock.named_servers.api import edit_server as edit_server
    from paddock.named_servers.api import get_server as get_server
    from paddock.named_servers.api import list_servers as list_servers
    from paddock.named_servers.api import serve as serve
    from paddock.named_servers.installations import Installation as Installation
    from paddock.named_servers.named_server import NamedServer as NamedServer
    from paddock.named_servers.names import BuiltInServerError as BuiltInServerError
    from paddock.named_servers.names import ServerDefinitionError as ServerDefinitionError
    from paddock.named_servers.names import ServerExistsError as ServerExistsError
    from paddock.named_servers.names import ServerNotFoundError as ServerNotFoundError
    from paddock.protocol.content import Annotations as Annotations
    from paddock.protocol.content import AudioContent as AudioContent
    from paddock.protocol.content import BlobResourceContents as BlobResourceContents
    from paddock.protocol.content import CallToolResult as CallToolResult
    from paddock.protocol.content import Content as Content
    from paddock.protocol.content import EmbeddedResource as EmbeddedResource
    from paddock.protocol.content import Icon as Icon
    from paddock.protocol.content import ImageContent as ImageContent
    from paddock.protocol.content import PromptMessage as PromptMessage
    from paddock.protocol.content import ResourceLink as ResourceLink
    from paddock.protocol.content import TextContent as TextContent
    from paddock.protocol.content import TextResourceContents as TextResourceContents
    from paddock.protocol.principal import Principal as Principal
    from paddock.protocol.server_requests import AskError as AskError
    from paddock.protocol.trace_context import TraceContext as TraceContext
    from paddock.server import Server as Server
    from paddock.serving.http import http_app as http_app
    from paddock.telemetry.logs import configure_logging as configure_logging
    from paddock.transports.http.messages import Limits as Limits
    from paddock.validation.findings import Validation as Validation
    from paddock.validation.validate import validate as validate
    from paddock.version import __version__ as __version__

    Change = FileChange
    Outcome = ClientOutcome

_NAMES_BY_MODULE = {
    "paddock.auth.authorization": ("Authorization",),
    "paddock.auth.errors": ("InvalidTokenError",),
    "paddock.auth.github": ("GitHubValidator",),
    "paddock.auth.introspection": ("IntrospectionValidator",),
    "paddock.auth.jwt_validator": ("JwksValidator",),
    "paddock.auth.static_tokens": ("StaticTokens",),
    "paddock.authoring.app_view": ("AppView",),
    "paddock.authoring.context": ("Context",),
    "paddock.authoring.handler_errors": ("ToolError",),
    "paddock.authoring.input_requests": (
        "Elicited",
        "Root",
        "SampledMessage",
        "elicitation",
        "roots",
        "sampling",
        "url_elicitation",
    ),
    "paddock.authoring.prompt": ("Prompt", "PromptArgument"),
    "paddock.authoring.resource": ("Resource", "ResourceTemplate"),
    "paddock.authoring.skill": ("Skill",),
    "paddock.authoring.tool": ("Need", "Option", "Parameter", "Tool"),
    "paddock.client.errors": ("AccessRefusedError", "HttpError", "PeerError", "PeerTimeoutError"),
    "paddock.client.peer": ("Peer",),
    "paddock.client.results": ("ToolResult",),
    "paddock.connector": ("connect",),
    "paddock.errors": ("ConnectError", "DefinitionError", "LoadError", "PaddockError"),
    "paddock.extensions.discovery": ("discover",),
    "paddock.extensions.extension": ("BrokenExtension", "Discovery", "Extension"),
    "paddock.extensions.prompt_definition": ("Template",),
    "paddock.extensions.registry": ("default_prompts", "default_tools"),
    "paddock.installer.apps": ("supported_clients",),
    "paddock.installer.bundle": ("bundle",),
    "paddock.installer.client_app": ("Client",),
    "paddock.installer.detection": ("detected_clients",),
    "paddock.installer.doctor": ("Finding", "doctor"),
    "paddock.installer.install": ("install", "install_all"),
    "paddock.installer.links": ("link",),
    "paddock.installer.plan": ("Change", "Outcome", "Plan"),
    "paddock.installer.uninstall": ("delete_server", "uninstall"),
    "paddock.kernels.wolfram.engines": ("EngineReport", "engines"),
    "paddock.named_servers.api": (
        "create_server",
        "default_servers",
        "edit_server",
        "get_server",
        "list_servers",
        "serve",
    ),
    "paddock.named_servers.installations": ("Installation",),
    "paddock.named_servers.named_server": ("NamedServer",),
    "paddock.named_servers.names": (
        "BuiltInServerError",
        "ServerDefinitionError",
        "ServerExistsError",
        "ServerNotFoundError",
    ),
    "paddock.protocol.content": (
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
    "paddock.protocol.server_requests": ("AskError",),
    "paddock.protocol.trace_context": ("TraceContext",),
    "paddock.server": ("Server",),
    "paddock.serving.http": ("http_app",),
    "paddock.telemetry.logs": ("configure_logging",),
    "paddock.transports.http.messages": ("Limits",),
    "paddock.validation.findings": ("Validation",),
    "paddock.validation.validate": ("validate",),
    "paddock.version": ("__version__",),
}
_ATTRIBUTE_BY_NAME = {"Change": "FileChange", "Outcome": "ClientOutcome"}
"""The names in their modules of the objects that are published under another name."""
_MODULE_BY_NAME = {name: module for module, names in _NAMES_BY_MODULE.items() for name in names}

__all__ = sorted(name for name in _MODULE_BY_NAME if not name.startswith("_"))  # noqa: PLE0605 - names are loaded on first use


def __getattr__(name: str) -> object:
    """Import a public name on first use, as in `paddock.Server`, and keep it in this module.

    Python calls this function for names that the module does not contain yet (PEP 562).

    Raises:
        AttributeError: The package has no public name like this.
    """
    module = _MODULE_BY_NAME.get(name)
    if module is None:
        raise AttributeError(f"module 'paddock' has no attribute {name!r}")
    attribute = _ATTRIBUTE_BY_NAME.get(name, name)
    value: object = getattr(__import__(module, fromlist=[attribute]), attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*globals(), *_MODULE_BY_NAME]
