"""The console's part of the REST API: servers, extensions, client apps, sign-in and users."""
