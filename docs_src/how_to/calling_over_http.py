import os
import sys

from paddock import AccessRefusedError, connect


def token() -> str:
    return os.environ["KITCHEN_TOKEN"]


try:
    with connect(sys.argv[1], token=token) as peer:
        print(peer.call("greet", name="Ada").text)
except AccessRefusedError as error:
    print(f"HTTP {error.status}: needs the scope {error.scope}")
