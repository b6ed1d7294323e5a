"""The steps of a synchronization follow from the current and previous states of both sides."""

import pytest

from paddock.zoo.sync.sync_runner import choose_next_step


@pytest.mark.parametrize(
    ("file", "zoo", "step"),
    [
        ("a", "a", "in-step"),
        ("a", "b", "conflict"),
        ("a", None, "add-to-zoo"),
        (None, "a", "add-to-project"),
        (None, None, "forget"),
    ],
)
def test_what_is_seen_for_the_first_time(file: str | None, zoo: str | None, step: str) -> None:
    assert choose_next_step(file, zoo) == step


@pytest.mark.parametrize(
    ("file", "zoo", "step"),
    [
        ("f", "z", "in-step"),
        ("f2", "z", "read"),
        ("f", "z2", "write"),
        ("f2", "z2", "conflict"),
        ("same", "same", "in-step"),
        (None, "z", "forget"),
        (None, "z2", "forget"),
        ("f", None, "delete-file"),
        ("f2", None, "conflict"),
        (None, None, "forget"),
    ],
)
def test_what_has_been_in_step(file: str | None, zoo: str | None, step: str) -> None:
    assert choose_next_step(file, zoo, last_file_digest="f", last_zoo_digest="z") == step


def test_a_preference_decides_conflicts_only() -> None:
    assert (
        choose_next_step("f2", "z2", last_file_digest="f", last_zoo_digest="z", prefer="file")
        == "read"
    )
    assert (
        choose_next_step("f2", "z2", last_file_digest="f", last_zoo_digest="z", prefer="zoo")
        == "write"
    )
    assert (
        choose_next_step("f2", None, last_file_digest="f", last_zoo_digest="z", prefer="file")
        == "add-to-zoo"
    )
    assert (
        choose_next_step("f2", None, last_file_digest="f", last_zoo_digest="z", prefer="zoo")
        == "delete-file"
    )
    assert (
        choose_next_step("f2", "z", last_file_digest="f", last_zoo_digest="z", prefer="zoo")
        == "read"
    )
    assert choose_next_step("a", "b", prefer="zoo") == "write"
