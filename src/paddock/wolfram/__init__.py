"""Wolfram Language as text: reading, writing and understanding it without running anything.

`parser` gives expressions with exact places in the source; `printer` writes them; `data` works out
what literal expressions are worth; `wxf` reads and writes the binary form. Evaluation is left to
kernels. Standard library only.
"""
