"""Keeping a project's agent files and the zoo in step, in both directions.

`comparing` decides what is to be done for each file, from what both sides were when they were last
the same; `records` remembers that; `sides` changes either side; `running` goes through all files.
"""
