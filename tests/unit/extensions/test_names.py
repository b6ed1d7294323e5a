"""Keys and names, in all their spellings."""

import pytest

from paddock.extensions.names import QualifiedName, normalize_key, parse_qualified_name


@pytest.mark.parametrize(
    ("written", "normal"),
    [
        ("name", "name"),
        ("Name", "name"),
        ("DisplayName", "display_name"),
        ("displayName", "display_name"),
        ("display_name", "display_name"),
        ("display-name", "display_name"),
        ("MCPPrompts", "mcp_prompts"),
        ("LLMEvaluator", "llm_evaluator"),
        ("LLMKit", "llm_kit"),
        ("MIMEType", "mime_type"),
        ("URI", "uri"),
        ("uriTemplate", "uri_template"),
    ],
)
def test_a_key_is_the_same_in_every_spelling(written: str, normal: str) -> None:
    assert normalize_key(written) == normal


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("charts/Plot", QualifiedName(None, "charts", "Plot")),
        ("acme/charts/Plot", QualifiedName("acme", "charts", "Plot")),
    ],
)
def test_a_qualified_name_has_two_or_three_parts(text: str, name: QualifiedName) -> None:
    assert parse_qualified_name(text) == name
    assert str(name) == text


@pytest.mark.parametrize("text", ["", "Plot", "/Plot", "charts/", "a//b", "a/b/c/d", "/"])
def test_what_has_other_or_empty_parts_is_not_a_qualified_name(text: str) -> None:
    assert parse_qualified_name(text) is None


def test_the_package_name_is_all_but_the_item() -> None:
    assert QualifiedName(None, "charts", "Plot").extension_name == "charts"
    assert QualifiedName("acme", "charts", "Plot").extension_name == "acme/charts"
