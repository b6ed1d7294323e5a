"""Settings that hold for every test."""

from hypothesis import settings

# A test says what is right, not how fast this machine is today.
settings.register_profile("paddock", deadline=None)
settings.load_profile("paddock")
