"""One server program per library, all with the same tools."""
