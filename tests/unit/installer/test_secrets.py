"""What is secret stays off the screen."""

import json

import pytest

from paddock.installer.secret_masking import collect_secrets, mask_secrets


def test_values_of_variables_and_headers_of_every_server_are_secret() -> None:
    data = {
        "mcpServers": {
            "a": {"command": "/bin/a", "env": {"TOKEN": "abc123", "PORT": 8080, "EMPTY": ""}},
            "b": {"url": "https://x", "headers": {"Authorization": "Bearer xyz"}},
        },
        "projects": {"/p": {"mcpServers": {"c": {"env": {"KEY": "deep"}}}}},
    }
    assert collect_secrets(data) == ("Bearer xyz", "abc123", "8080", "deep")


def test_what_paddock_sets_itself_is_not_a_secret() -> None:
    env = {"PADDOCK_DATA_DIR": "/data", "PYTHONPATH": "/src", "PADDOCK_TOOL_OPTIONS": "{}"}
    assert collect_secrets({"env": env}) == ("{}",)


def test_a_reference_to_the_variable_itself_is_not_a_secret() -> None:
    env = {"A": "$A", "B": "${B}", "C": "${env:C}", "D": "{env:D}", "E": "$A", "F": "${F}x"}
    assert collect_secrets({"env": env}) == ("${F}x", "$A")


@pytest.mark.parametrize("secret", ['with "quotes"', "tab\\tand ü", "it's", "line one\nline two"])
def test_a_secret_is_hidden_in_every_form(secret: str) -> None:
    escaped = json.dumps(secret)
    plain = json.dumps(secret, ensure_ascii=False)
    single = "'" + secret.replace("'", "''") + "'"
    text = mask_secrets(f"{escaped}\n{plain}\n{single}\n{secret}\n", [secret])
    assert all(line.strip() not in text for line in secret.splitlines())
    assert escaped not in text


def test_a_short_value_is_hidden_only_where_it_is_a_value() -> None:
    text = 'PORT1 = 1\n"A1": "1",\nkey1: 1\n'
    assert mask_secrets(text, ["1"]) == 'PORT1 = •••\n"A1": "•••",\nkey1: •••\n'
