from paddock import Prompt, Server

server = Server("completions", version="1.0")

CITIES = {"France": ["Lyon", "Paris"], "Spain": ["Madrid", "Malaga"]}


def cities(prefix: str, arguments: dict[str, str]) -> list[str]:
    known = CITIES.get(arguments.get("country", ""), [])
    return [city for city in known if city.lower().startswith(prefix.lower())]


def travel(country: str, city: str) -> str:
    """Plan a journey."""
    return f"Plan three days in {city}, {country}."


server.register(
    Prompt(
        "travel",
        handler=travel,
        completions={"country": sorted(CITIES), "city": cities},
    )
)


@server.resource("map://{country}", completions={"country": sorted(CITIES)})
def map_of(country: str) -> list[str]:
    """List the cities of a country."""
    return CITIES[country]


if __name__ == "__main__":
    server.run()
