from paddock import Server

server = Server("hello", version="1.0")


@server.tool
def greet(name: str, times: int = 1) -> str:
    """Greet a person by name."""
    return " ".join([f"Hello, {name}!"] * times)


if __name__ == "__main__":
    server.run()
