"""`paddock link` and `paddock bundle`: servers for people who click rather than type."""

from __future__ import annotations
