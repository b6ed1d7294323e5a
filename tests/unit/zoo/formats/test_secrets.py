"""Keys and passwords are found before they leave, and never shown."""

import pytest

from paddock.zoo.formats.converter import export_agents, find_secrets
from paddock.zoo.model import Agent, AgentSkill

RANDOM = "Zx81Qw7Lk2Mn9Bv4Cd6Fg3Hj5"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (f"sk-{RANDOM}", "an API key"),
        (f"sk-ant-api03-{RANDOM}", "an Anthropic API key"),
        (f"sk_live_{RANDOM}", "a Stripe key"),
        (f"ghp_{RANDOM}abcdefghijk", "a GitHub token"),
        (f"github_pat_{RANDOM}", "a GitHub token"),
        (f"glpat-{RANDOM}", "a GitLab token"),
        ("xoxb-123456789012-abcdef", "a Slack token"),
        ("AKIAIOSFODNN7EXAMPLE", "an AWS access key"),
        (f"AIza{RANDOM}{RANDOM[:10]}", "a Google API key"),
        (f"hf_{RANDOM}", "a Hugging Face token"),
        (f"eyJ{RANDOM}.eyJ{RANDOM}.{RANDOM}", "a signed token"),
        ("-----BEGIN RSA PRIVATE KEY-----", "a private key"),
        ("postgresql://ada:hunter22@db/zoo", "a password in an address"),
        (f'API_KEY = "{RANDOM}"', "a secret"),
        (f"client-secret: {RANDOM}", "a secret"),
    ],
)
def test_what_looks_like_a_secret_is_found_with_its_line(text: str, kind: str) -> None:
    assert list(find_secrets(f"Use this:\n  {text}\n")) == [(2, kind)]


@pytest.mark.parametrize(
    "text",
    [
        "Never write a password into a file.",
        "password: ${PASSWORD}",
        "api_key = your-api-key-here",
        "token: <token>",
        "Ask for the API key: it is in the vault",
        "https://example.org/a:b@c",
        "task-based and risk-aware-skeleton-structures-for-agents",
        "sk-learn",
    ],
)
def test_plain_text_is_left_alone(text: str) -> None:
    assert list(find_secrets(text)) == []


def test_an_export_tells_where_secrets_are_and_not_what_they_are() -> None:
    agent = Agent(
        id="sage",
        name="Sage",
        description="d",
        system_prompt=f"First\nsk-{RANDOM}",
        skills=[AgentSkill(id="a", name="Push", description=f"ghp_{RANDOM}")],
    )
    found = export_agents([agent], "claude-code")
    assert [(one.field, one.message) for one in found.report] == [
        ("systemPrompt", "line 2 contains what looks like an API key"),
        ("skills", "Push: line 1 contains what looks like a GitHub token"),
    ]
    assert RANDOM in found.files[0].text
