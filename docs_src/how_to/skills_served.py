from datetime import UTC, datetime

from paddock import Server, Skill

# region: directories
server = Server("office", version="1.0", skills="skills")
# endregion

# region: written
server.register(
    Skill(
        "greetings",
        "How we greet people. Use it at the beginning of a conversation.",
        "# Greetings\n\nSay good morning before noon. More in `examples/formal.md`.\n",
        files={"examples/formal.md": "Dear Madam, dear Sir\n", "seal.bin": b"\x00\xff"},
        frontmatter={"license": "MIT", "metadata": {"version": "2.0"}},
    )
)
# endregion


# region: dynamic
def rota() -> str:
    return f"# Rota\n\nToday is {datetime.now(UTC):%A}. The kitchen is yours.\n"


server.register(Skill("rota", "Who cleans the kitchen today.", rota, prefix="house"))
# endregion


if __name__ == "__main__":
    server.run()
