"""The version of this distribution, for everything that tells it to somebody."""

__version__ = "0.1.0"
