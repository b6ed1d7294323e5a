"""The corpora: what each is made of, and how its pages are read."""
