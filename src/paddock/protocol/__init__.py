"""The Model Context Protocol: frames, eras and dispatch. No I/O happens here."""
