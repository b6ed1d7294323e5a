"""Validation of extensions and server definitions.

All problems of a target are reported at once, as findings. The readers of `extensions` and
`named_servers` decide what is valid, so that validation cannot disagree with actual use.

It may import `named_servers` and the packages below it, but not `installer`.
"""
