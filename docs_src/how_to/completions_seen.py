from docs_src.how_to.completions import server
from paddock import connect

with connect(server) as peer:
    found = peer.complete("travel", "city", "ma", {"country": "Spain"})
    assert found.values == ["Madrid", "Malaga"]
