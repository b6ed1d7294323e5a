"""Catalogues: JSON documents that list extensions with their manifests and download URLs.

Reading a catalogue neither downloads nor runs the extensions in it. Only the `installer` module
does that, after the user has agreed.
"""
