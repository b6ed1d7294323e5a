from PIL import Image

from paddock import Server

server = Server("pictures", version="1.0")


@server.tool
def square(colour: str = "red", size: int = 16) -> Image.Image:
    """Draw a square of one colour."""
    return Image.new("RGB", (size, size), colour)


if __name__ == "__main__":
    server.run()
