"""The rows of clients to talk with: chat applications and assistants."""

from __future__ import annotations

from paddock.clients import shapes
from paddock.clients.client import Client, LinkForm
from paddock.clients.roots import APPDATA, CONFIG, LOCALAPPDATA, SUPPORT, by_system, everywhere

MSIX = f"{LOCALAPPDATA}/Packages/Claude_*"
"""Where the current installer for Windows puts it, under a name that ends in a hash."""
PASTE = "It keeps its servers in a database: paste the JSON into its settings."

CHAT_CLIENTS = (
    Client(
        id="claude-desktop",
        name="Claude Desktop",
        canonical="ClaudeDesktop",
        aliases=("Claude",),
        kind="chat",
        url="https://claude.ai/download",
        places=by_system(
            linux=(f"{CONFIG}/Claude/claude_desktop_config.json",),
            macos=(f"{SUPPORT}/Claude/claude_desktop_config.json",),
            windows=(
                f"{APPDATA}/Claude/claude_desktop_config.json",
                f"{MSIX}/LocalCache/Roaming/Claude/claude_desktop_config.json",
            ),
        ),
        all_places=True,
        known_as=("claude_desktop_config.json",),
        shape=shapes.STDIO_ONLY,
        quirks=(
            "Quit it before installing: while it runs it overwrites the file from memory.",
            "Quit it wholly and start it again to have it read the file.",
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
        places=by_system(
            linux=(f"{CONFIG}/goose/config.yaml",),
            macos=(f"{CONFIG}/goose/config.yaml",),
            windows=(f"{APPDATA}/Block/goose/config/config.yaml",),
        ),
        format="yaml",
        path=("extensions",),
        shape=shapes.GOOSE,
        environment="all",
        patience=10.0,
        quirks=("Its `goose configure` rewrites the file and drops comments.",),
        programs=("goose",),
        links=(LinkForm("goose://extension?{config}", "parameters", starts_packages=True),),
    ),
    Client(
        id="lm-studio",
        name="LM Studio",
        canonical="LMStudio",
        kind="chat",
        url="https://lmstudio.ai",
        places=everywhere("~/.lmstudio/mcp.json"),
        shape=shapes.PLAIN,
        programs=("lms",),
        links=(
            LinkForm(
                "lmstudio://add_mcp?name={name}&config={config}", "entry", ("base64", "percent")
            ),
            LinkForm(
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
        places=everywhere("${HERMES_HOME:-~/.hermes}/config.yaml"),
        format="yaml",
        path=("mcp_servers",),
        shape=shapes.HERMES,
        quirks=("Run `hermes mcp test NAME` to see it connect.",),
        programs=("hermes",),
    ),
    Client(
        id="openclaw",
        name="OpenClaw",
        kind="chat",
        url="https://openclaw.ai",
        places=everywhere("${OPENCLAW_STATE_DIR:-~/.openclaw}/openclaw.json"),
        dialect="jsonc",
        path=("mcp", "servers"),
        shape=shapes.OPENCLAW,
        quirks=("Run `openclaw mcp probe` to see it connect.",),
        programs=("openclaw",),
    ),
    Client(
        id="gptme",
        name="gptme",
        kind="chat",
        url="https://gptme.org",
        places=everywhere("~/.config/gptme/config.toml"),
        project=("gptme.toml",),
        format="toml",
        path=("mcp", "servers"),
        listed=True,
        shape=shapes.GPTME,
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
        places=everywhere("~/.llm-tools-mcp/mcp.json"),
        shape=shapes.TYPED_ADDRESS,
        quirks=("It needs its plug-in: `llm install llm-tools-mcp`; headers are not sent.",),
    ),
    Client(
        id="mcp-cli",
        name="mcp-cli",
        aliases=("chuk-mcp-cli",),
        kind="chat",
        url="https://github.com/chrishayuk/mcp-cli",
        project=("server_config.json",),
        dialect="strict",
        shape=shapes.PLAIN,
        environment="all",
        programs=("mcp-cli",),
    ),
    Client(
        id="cherry-studio",
        name="Cherry Studio",
        kind="chat",
        url="https://cherry-ai.com",
        shape=shapes.PLAIN,
        quirks=(PASTE,),
        signs=(f"{SUPPORT}/CherryStudio", f"{APPDATA}/CherryStudio", f"{CONFIG}/CherryStudio"),
        links=(
            LinkForm(
                "cherrystudio://mcp/install?servers={config}", "servers", ("base64", "percent")
            ),
        ),
    ),
    Client(
        id="deepchat",
        name="DeepChat",
        kind="chat",
        url="https://deepchat.thinkinai.xyz",
        shape=shapes.PLAIN,
        quirks=(PASTE,),
        signs=(f"{SUPPORT}/DeepChat", f"{APPDATA}/DeepChat", f"{CONFIG}/DeepChat"),
        links=(LinkForm("deepchat://mcp/install?code={config}", "servers", ("base64", "percent")),),
    ),
    Client(
        id="5ire",
        name="5ire",
        kind="chat",
        url="https://5ire.app",
        shape=shapes.PLAIN,
        quirks=(PASTE,),
    ),
    Client(
        id="msty",
        name="Msty",
        kind="chat",
        url="https://msty.ai",
        shape=shapes.PLAIN,
        quirks=(PASTE,),
    ),
    Client(
        id="recursechat",
        name="RecurseChat",
        kind="chat",
        url="https://recurse.chat",
        shape=shapes.PLAIN,
        quirks=(PASTE,),
    ),
    Client(
        id="dify",
        name="Dify",
        kind="chat",
        url="https://dify.ai",
        shape=shapes.PLAIN,
        quirks=("It runs elsewhere and takes a URL only: serve with --http and add the URL.",),
    ),
)
