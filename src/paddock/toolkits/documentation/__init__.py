"""Tools and prompts that look things up in documentation.

Modules that declare them hold what a list needs; what they do is in `looking_up` and
`showing_notebooks`, which are loaded with the first call.
"""
