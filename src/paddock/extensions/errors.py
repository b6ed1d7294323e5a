"""Errors for extensions, their definitions and catalogues.

The message of a `SpecificationError` begins with the prefix of its class and then describes the
value found.
"""

from __future__ import annotations

from paddock.errors import DefinitionError, LoadError, PaddockError


class ManifestError(DefinitionError):
    """A manifest cannot be read, or a declaration in it is invalid."""

    code = "invalid-manifest"


class ExtensionError(DefinitionError):
    """An extension cannot provide a requested tool, prompt, resource or server.

    Args:
        message: The problem.
        hint: The suggested remedy.
        where: The file or other location that has the problem.
        extension: The name of the extension: `package` or `publisher/package`.
    """

    code = "extension"

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        where: str | None = None,
        extension: str | None = None,
    ) -> None:
        super().__init__(message, hint=hint, where=where)
        self.extension = extension


class ExtensionNotInstalledError(ExtensionError):
    """The extension in a qualified name is not installed."""

    code = "extension-not-installed"


class ExtensionNotFoundError(ExtensionError):
    """An installed package is not an extension, or its manifest is missing."""

    code = "extension-not-found"


class ItemNotDeclaredError(ExtensionError):
    """The manifest of an extension does not declare the requested item."""

    code = "item-not-declared"


class SpecificationError(DefinitionError):
    """The definition of a tool, prompt or resource is invalid.

    Each subclass has its own code and message prefix.
    """

    code = "invalid-specification"
    message_prefix = "Invalid specification"

    def __init__(self, problem: str, *, hint: str | None = None, where: str | None = None) -> None:
        super().__init__(f"{self.message_prefix}: {problem}", hint=hint, where=where)


class ToolSpecificationError(SpecificationError):
    """The definition of a tool is invalid."""

    code = "invalid-tool-specification"
    message_prefix = "Invalid tool specification"


class ToolsSpecificationError(SpecificationError):
    """The definition of a list of tools is invalid."""

    code = "invalid-tools-specification"
    message_prefix = "Invalid tools specification"


class PromptSpecificationError(SpecificationError):
    """The definition of a prompt is invalid."""

    code = "invalid-mcp-prompt-specification"
    message_prefix = "Invalid MCP prompt specification"


class PromptsSpecificationError(SpecificationError):
    """The definition of a list of prompts is invalid."""

    code = "invalid-mcp-prompts-specification"
    message_prefix = "Invalid MCP prompts specification"


class ResourceSpecificationError(SpecificationError):
    """The definition of a resource is invalid."""

    code = "invalid-resource-specification"
    message_prefix = "Invalid resource specification"


class ResourcesSpecificationError(SpecificationError):
    """The definition of a list of resources is invalid."""

    code = "invalid-resources-specification"
    message_prefix = "Invalid resources specification"


class ToolNotFoundError(DefinitionError):
    """There is no tool with the requested name."""

    code = "tool-name-not-found"


class PromptNotFoundError(DefinitionError):
    """There is no prompt with the requested name."""

    code = "prompt-name-not-found"


class ResourceNameError(DefinitionError):
    """There is no resource with the requested name."""

    code = "resource-name-not-found"


class PromptDataError(DefinitionError):
    """A definition lists its prompts in the deprecated property `PromptData`."""

    code = "deprecated-prompt-data"

    def __init__(self, *, where: str | None = None) -> None:
        super().__init__(
            'The "PromptData" property is deprecated. Use "MCPPrompts" instead.',
            hint="in Paddock's own definitions, the key is prompts",
            where=where,
        )


class CatalogueError(LoadError):
    """A catalogue cannot be read, or its location is invalid."""

    code = "invalid-catalogue"


class FetchError(PaddockError):
    """A file is unavailable, or its download exceeds the size or time limit."""

    code = "cannot-fetch"


class HashMismatchError(FetchError):
    """A downloaded file does not match its catalogue entry."""

    code = "hash-mismatch"


class InstallExtensionError(ExtensionError):
    """The installation of an extension failed or is prohibited."""

    code = "cannot-install-extension"
