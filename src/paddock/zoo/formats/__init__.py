"""Agents as files of other programs, and back: text and data only, no file is touched here.

`table` says which formats there are, `converting` turns agents into files and files into agents.
"""
