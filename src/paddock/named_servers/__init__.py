"""Named servers: definitions in the user's data directory, in extensions, and built into Paddock.

`sources` finds definitions, `store` writes them, `server_builder` builds servers from them, and
`loader` loads a server that is being served. `paddock.installer` installs servers into clients.

It may import `extensions` and the packages below it.
"""
