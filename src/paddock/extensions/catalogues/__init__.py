"""Catalogues: JSON documents that list extensions with their manifests and download URLs.

Reading a catalogue neither downloads nor runs the extensions in it. The module `installer` does so,
and only after the user has agreed.
"""
