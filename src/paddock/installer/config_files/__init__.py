"""Edits single values in JSON, TOML and YAML files without changing the text around them.

`document` defines the common interface and parses the bytes of a file; there is one document module
per format. Nothing here accesses the file system.
"""
