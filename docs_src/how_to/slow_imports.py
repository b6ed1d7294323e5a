import time

from paddock import Server

time.sleep(0.5)  # simulates the import of a large library

server = Server("analysis", version="1.0", instructions="Analyses numbers.")


@server.tool
def mean(values: list[float]) -> float:
    """Return the mean of some numbers."""
    return sum(values) / len(values)


if __name__ == "__main__":
    server.run()
