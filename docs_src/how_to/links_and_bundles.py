import sys
from pathlib import Path

import paddock

print(paddock.link("cursor", "Demo"))
print(paddock.link("lm-studio", "Demo", web=True))
print(paddock.link("vscode", "Demo", http="https://tools.example.org/mcp"))

print(paddock.bundle("Demo", Path(sys.argv[1]), portable=True))
