"""Two-way synchronization of a project's agent files with a zoo."""
