from typing import Literal

from paddock import Prompt, PromptArgument, PromptMessage, ResourceLink, Server

server = Server("prompts", version="1.0")

# region: template
server.register(
    Prompt(
        "translate",
        "Translate this text{?language? into {language}}:\n\n{text}",
        description="Translate a text",
        arguments=[
            PromptArgument("text", "What to translate", required=True),
            PromptArgument("language", "Which language to translate it into"),
        ],
    )
)
# endregion

# region: messages
server.register(
    Prompt(
        "interview",
        [
            "I would like to practise for an interview as {role}.",
            PromptMessage("Gladly. Why do you want to become {role}?", role="assistant"),
            ResourceLink("interview://questions", "questions"),
        ],
        title="Practise an interview",
    )
)
# endregion


# region: function
@server.prompt
def review(
    code: str, depth: Literal["quick", "thorough"] = "quick", findings: int = 3
) -> list[PromptMessage]:
    """Review a piece of code.

    Args:
        code: What to review.
        depth: How closely to look.
        findings: How many findings to report at most.
    """
    wanted = f"Give this code a {depth} review and report at most {findings} findings:"
    return [
        PromptMessage(f"{wanted}\n\n{code}"),
        PromptMessage("I will begin with the most serious finding.", role="assistant"),
    ]


# endregion

if __name__ == "__main__":
    server.run()
