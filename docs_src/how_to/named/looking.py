from paddock import edit_server, get_server, list_servers

# region: list
for server in list_servers("G*", include_built_in=False):
    print(server.name, server.version, server.problem or "ok")
# endregion

# region: look
garden = get_server("Garden")
print(garden.tool_names, garden.prompt_names)
print(garden.location)
print(garden["instructions"])
# endregion

# region: edit
edit_server("Garden", version="1.3.0", tools=[*garden.definition.tools, "DemoGreet"])
edit_server("Garden", initialization=None)
# endregion
