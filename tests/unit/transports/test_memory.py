"""Two channels in one process."""

from paddock.transports.channel import create_memory_channels


def test_each_end_reads_what_the_other_writes() -> None:
    here, there = create_memory_channels()
    here.write(b"a")
    here.write(b"b")
    there.write(b"c")
    assert (there.read(), there.read(), here.read()) == (b"a", b"b", b"c")


def test_closing_is_read_as_the_end_after_what_was_written() -> None:
    here, there = create_memory_channels()
    here.write(b"last")
    here.close()
    assert (there.read(), there.read()) == (b"last", b"")


def test_writing_nothing_is_not_the_end() -> None:
    here, there = create_memory_channels()
    here.write(b"")
    here.write(b"a")
    assert there.read() == b"a"
