"""Fills the provider's database, the first time that it is used."""

from django.contrib.auth.models import User  # type: ignore[import-not-found]
from oauth2_provider.models import Application  # type: ignore[import-not-found]

from tests.authorization.provider.accounts import (
    BROWSER,
    MACHINE,
    REDIRECT,
    RESOURCE_SERVER,
    USER,
)


def register() -> None:
    """One user, two programs, and us."""
    if User.objects.exists():
        return
    User.objects.create_user(USER.name, password=USER.secret)
    for account in (MACHINE, RESOURCE_SERVER):
        Application.objects.create(
            client_id=account.name,
            client_secret=account.secret,
            client_type=Application.CLIENT_CONFIDENTIAL,
            authorization_grant_type=Application.GRANT_CLIENT_CREDENTIALS,
        )
    Application.objects.create(
        client_id=BROWSER.name,
        client_type=Application.CLIENT_PUBLIC,
        authorization_grant_type=Application.GRANT_AUTHORIZATION_CODE,
        redirect_uris=REDIRECT,
    )
