"""The rows of clients to talk with: chat applications and assistants."""

from __future__ import annotations

from paddock.installer import entry_format
from paddock.installer.client_app import (
    APPDATA_DIRECTORY,
    APPLICATION_SUPPORT_DIRECTORY,
    CONFIG_DIRECTORY,
    LOCAL_APPDATA_DIRECTORY,
    Client,
    InstallLinkFormat,
    locations_by_system,
    locations_on_all_systems,
)

MSIX_PACKAGE_DIRECTORY = f"{LOCAL_APPDATA_DIRECTORY}/Packages/Claude_*"
"""Where the current installer for Windows puts it, under a name that ends in a hash."""
DATABASE_NOTE = "It keeps its servers in a database, and not in a file that others could write."

CHAT_APPS = (
    Client(
        id="claude-desktop",
        name="Claude Desktop",
        canonical="ClaudeDesktop",
        aliases=("Claude",),
        kind="chat",
        url="https://claude.ai/download",
        places=locations_by_system(
            linux=(f"{CONFIG_DIRECTORY}/Claude/claude_desktop_config.json",),
            macos=(f"{APPLICATION_SUPPORT_DIRECTORY}/Claude/claude_desktop_config.json",),
            windows=(
                f"{APPDATA_DIRECTORY}/Claude/claude_desktop_config.json",
                f"{MSIX_PACKAGE_DIRECTORY}/LocalCache/Roaming/Claude/claude_desktop_config.json",
            ),
        ),
        all_places=True,
        known_as=("claude_desktop_config.json",),
        dialect="strict",
        shape=entry_format.STDIO_ONLY,
        steps=("Quit it wholly and start it again; it reads the file only then.",),
        quirks=(
            "While it runs it overwrites the file from memory: quit it before installing.",
            "It takes no URL in the file; add one under Connectors.",
            "A bundle (`paddock bundle`) survives where entries in the file are dropped.",
        ),
        processes=("Claude", "claude-desktop"),
    ),
    Client(
        id="goose",
        name="Goose",
        canonical="Goose",
        kind="chat",
        url="https://block.github.io/goose/",
        places=locations_by_system(
            linux=(f"{CONFIG_DIRECTORY}/goose/config.yaml",),
            macos=(f"{CONFIG_DIRECTORY}/goose/config.yaml",),
            windows=(f"{APPDATA_DIRECTORY}/Block/goose/config/config.yaml",),
        ),
        format="yaml",
        path=("extensions",),
        shape=entry_format.GOOSE,
        environment="all",
        patience=10.0,
        quirks=("Its `goose configure` rewrites the file and drops comments.",),
        programs=("goose",),
        links=(
            InstallLinkFormat(
                "goose://extension?{config}", "parameters", requires_package_runner=True
            ),
        ),
    ),
    Client(
        id="lm-studio",
        name="LM Studio",
        canonical="LMStudio",
        kind="chat",
        url="https://lmstudio.ai",
        places=locations_on_all_systems("~/.lmstudio/mcp.json"),
        shape=entry_format.PLAIN,
        programs=("lms",),
        links=(
            InstallLinkFormat(
                "lmstudio://add_mcp?name={name}&config={config}", "entry", ("base64", "percent")
            ),
            InstallLinkFormat(
                "https://lmstudio.ai/install-mcp?name={name}&config={config}",
                "entry",
                ("base64", "percent"),
            ),
        ),
    ),
    Client(
        id="hermes",
        name="Hermes Agent",
        aliases=("HermesAgent",),
        kind="chat",
        url="https://hermes-agent.nousresearch.com",
        places=locations_on_all_systems("${HERMES_HOME:-~/.hermes}/config.yaml"),
        format="yaml",
        path=("mcp_servers",),
        shape=entry_format.HERMES,
        quirks=("Run `hermes mcp test NAME` to see it connect.",),
        programs=("hermes",),
    ),
    Client(
        id="openclaw",
        name="OpenClaw",
        kind="chat",
        url="https://openclaw.ai",
        places=locations_on_all_systems("${OPENCLAW_STATE_DIR:-~/.openclaw}/openclaw.json"),
        path=("mcp", "servers"),
        shape=entry_format.OPENCLAW,
        quirks=("Run `openclaw mcp probe` to see it connect.",),
        programs=("openclaw",),
    ),
    Client(
        id="gptme",
        name="gptme",
        kind="chat",
        url="https://gptme.org",
        places=locations_on_all_systems("~/.config/gptme/config.toml"),
        project=("gptme.toml",),
        format="toml",
        path=("mcp", "servers"),
        listed=True,
        shape=entry_format.GPTME,
        defaults={("mcp", "enabled"): True},
        environment="all",
        programs=("gptme",),
    ),
    Client(
        id="llm",
        name="llm",
        aliases=("llm-tools-mcp",),
        kind="chat",
        url="https://llm.datasette.io",
        places=locations_on_all_systems("~/.llm-tools-mcp/mcp.json"),
        shape=entry_format.TYPED_URL,
        steps=("Have its plug-in: run `llm install llm-tools-mcp`.",),
        quirks=("Headers are not sent.",),
    ),
    Client(
        id="mcp-cli",
        name="mcp-cli",
        aliases=("chuk-mcp-cli",),
        kind="chat",
        url="https://github.com/chrishayuk/mcp-cli",
        project=("server_config.json",),
        dialect="strict",
        shape=entry_format.PLAIN,
        environment="all",
        programs=("mcp-cli",),
    ),
    Client(
        id="cherry-studio",
        name="Cherry Studio",
        kind="chat",
        url="https://cherry-ai.com",
        shape=entry_format.PLAIN,
        quirks=(DATABASE_NOTE,),
        signs=(
            f"{APPLICATION_SUPPORT_DIRECTORY}/CherryStudio",
            f"{APPDATA_DIRECTORY}/CherryStudio",
            f"{CONFIG_DIRECTORY}/CherryStudio",
        ),
        links=(
            InstallLinkFormat(
                "cherrystudio://mcp/install?servers={config}", "servers", ("base64", "percent")
            ),
        ),
    ),
    Client(
        id="deepchat",
        name="DeepChat",
        kind="chat",
        url="https://deepchat.thinkinai.xyz",
        shape=entry_format.PLAIN,
        quirks=(DATABASE_NOTE,),
        signs=(
            f"{APPLICATION_SUPPORT_DIRECTORY}/DeepChat",
            f"{APPDATA_DIRECTORY}/DeepChat",
            f"{CONFIG_DIRECTORY}/DeepChat",
        ),
        links=(
            InstallLinkFormat(
                "deepchat://mcp/install?code={config}", "servers", ("base64", "percent")
            ),
        ),
    ),
    Client(
        id="5ire",
        name="5ire",
        kind="chat",
        url="https://5ire.app",
        shape=entry_format.PLAIN,
        quirks=(DATABASE_NOTE,),
    ),
    Client(
        id="msty",
        name="Msty",
        kind="chat",
        url="https://msty.ai",
        shape=entry_format.PLAIN,
        quirks=(DATABASE_NOTE,),
    ),
    Client(
        id="recursechat",
        name="RecurseChat",
        kind="chat",
        url="https://recurse.chat",
        shape=entry_format.PLAIN,
        quirks=(DATABASE_NOTE,),
    ),
    Client(
        id="dify",
        name="Dify",
        kind="chat",
        url="https://dify.ai",
        shape=entry_format.PLAIN,
        starts_programs=False,
        quirks=("It runs elsewhere and takes a URL that it can reach, and no program.",),
    ),
)
