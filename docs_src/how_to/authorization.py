from paddock import Authorization, Context, Server, StaticTokens

authorization = Authorization(
    StaticTokens(
        {
            "ada-s-token": {"subject": "ada", "scopes": ["notes:read", "notes:write"]},
            "bob-s-token": {"subject": "bob", "scopes": ["notes:read"]},
        }
    ),
    required_scopes=["notes:read"],
)
server = Server("notes", version="1.0", authorization=authorization)
notes: list[str] = []


@server.tool
def read(ctx: Context) -> str:
    """Read all notes."""
    reader = ctx.principal.subject if ctx.principal else "anonymous"
    return f"For {reader}: {', '.join(notes) or 'nothing'}"


@server.tool(scopes=["notes:write"])
def write(text: str) -> str:
    """Write a note."""
    notes.append(text)
    return "Written."


if __name__ == "__main__":
    server.run(http="127.0.0.1:8642")
