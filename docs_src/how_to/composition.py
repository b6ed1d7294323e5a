from pathlib import Path

from paddock import Server

weather = Server("weather", version="1.0")


@weather.tool
def today(city: str) -> str:
    """Return the weather in a city."""
    return f"Sunny in {city}"


server = Server("assistant", version="1.0")
server.mount(weather, "weather")
server.mount(Path(__file__).with_name("lifespan.py"), "guests")


if __name__ == "__main__":
    server.run()
