"""The corpora, and the readers of their pages."""
