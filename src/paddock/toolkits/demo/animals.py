"""What there is to read in the Demo server, and the prompt that leads through it."""

from __future__ import annotations

from paddock.authoring.failures import ToolError
from paddock.authoring.prompt import Prompt, PromptArgument
from paddock.authoring.resource import Resource, ResourceTemplate

ANIMAL_FACTS = {
    "alpaca": "Alpacas hum when they are curious, and agree with one another most of the time.",
    "donkey": "Donkeys stop when something is not clear to them: a good rule for agents too.",
    "goat": "Goats open gates. Whoever keeps them learns to check every latch twice.",
    "horse": "Horses sleep standing up, and are awake before anything has happened.",
    "sheep": "Sheep know some fifty faces of other sheep, and remember them for years.",
}
TOUR_THEMES = ["answers", "questions", "progress", "resources"]

TOUR_TEXT = """\
Show me what the Demo server can do{?theme?, above all about {theme}}.

Go step by step: call one tool, say in a sentence what it showed, then go on. Begin with `greet`.
Use `roll_dice` for data, `draw_picture` for an image, `count_slowly` for progress, `ask_person`
for a form, `keep_note` and the resource demo://notes for something that changes. Leave out what
your client cannot do. End with one sentence about what else could be built from these parts."""


def describe_server() -> str:
    """What this server is for."""
    return (
        "# Demo\n\nA server with harmless tools, a prompt and some resources. Nothing that it does "
        "leaves this process.\n\nAnimals: " + ", ".join(ANIMAL_FACTS) + "\n"
    )


def get_animal_fact(name: str) -> str:
    """A fact about an animal."""
    fact = ANIMAL_FACTS.get(name.lower())
    if fact is None:
        raise ToolError(f"No animal {name!r} in this paddock: there are {', '.join(ANIMAL_FACTS)}")
    return fact


about_resource = Resource(
    "demo://about", describe_server, name="about", title="About this server", mime_type="text/markdown"
)
animal_template = ResourceTemplate(
    "demo://animals/{name}",
    get_animal_fact,
    name="animal",
    title="An animal",
    mime_type="text/plain",
    completions={"name": list(ANIMAL_FACTS)},
)
tour_prompt = Prompt(
    "tour",
    TOUR_TEXT,
    title="Tour",
    description="Have the model show what this server can do",
    arguments=[PromptArgument("theme", f"What to dwell on: {', '.join(TOUR_THEMES)}")],
    completions={"theme": TOUR_THEMES},
)
