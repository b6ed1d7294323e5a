"""What is loaded when, and what is stated when it cannot be."""

import subprocess
import sys

import pytest

WITHOUT = """
import sys
sys.modules["{missing}"] = None
import paddock
try:
    {statement}
except paddock.DefinitionError as error:
    print(error)
"""


def run(program: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    ).stdout


@pytest.mark.parametrize(
    ("missing", "statement", "name"),
    [
        ("jwt", 'paddock.JwksValidator("https://issuer.example")', "JwksValidator"),
        ("urllib3", 'paddock.JwksValidator("https://issuer.example")', "JwksValidator"),
        ("urllib3", "paddock.GitHubValidator()", "GitHubValidator"),
        (
            "urllib3",
            'paddock.IntrospectionValidator("https://a.example", client_id="a", client_secret="b")',
            "IntrospectionValidator",
        ),
    ],
)
def test_a_missing_library_is_an_error_that_says_what_to_install(
    missing: str, statement: str, name: str
) -> None:
    said = run(WITHOUT.format(missing=missing, statement=statement))
    assert said == (
        f"{name} needs the package {missing}, which is not installed "
        "(pip install 'paddock[http]')\n"
    )


def test_libraries_are_loaded_when_a_validator_that_needs_them_is_made() -> None:
    program = """
import sys, paddock
print(*[name for name in ("paddock.auth", "jwt", "urllib3") if name in sys.modules])
paddock.Authorization(paddock.StaticTokens({"a": "ada"})), paddock.JwksValidator
print(*[name for name in ("jwt", "urllib3") if name in sys.modules])
"""
    assert run(program) == "\n\n"
