"""What can be wrong with what somebody names or defines.

Each begins with the same words whoever raises it, then says what was found.

What can be wrong with a catalogue, and with getting what it lists.
"""

from __future__ import annotations

from paddock.errors import DefinitionError, LoadError, PaddockError


class ManifestError(DefinitionError):
    """A manifest cannot be read, or declares something in a way that cannot be used."""

    code = "invalid-manifest"


class ExtensionError(DefinitionError):
    """An extension cannot give what is wanted of it."""

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
        """Its name: `package`, or `publisher/package`."""


class ExtensionNotInstalledError(ExtensionError):
    """A qualified name leads to an extension that is not installed."""

    code = "extension-not-installed"


class ExtensionNotFoundError(ExtensionError):
    """Something is installed and is no extension, or its manifest is missing."""

    code = "extension-not-found"


class ItemNotDeclaredError(ExtensionError):
    """An extension declares no item of that name, whatever files it has."""

    code = "item-not-declared"


class SpecificationError(DefinitionError):
    """What stands where a tool, prompt or resource should be is none."""

    code = "invalid-specification"
    message_prefix = "Invalid specification"

    def __init__(self, found: str, *, hint: str | None = None, where: str | None = None) -> None:
        super().__init__(f"{self.message_prefix}: {found}", hint=hint, where=where)


class ToolSpecificationError(SpecificationError):
    """What stands where a tool should be is none."""

    code = "invalid-tool-specification"
    message_prefix = "Invalid tool specification"


class ToolsSpecificationError(SpecificationError):
    """What stands where a list of tools should be is none."""

    code = "invalid-tools-specification"
    message_prefix = "Invalid tools specification"


class PromptSpecificationError(SpecificationError):
    """What stands where a prompt should be is none."""

    code = "invalid-mcp-prompt-specification"
    message_prefix = "Invalid MCP prompt specification"


class PromptsSpecificationError(SpecificationError):
    """What stands where a list of prompts should be is none."""

    code = "invalid-mcp-prompts-specification"
    message_prefix = "Invalid MCP prompts specification"


class ResourceSpecificationError(SpecificationError):
    """What stands where a resource should be is none."""

    code = "invalid-resource-specification"
    message_prefix = "Invalid resource specification"


class ResourcesSpecificationError(SpecificationError):
    """What stands where a list of resources should be is none."""

    code = "invalid-resources-specification"
    message_prefix = "Invalid resources specification"


class ToolNotFoundError(DefinitionError):
    """No tool has that name."""

    code = "tool-name-not-found"


class PromptNotFoundError(DefinitionError):
    """No prompt has that name."""

    code = "prompt-name-not-found"


class ResourceNameError(DefinitionError):
    """No resource has that name."""

    code = "resource-name-not-found"


class PromptDataError(DefinitionError):
    """A definition uses the property that lists of prompts had in the past."""

    code = "deprecated-prompt-data"

    def __init__(self, *, where: str | None = None) -> None:
        super().__init__(
            'The "PromptData" property is deprecated. Use "MCPPrompts" instead.',
            hint="in a definition of Paddock's own it is called prompts",
            where=where,
        )


class CatalogueError(LoadError):
    """A catalogue cannot be read, or cannot be where it is said to be."""

    code = "invalid-catalogue"


class FetchError(PaddockError):
    """A file cannot be had from where it is, or is larger or slower than allowed."""

    code = "cannot-fetch"


class HashMismatchError(FetchError):
    """What was fetched is not what the catalogue describes."""

    code = "hash-mismatch"


class InstallExtensionError(ExtensionError):
    """An extension cannot be installed, or must not be."""

    code = "cannot-install-extension"
