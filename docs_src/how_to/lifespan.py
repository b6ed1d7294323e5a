import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from paddock import Context, Server


@dataclass
class State:
    database: sqlite3.Connection


@contextmanager
def lifespan(_server: object) -> Iterator[State]:
    database = sqlite3.connect(":memory:", check_same_thread=False)
    database.execute("create table visits (name text)")
    try:
        yield State(database)
    finally:
        database.close()


server = Server("visits", version="1.0", lifespan=lifespan)


@server.tool
def visit(name: str, ctx: Context) -> int:
    """Record a visit and return the number of visits."""
    state: State = ctx.state
    with state.database as database:
        database.execute("insert into visits values (?)", [name])
        return int(database.execute("select count(*) from visits").fetchone()[0])


if __name__ == "__main__":
    server.run()
