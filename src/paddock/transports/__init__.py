"""How frames travel: byte streams (stdio, memory) and what runs the work they bring."""
