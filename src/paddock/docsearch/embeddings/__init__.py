"""What texts mean, as vectors: static ones that Paddock brings, or those of a model of the user."""
