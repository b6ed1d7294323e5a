"""Text embeddings: the static vectors of Paddock, or a sentence model of the user."""
