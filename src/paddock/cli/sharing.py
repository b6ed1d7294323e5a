"""`paddock link` and `paddock bundle`: servers for people who click rather than type."""

from __future__ import annotations

from pathlib import Path

import click

from paddock.cli import completing, output
from paddock.clients.bundle import write_bundle
from paddock.clients.links import install_link
