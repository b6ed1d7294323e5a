"""The rows of editors, and of agents that live in one."""

from __future__ import annotations

from paddock.installer import entry_format
from paddock.installer.client_app import (
    APPDATA_DIRECTORY,
    APPLICATION_SUPPORT_DIRECTORY,
    CONFIG_DIRECTORY,
    Client,
    ConfigLocation,
    ConfigLocations,
    InstallLinkFormat,
    LinkEncoding,
    application_locations,
    locations_by_system,
    locations_on_all_systems,
)

BASE64_ENCODING: tuple[LinkEncoding, ...] = ("base64", "percent")
LEGACY_SETTINGS_PATHS = (("settings.json", ("mcp", "servers")),)
"""Before it had a file of their own, VS Code kept servers among its settings."""
TRUST_SERVER_STEP = "Trust the server when it asks; it starts it only then."
ENABLE_PROJECT_MCP_STEP = (
    "Switch on project MCP in its settings; the file of a project counts only then."
)


def vscode_storage_locations(file: str) -> ConfigLocations:
    """A file of an extension of VS Code."""
    return application_locations(f"Code/User/globalStorage/{file}")


EDITOR_APPS = (
    Client(
        id="vscode",
        name="Visual Studio Code",
        canonical="VisualStudioCode",
        aliases=("VSCode", "Code"),
        url="https://code.visualstudio.com",
        places=application_locations("Code/User/mcp.json"),
        project=(".vscode/mcp.json",),
        path=("servers",),
        paths_by_file=LEGACY_SETTINGS_PATHS,
        known_as=(".vscode/settings.json", "Code/User/settings.json", "User/profiles/*/mcp.json"),
        shape=entry_format.TYPED,
        environment="all",
        variable="${env:NAME}",
        steps=(TRUST_SERVER_STEP,),
        programs=("code",),
        links=(
            InstallLinkFormat("vscode:mcp/install?{config}", "named-entry"),
            InstallLinkFormat(
                "https://vscode.dev/redirect/mcp/install?name={name}&config={config}"
            ),
        ),
    ),
    Client(
        id="vscode-insiders",
        name="VS Code Insiders",
        url="https://code.visualstudio.com/insiders",
        places=application_locations("Code - Insiders/User/mcp.json"),
        project=(".vscode/mcp.json",),
        path=("servers",),
        paths_by_file=LEGACY_SETTINGS_PATHS,
        shape=entry_format.TYPED,
        environment="all",
        variable="${env:NAME}",
        steps=(TRUST_SERVER_STEP,),
        programs=("code-insiders",),
        links=(
            InstallLinkFormat("vscode-insiders:mcp/install?{config}", "named-entry"),
            InstallLinkFormat(
                "https://insiders.vscode.dev/redirect/mcp/install"
                "?name={name}&config={config}&quality=insiders"
            ),
        ),
    ),
    Client(
        id="code-server",
        name="code-server",
        url="https://coder.com/docs/code-server",
        places=locations_by_system(
            linux=("${XDG_DATA_HOME:-~/.local/share}/code-server/User/mcp.json",),
            macos=("${XDG_DATA_HOME:-~/.local/share}/code-server/User/mcp.json",),
        ),
        project=(".vscode/mcp.json",),
        path=("servers",),
        shape=entry_format.TYPED,
        environment="all",
        variable="${env:NAME}",
        steps=(TRUST_SERVER_STEP,),
        programs=("code-server",),
    ),
    Client(
        id="visual-studio",
        name="Visual Studio",
        url="https://visualstudio.microsoft.com",
        places=locations_by_system(windows=("~/.mcp.json",)),
        project=(".mcp.json", ".vs/mcp.json"),
        path=("servers",),
        shape=entry_format.TYPED,
        steps=("Tick its tools in the chat window; they are off until then.",),
        signs=("~/AppData/Local/Microsoft/VisualStudio",),
        links=(InstallLinkFormat("vsweb+mcp:/install?{config}", "named-entry"),),
    ),
    Client(
        id="cursor",
        name="Cursor",
        canonical="Cursor",
        url="https://cursor.com",
        places=locations_on_all_systems("~/.cursor/mcp.json"),
        project=(".cursor/mcp.json",),
        shape=entry_format.TYPED_PROGRAM,
        variable="${env:NAME}",
        quirks=("The file of a project wins over the user's.",),
        programs=("cursor", "cursor-agent"),
        links=(
            InstallLinkFormat(
                "cursor://anysphere.cursor-deeplink/mcp/install?name={name}&config={config}",
                "entry",
                BASE64_ENCODING,
            ),
            InstallLinkFormat(
                "https://cursor.com/en-US/install-mcp?name={name}&config={config}",
                "entry",
                BASE64_ENCODING,
            ),
        ),
    ),
    Client(
        id="windsurf",
        name="Windsurf",
        canonical="Windsurf",
        aliases=("Codeium",),
        url="https://windsurf.com",
        places=locations_on_all_systems("~/.codeium/windsurf/mcp_config.json"),
        shape=entry_format.SERVER_URL,
        marks=frozenset({"serverUrl"}),
        variable="${env:NAME}",
        quirks=("It takes 100 tools in all, of all servers together.",),
        programs=("windsurf",),
        links=(InstallLinkFormat("windsurf:mcp/install?{config}", "named-entry"),),
    ),
    Client(
        id="windsurf-next",
        name="Windsurf Next",
        url="https://windsurf.com",
        places=locations_on_all_systems("~/.codeium/windsurf-next/mcp_config.json"),
        shape=entry_format.SERVER_URL,
        variable="${env:NAME}",
        programs=("windsurf-next",),
    ),
    Client(
        id="windsurf-plugin",
        name="Windsurf plug-in",
        aliases=("CodeiumPlugin", "WindsurfJetBrains"),
        url="https://windsurf.com",
        places=locations_on_all_systems(
            ConfigLocation("~/.codeium/mcp_config.json", is_shared=True)
        ),
        shape=entry_format.SERVER_URL,
        quirks=("For JetBrains and other editors; Windsurf itself has a file of its own.",),
    ),
    Client(
        id="zed",
        name="Zed",
        canonical="Zed",
        url="https://zed.dev",
        places=locations_by_system(
            linux=(f"{CONFIG_DIRECTORY}/zed/settings.json",),
            macos=(
                "~/.config/zed/settings.json",
                f"{APPLICATION_SUPPORT_DIRECTORY}/Zed/settings.json",
            ),
            windows=(f"{APPDATA_DIRECTORY}/Zed/settings.json",),
        ),
        project=(".zed/settings.json",),
        path=("context_servers",),
        shape=entry_format.PLAIN,
        programs=("zed", "zeditor"),
    ),
    Client(
        id="junie",
        name="Junie",
        canonical="Junie",
        aliases=("JetBrainsJunie",),
        url="https://www.jetbrains.com/junie/",
        places=locations_on_all_systems("~/.junie/mcp/mcp.json"),
        project=(".junie/mcp/mcp.json",),
        shape=entry_format.PLAIN,
        quirks=("JetBrains AI Assistant is another client: it imports Claude Desktop's file.",),
        programs=("junie",),
    ),
    Client(
        id="kiro",
        name="Kiro",
        canonical="Kiro",
        aliases=("KiroCLI",),
        url="https://kiro.dev",
        places=locations_on_all_systems("~/.kiro/settings/mcp.json"),
        project=(".kiro/settings/mcp.json",),
        shape=entry_format.KIRO,
        variable="${NAME}",
        quirks=("The file of a project wins over the user's.",),
        programs=("kiro", "kiro-cli"),
        links=(
            InstallLinkFormat("kiro://kiro.mcp/add?name={name}&config={config}"),
            InstallLinkFormat("https://kiro.dev/launch/mcp/add?name={name}&config={config}"),
        ),
    ),
    Client(
        id="amazon-q",
        name="Amazon Q Developer",
        canonical="AmazonQ",
        aliases=("AmazonQDeveloper", "Q", "QDeveloper"),
        url="https://aws.amazon.com/q/developer/",
        places=locations_on_all_systems(
            "~/.aws/amazonq/mcp.json", "~/.aws/amazonq/agents/default.json"
        ),
        project=(".amazonq/mcp.json",),
        shape=entry_format.TYPED_URL,
        quirks=("An agent with `useLegacyMcpJson: false` does not read this file.",),
        programs=("q",),
    ),
    Client(
        id="antigravity",
        name="Antigravity",
        canonical="Antigravity",
        aliases=("GoogleAntigravity", "AntigravityCLI", "GoogleAntigravityCLI", "agy"),
        url="https://antigravity.google",
        places=locations_on_all_systems(
            "~/.gemini/antigravity/mcp_config.json",
            ConfigLocation(
                "~/.gemini/config/mcp_config.json", marker_path="~/.gemini/config/.migrated"
            ),
        ),
        project=(
            ".agents/mcp_config.json",
            ".agent/mcp_config.json",
            "_agents/mcp_config.json",
        ),
        dialect="strict",
        shape=entry_format.SERVER_URL,
        programs=("agy", "antigravity"),
        links=(InstallLinkFormat("antigravity:mcp/install?{config}", "named-entry"),),
    ),
    Client(
        id="augment-code-ide",
        name="Augment Code IDE",
        canonical="AugmentCodeIDE",
        aliases=("AugmentIDE", "AuggieIDE"),
        url="https://www.augmentcode.com",
        places=vscode_storage_locations(
            "augment.vscode-augment/augment-global-state/mcpServers.json"
        ),
        known_as=("augment.vscode-augment/augment-global-state/mcpServers.json",),
        path=(),
        listed=True,
        shape=entry_format.NAMED_TYPED,
        splits_command=True,
    ),
    Client(
        id="cline",
        name="Cline",
        canonical="Cline",
        url="https://cline.bot",
        places=vscode_storage_locations("saoudrizwan.claude-dev/settings/cline_mcp_settings.json"),
        known_as=("saoudrizwan.claude-dev/settings/cline_mcp_settings.json",),
        shape=entry_format.CLINE,
        marks=frozenset({"disabled", "autoApprove"}),
        patience=60.0,
        quirks=("The extension and the command line (`cline-cli`) have separate files.",),
    ),
    Client(
        id="roo-code",
        name="Roo Code",
        aliases=("Roo", "RooCline"),
        url="https://roocode.com",
        places=vscode_storage_locations("rooveterinaryinc.roo-cline/settings/mcp_settings.json"),
        known_as=("rooveterinaryinc.roo-cline/settings/mcp_settings.json",),
        project=(".roo/mcp.json",),
        shape=entry_format.ROO,
        marks=frozenset({"alwaysAllow"}),
        quirks=("The file of a project wins over the user's.",),
    ),
    Client(
        id="continue",
        name="Continue",
        canonical="Continue",
        aliases=("cn", "ContinueDev"),
        url="https://continue.dev",
        places=locations_on_all_systems("${CONTINUE_GLOBAL_DIR:-~/.continue}/config.yaml"),
        project=(".continue/mcpServers/paddock.yaml",),
        known_as=(".continue/mcpServers/*.yaml", ".continue/mcpServers/*.yml"),
        format="yaml",
        listed=True,
        shape=entry_format.CONTINUE,
        defaults={("name",): "Local Config", ("version",): "1.0.0", ("schema",): "v1"},
        project_defaults={("name",): "Paddock", ("version",): "1.0.0", ("schema",): "v1"},
        environment="all",
        patience=60.0,
        quirks=(
            "A server that fails makes `cn -p` fail.",
            "Tools carry no prefix: two servers with the same tool collide.",
        ),
        programs=("cn",),
    ),
    Client(
        id="trae",
        name="Trae",
        url="https://www.trae.ai",
        places=application_locations("Trae/User/mcp.json"),
        project=(".trae/mcp.json",),
        shape=entry_format.PLAIN,
        project_steps=(ENABLE_PROJECT_MCP_STEP,),
        programs=("trae",),
        links=(
            InstallLinkFormat(
                "trae://trae.ai-ide/mcp-import?type={type}&name={name}&config={config}",
                "entry",
                BASE64_ENCODING,
            ),
        ),
    ),
    Client(
        id="trae-cn",
        name="Trae CN",
        url="https://www.trae.cn",
        places=application_locations("Trae CN/User/mcp.json"),
        project=(".trae/mcp.json",),
        shape=entry_format.PLAIN,
        project_steps=(ENABLE_PROJECT_MCP_STEP,),
        links=(
            InstallLinkFormat(
                "trae-cn://trae.ai-ide/mcp-import?type={type}&name={name}&config={config}",
                "entry",
                BASE64_ENCODING,
            ),
        ),
    ),
    Client(
        id="warp",
        name="Warp",
        url="https://www.warp.dev",
        places=locations_on_all_systems("~/.warp/.mcp.json"),
        project=(".warp/.mcp.json",),
        shape=entry_format.WARP,
        programs=("warp", "warp-terminal"),
    ),
)
