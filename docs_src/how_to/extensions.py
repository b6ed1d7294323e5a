from paddock import discover

found = discover()
for extension in found.extensions:
    tools = [item.name for item in extension.manifest.tools]
    print(extension.name, extension.version, extension.kind, tools)
for broken in found.broken:
    print(broken.name, "is broken:", broken.problem)
