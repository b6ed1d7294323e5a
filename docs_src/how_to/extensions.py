from paddock import discover

discovery = discover()
for extension in discovery.extensions:
    tools = [item.name for item in extension.manifest.tools]
    print(extension.name, extension.version, extension.kind, tools)
for broken in discovery.broken:
    print(broken.name, "is broken:", broken.problem)
