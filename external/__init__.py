"""Programs of others that our tests and benchmarks run, and how they are installed."""
