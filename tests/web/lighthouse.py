"""Has Lighthouse look at the web app: `make lighthouse`. Fails below 95 of 100.

It is not a test: the speed of a page depends on what else the machine does. Its speed on a
phone with a slow connection is reported and does not count: Paddock runs where its browser does.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.web.chromium import QUIET, chromium
from tests.web.running import up
from tests.web.screenshots import furnish

LIGHTHOUSE = "lighthouse@13.5.0"
PAGES = ("/", "/start", "/servers", "/servers/Demo", "/agent/bramble", "/agent/bramble/brain")
CATEGORIES = ("performance", "accessibility", "best-practices")
ENOUGH = 95
DESKTOP = ("--preset=desktop",)
PHONE = ()
"""What Lighthouse assumes on its own: a middling phone with a slow connection."""


def scores(url: str, kind: tuple[str, ...]) -> dict[str, int]:
    """Points of each category."""
    command = [
        *("npm", "exec", "--yes", LIGHTHOUSE, "--", url, "--output=json", "--quiet"),
        *("--no-enable-error-reporting", f"--only-categories={','.join(CATEGORIES)}"),
        *(f"--chrome-flags=--headless=new {' '.join(QUIET)}", *kind),
    ]
    environment = dict(os.environ)
    if path := chromium():
        environment["CHROME_PATH"] = path
    told = subprocess.run(command, stdout=subprocess.PIPE, env=environment, check=True).stdout
    categories = json.loads(told)["categories"]
    return {name: round(categories[name]["score"] * 100) for name in CATEGORIES}


def main() -> int:
    """Print what each page gets."""
    worst = 100
    with tempfile.TemporaryDirectory(prefix="home-") as place, up(Path(place)) as paddock:
        furnish(paddock)
        for page in sys.argv[1:] or PAGES:
            for name, kind in (("desktop", DESKTOP), ("phone", PHONE)):
                found = scores(paddock.url + page, kind)
                said = "  ".join(f"{category} {score}" for category, score in found.items())
                print(f"{page:22} {name:8} {said}", flush=True)
                counted = {**found, "performance": 100} if kind == PHONE else found
                worst = min(worst, *counted.values())
    return 0 if worst >= ENOUGH else 1


if __name__ == "__main__":
    sys.exit(main())
