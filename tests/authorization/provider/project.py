"""Settings of the authorization server: Django OAuth Toolkit, as its users would set it up.

`PROVIDER_DIRECTORY` holds its database and `key.pem`, the key that it signs with; keys that have
been replaced but still count are in `old-*.pem`. `PROVIDER_PORT` is where it listens.
"""

import os
import uuid
from pathlib import Path

DIRECTORY = Path(os.environ["PROVIDER_DIRECTORY"])
ISSUER = f"http://127.0.0.1:{os.environ['PROVIDER_PORT']}/o"
SIGNING_KEY = (DIRECTORY / "key.pem").read_text(encoding="ascii")
TOKEN_SECONDS = 600

SECRET_KEY = uuid.uuid4().hex
ALLOWED_HOSTS = ["127.0.0.1"]
ROOT_URLCONF = "tests.authorization.provider.addresses"
USE_TZ = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": str(DIRECTORY / "database.sqlite"),
        "OPTIONS": {"timeout": 20},
    }
}
INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "oauth2_provider",
]
MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [Path(__file__).parent / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {"context_processors": ["django.template.context_processors.request"]},
    }
]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
LOGIN_URL = "/login/"
OAUTH2_PROVIDER = {
    "OIDC_ENABLED": True,
    "OIDC_ISS_ENDPOINT": ISSUER,
    "OIDC_RSA_PRIVATE_KEY": SIGNING_KEY,
    "OIDC_RSA_PRIVATE_KEYS_INACTIVE": [
        file.read_text(encoding="ascii") for file in sorted(DIRECTORY.glob("old-*.pem"))
    ],
    "ACCESS_TOKEN_GENERATOR": "tests.authorization.provider.signing.signed",
    "ACCESS_TOKEN_EXPIRE_SECONDS": TOKEN_SECONDS,
    "ALLOWED_REDIRECT_URI_SCHEMES": ["http"],
    "DCR_ENABLED": True,
    "DCR_REGISTRATION_PERMISSION_CLASSES": ["oauth2_provider.dcr.AllowAllDCRPermission"],
    "COMPLIANT_BCP_RFC9700_AUTHZ_RESPONSE_ISS": True,
    "SCOPES": {"notes:read": "Read notes", "notes:write": "Write notes"},
    "DEFAULT_SCOPES": ["notes:read"],
}
