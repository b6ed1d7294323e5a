"""Tools for writing Wolfram Language code and paclets."""
