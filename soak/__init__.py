"""A server under load, with clients that behave and clients that do not; see README.md."""
