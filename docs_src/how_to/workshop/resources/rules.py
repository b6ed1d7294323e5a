from paddock import Resource

rules = Resource("workshop://rules", lambda: "Put tools back.", name="rules")
