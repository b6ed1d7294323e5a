"""The corpora, and how their pages are read."""
