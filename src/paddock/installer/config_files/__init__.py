"""Changing one thing in a configuration file that belongs to somebody else.

A document is a text with a way to change it: `document` says what every format can do, `opening`
makes a document of a file's bytes, and one module for each format does the work. Nothing here
touches the disk.
"""
