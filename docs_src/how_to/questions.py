from paddock import Context, Server, elicitation, roots, sampling

server = Server("questions", version="1.0")


# region: several
@server.tool
async def introduce(ctx: Context) -> str:
    """Ask three questions at once."""
    answers = await ctx.ask(
        name=elicitation("What is your name?", str),
        places=roots(),
        greeting=sampling("Greet a guest in one word.", max_tokens=10, temperature=0.0),
    )
    places = ", ".join(root.uri for root in answers["places"])
    return f"{answers['greeting'].text}, {answers['name'].data}, working in {places}"


# endregion


# region: url
@server.tool
async def pay(amount: int, ctx: Context) -> str:
    """Send the user to the payment page."""
    answer = await ctx.elicit_url("Please pay there.", f"https://pay.example.org/?amount={amount}")
    return "Thank you." if answer.is_accepted else "Not paid."


# endregion


# region: can
@server.tool
def summary(text: str, ctx: Context) -> str:
    """Summarise a text with the client's model, if it has one."""
    if "sampling" not in ctx.client_capabilities:
        return text[:40]
    return ctx.sample(f"Summarise: {text}", system_prompt="Be brief.").wait().text


# endregion

if __name__ == "__main__":
    server.run()
