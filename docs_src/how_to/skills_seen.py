from docs_src.how_to.skills_served import server
from paddock.testing import connect

with connect(server) as peer:
    for skill in peer.pages("skills/list", "skills"):
        print(skill["uri"])
    print(peer.read("skill://greetings/examples/formal.md").text)
