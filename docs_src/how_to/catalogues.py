from paddock import list_servers

for server in list_servers(include_remote=True):
    state = "not installed" if server.is_remote else "installed"
    print(server.name, server.outline.version, state)
