from docs_src.how_to.completions import server
from paddock import connect

with connect(server) as peer:
    completion = peer.complete("travel", "city", "ma", {"country": "Spain"})
    assert completion.values == ["Madrid", "Malaga"]
