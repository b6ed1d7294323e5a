from paddock import Prompt, PromptArgument

menu = Prompt(
    "menu",
    "Suggest a menu for {guests} people{?occasion?, for {occasion}}.",
    description="Plan a menu.",
    arguments=[PromptArgument("guests", required=True), PromptArgument("occasion")],
)
