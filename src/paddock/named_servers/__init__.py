"""Named servers: definitions in the user's data directory, and the built-in ones.

What a definition may hold is `definition`, where it is kept `store`, what becomes of it `assembly`.
Nothing here knows the clients that servers are installed into.
"""
