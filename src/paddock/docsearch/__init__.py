"""Documentation search: corpora, the index, ranking and results.

It may import `kernels`, `wolfram` and other packages below `server`.
"""
