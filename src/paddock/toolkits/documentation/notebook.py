"""The prompt `Notebook`: a notebook that the person hands to the model.

What it does is in `showing_notebooks`, which is loaded when it is first asked for.
"""

from __future__ import annotations

from paddock.authoring.context import Context  # noqa: TC001 - read from the hints of handlers
from paddock.authoring.prompt import Prompt, PromptArgument


def show_notebook(ctx: Context, path: str) -> str:
    """A notebook as markdown."""
    from paddock.toolkits.documentation.showing_notebooks import format_notebook  # noqa: PLC0415 - see above

    return format_notebook(path, ctx)


notebook_prompt = Prompt(
    "Notebook",
    handler=show_notebook,
    title="Notebook",
    description="Adds the content of a Wolfram notebook to the conversation, as markdown.",
    arguments=[PromptArgument("path", "The path of the notebook file (.nb)", required=True)],
)
