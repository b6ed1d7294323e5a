"""The version of the `paddock` distribution."""

__version__ = "0.1.0"
