from paddock import Context, Limits, Server

server = Server("kitchen")


@server.tool
def cook(dish: str, ctx: Context) -> str:
    """Cook a dish."""
    for step in range(3):
        ctx.progress(step, 3)
    return f"{dish} is ready"


if __name__ == "__main__":
    server.run(http="127.0.0.1:8642", limits=Limits(call_seconds=60))
