"""Serves the server of this bundle."""

import sys
from pathlib import Path

from paddock.cli import main

sys.argv[1:] = ["serve", str(Path(__file__).parent / 'code/server.py')]
main()
