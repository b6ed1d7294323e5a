"""Documentation search: corpora, the index, ranking and results."""
