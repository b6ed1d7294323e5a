"""Tokens that are written down."""

import asyncio
from typing import Any

import pytest

from paddock import Authorization, DefinitionError, InvalidTokenError, Principal, StaticTokens

ADA = Principal("ada", scopes=["read"])


def test_a_token_means_a_principal_its_parameters_or_a_name() -> None:
    tokens = StaticTokens({"a": ADA, "b": {"subject": "bob", "scopes": ["write"]}, "c": "cy"})
    found = [asyncio.run(tokens.validate(token, "any")) for token in "abc"]
    assert found[0] is ADA
    read = [(one.subject, set(one.scopes)) for one in found[1:]]
    assert read == [("bob", {"write"}), ("cy", set())]


@pytest.mark.parametrize("token", ["", "A", "ab", "a ", "b\0"])
def test_anything_else_is_refused(token: str) -> None:
    with pytest.raises(InvalidTokenError):
        asyncio.run(StaticTokens({"a": ADA, "b": "bob"}).validate(token, "any"))


@pytest.mark.parametrize("token", ["s3cret!#%", "a=b", "==", "a" * 20_000, "a\n", 5])
def test_a_token_that_no_request_can_carry_is_refused(token: Any) -> None:
    with pytest.raises(DefinitionError) as refused:
        StaticTokens({"good": "bob", token: "ada"})
    assert refused.value.where == "StaticTokens"


def test_every_token_that_is_accepted_opens() -> None:
    token = "aZ09-._~+/=="  # noqa: S105 - not a real token
    authorization = Authorization(StaticTokens({token: ADA}), resource="https://example.org/mcp")
    assert asyncio.run(authorization.authenticate([f"Bearer {token}"])) is ADA


@pytest.mark.parametrize(
    "tokens", [{}, {"": "ada"}, {"a b": "ada"}, {"ä": "ada"}, {"a": {"name": "ada"}}, {"a": 1}]
)
def test_a_list_that_makes_no_sense_is_refused(tokens: Any) -> None:
    with pytest.raises(DefinitionError):
        StaticTokens(tokens)


def test_tokens_are_not_shown_or_kept() -> None:
    tokens = StaticTokens({"s3cret": "ada"})
    assert "s3cret" not in repr(tokens) + repr(vars(tokens))
