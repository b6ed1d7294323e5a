from paddock import AppView, Context, Server

server = Server("weather", version="1.0")

# region: view
view = AppView(
    "ui://weather/report",
    file="weather.html",
    title="Weather report",
    connect_domains=["https://api.example.org"],
    prefers_border=True,
)
# endregion


# region: tool
@server.tool(ui=view)
def weather(city: str, ctx: Context) -> str:
    """Return the weather in a city."""
    if ctx.can_show():
        return f"The report for {city} is shown."
    return f"{city}: 18 degrees, light rain, wind from the west."


# endregion


# region: app_only
@server.tool(ui="ui://weather/report", visibility=["app"])
def refresh(city: str) -> dict[str, float]:
    """Return the latest figures for the page."""
    return {"temperature": 18.5, "rain": 0.3}


# endregion


# region: made
@server.resource("ui://weather/legend", mime_type="text/html;profile=mcp-app", listed=False)
def legend() -> str:
    """Explain the symbols."""
    return "<!doctype html><p>A drop means rain.</p>"


# endregion


if __name__ == "__main__":
    server.run()
