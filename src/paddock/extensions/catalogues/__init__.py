"""Catalogues: what could be installed, told by documents that list extensions with their manifests.

Reading a catalogue is discovery: nothing that it lists is fetched, let alone run. Fetching and
installing are for those who run servers, after somebody has agreed (`installing`).
"""
