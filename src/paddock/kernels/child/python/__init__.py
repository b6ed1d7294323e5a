"""Python as a worker evaluates it, in whichever Python the user has chosen.

These modules are loaded by `paddock.kernels.child.foreign_python` in a Python of version 3.8 or later
that need not have anything but its standard library. They import little before it is needed,
because a kernel's start waits for it.
"""
