"""The console's part of the API: servers and their tools, extensions, engines and clients."""
