"""Which URIs belong to a template, and what its variables are then."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddock import PaddockError
from paddock.authoring.uri_template import UriTemplate
from tests.behaviour.line import PATIENCE


@pytest.mark.parametrize(
    ("template", "uri", "variables"),
    [
        ("a://{x}", "a://1", {"x": "1"}),
        ("a://{x}/b", "a://1/b", {"x": "1"}),
        ("a://{x}", "a://1/2", None),
        ("a://{x}", "a://", None),
        ("a://{x}", "b://1", None),
        ("a://{x}/{y}", "a://1/2", {"x": "1", "y": "2"}),
        ("a://{x}-{y}", "a://1-2-3", {"x": "1", "y": "2-3"}),
        ("a://{+path}", "a://b/c/d", {"path": "b/c/d"}),
        ("a://{path*}", "a://b/c", {"path": "b/c"}),
        ("a://{+path}/end", "a://b/c/end", {"path": "b/c"}),
        ("a://{x}", "a://%C3%A9%20b%2Fc", {"x": "é b/c"}),
        ("a://{x}", "a://é", {"x": "é"}),
        ("a://b{?x,y}", "a://b?y=2&x=1", {"x": "1", "y": "2"}),
        ("a://b{?x,y}", "a://b?x=1", {"x": "1"}),
        ("a://b{?x}", "a://b", {}),
        ("a://b{?x}", "a://b?x=", {"x": ""}),
        ("a://b{?x}", "a://b?x=a%20b+c", {"x": "a b c"}),
        ("a://b{?x}", "a://b?other=1", {}),
        ("a://{n}{?x}", "a://1?x=2", {"n": "1", "x": "2"}),
        ("a://{x}/{x}", "a://1/1", {"x": "1"}),
        ("a://{x}/{x}", "a://1/2", None),
        ("a.b+c://(x)/{y}", "a.b+c://(x)/1", {"y": "1"}),
        ("a.b+c://(x)/{y}", "aXb+c://(x)/1", None),
        ("a://b", "a://b", {}),
    ],
)
def test_a_uri_is_matched_with_its_variables(
    template: str, uri: str, variables: dict[str, str] | None
) -> None:
    assert UriTemplate(template).match(uri) == variables


@pytest.mark.parametrize(
    "template", ["a://{}", "a://{a b}", "a://{#x}", "a://{/x}", "a://{x:3}", "a://{1x}"]
)
def test_an_expression_beyond_the_subset_is_refused(template: str) -> None:
    with pytest.raises(PaddockError, match="template"):
        UriTemplate(template)


def test_the_variables_are_known_in_their_order() -> None:
    assert UriTemplate("a://{x}/{+y}{?q,r}").variables == ["x", "y", "q", "r"]


@given(st.text())
def test_any_text_matches_or_does_not(uri: str) -> None:
    found = UriTemplate("a://{x}/{+y}{?q}").match(uri)
    assert found is None or set(found) <= {"x", "y", "q"}


PROGRAM = """
from paddock.authoring.uri_template import UriTemplate

assert UriTemplate("a://{x}-{y}").match("a://" + "-" * 300_000 + "/") is None
assert UriTemplate("a://{+x}/{+y}/end").match("a://" + "/" * 300_000) is None
"""


def test_a_long_uri_does_not_hold_up_the_server() -> None:
    """In a process of its own: nothing else runs while a pattern is matched."""
    subprocess.run([sys.executable, "-c", PROGRAM], check=True, timeout=PATIENCE)
