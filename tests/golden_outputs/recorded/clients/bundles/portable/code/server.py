
from paddock import Server

server = Server("Small")


@server.tool
def add(a: int, b: int) -> int:
    '''Add two numbers.'''
    return a + b
