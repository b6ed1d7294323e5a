"""Print how many pages a PDF file has, as far as its plain text shows them."""

import sys
from pathlib import Path

print(Path(sys.argv[1]).read_bytes().count(b"/Type /Page\n"))
