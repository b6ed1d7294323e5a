"""The authorization server that tests get real tokens from, at the version that we know.

Django OAuth Toolkit knows resource indicators (RFC 8707), introspection (RFC 7662), metadata
(RFC 8414 and OpenID Connect), PKCE and the rotation of keys.
"""

from external.environments import PythonEnvironment

DJANGO_OAUTH_TOOLKIT = PythonEnvironment(
    "django-oauth-toolkit", ("django-oauth-toolkit==3.4.1", "django>=5.2,<6")
)
