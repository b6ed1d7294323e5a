"""Sessions opened by `initialize`: 2025-11-25 and its predecessors."""
