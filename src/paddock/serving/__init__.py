"""A server behind a transport: joining what is offered to what carries it."""
