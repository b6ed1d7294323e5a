"""A prompt as an object: a text with placeholders."""

from paddock import Prompt, PromptArgument

summary = Prompt(
    "summary",
    "Summarise my notes{?topic? about {topic}} in one paragraph.",
    description="Ask for a summary of the notes.",
    arguments=[PromptArgument("topic", "What they should be about")],
)
