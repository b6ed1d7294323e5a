"""Where the provider answers: below `/o/`, with its metadata where RFC 8414 looks for it."""

from django.contrib.auth.views import LoginView  # type: ignore[import-not-found]
from django.urls import include, path  # type: ignore[import-not-found]
from oauth2_provider.urls import metadata_urlpatterns  # type: ignore[import-not-found]

urlpatterns = [
    path("", include(metadata_urlpatterns)),
    path("o/", include("oauth2_provider.urls", namespace="oauth2_provider")),
    path("login/", LoginView.as_view(template_name="login.html")),
]
