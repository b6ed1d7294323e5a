"""Validation of extensions and server definitions.

All problems in a target are reported together, as findings. Validity is decided by the readers in
`extensions` and `named_servers`, so that validation cannot disagree with actual use.

It may import `named_servers` and the packages below it, but not `installer`.
"""
