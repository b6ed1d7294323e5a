from paddock import Template

# region: template
greet = {
    "name": "Greet",
    "description": "Generates a greeting",
    "arguments": [{"name": "name", "description": "Whom to greet", "required": True}],
    "content": Template("Hello, {name}! Welcome to the zoo."),
}
# endregion


# region: function
def generate(arguments: dict[str, str]) -> str:
    return f"Write a poem about {arguments['animal']}."


poem = {
    "name": "Poem",
    "description": "Has a poem written",
    "arguments": [{"name": "animal", "required": True}],
    "content": generate,
}
# endregion
