import sys

from paddock import connect

with connect(sys.argv[1]) as peer:
    for tool in peer.tools():
        print(tool.name, "-", tool.description)
    result = peer.call("greet", name="Ada")
    print(result.text)
