import logging

from paddock import Server, configure_logging

server = Server("kitchen")
log = logging.getLogger("kitchen")


@server.tool
def cook(dish: str) -> str:
    """Cook a dish."""
    log.warning("No thyme left", extra={"shelf": 3})
    return f"{dish} is ready"


if __name__ == "__main__":
    configure_logging("debug", "json")
    server.run()
