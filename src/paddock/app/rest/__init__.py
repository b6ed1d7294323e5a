"""The REST API of the console: servers, extensions, client apps, sign-in and users."""
