from docs_src.how_to.skills_served import server
from paddock.testing import connect

with connect(server) as peer:
    skills = {skill.uri: skill for skill in peer.skills()}
    print(*skills, sep="\n")
    greetings = skills["skill://greetings/SKILL.md"]
    print(peer.skill_file(greetings, "skill://greetings/examples/formal.md").decode())
