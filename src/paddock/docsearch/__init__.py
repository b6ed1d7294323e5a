"""Documentation search: corpora, the index, ranking and results.

This package may import `kernels`, `wolfram` and other packages below `server`.
"""
