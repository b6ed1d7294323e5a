"""The zoo over HTTP: routes, the errors that they answer with, and events as they happen."""
