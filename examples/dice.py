"""A tool with a view: dice that roll in a page where the client can show one, and in text else."""

import random

from paddock import AppView, Context, Server

PAGE = """<!doctype html>
<title>Dice</title>
<p id="dice" style="font-size: 4rem">...</p>
<script>
  // Page and client talk in JSON-RPC: the page says hello, the client tells it of the result.
  const send = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
  addEventListener("message", ({ data }) => {
    if (data.id === 1) {
      send({ method: "ui/notifications/initialized" });
    } else if (data.method === "ui/notifications/tool-result") {
      const { dice } = data.params.structuredContent;
      const face = (number) => String.fromCodePoint(0x267f + number);
      document.getElementById("dice").textContent = dice.map(face).join(" ");
    }
  });
  send({
    id: 1,
    method: "ui/initialize",
    params: {
      protocolVersion: "2026-01-26",
      appCapabilities: {},
      appInfo: { name: "dice", version: "1.0" },
    },
  });
</script>
"""

server = Server("dice", version="1.0")


@server.tool(ui=AppView("ui://dice/roll", PAGE, title="Dice", prefers_border=True))
def roll(ctx: Context, count: int = 2) -> dict[str, object]:
    """Roll dice."""
    dice = [random.randint(1, 6) for _ in range(count)]  # noqa: S311 - a game
    return {"dice": dice, "is_shown": ctx.can_show()}


if __name__ == "__main__":
    server.run()
