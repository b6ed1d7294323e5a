"""Text embeddings: Paddock's static vectors or the user's sentence model."""
