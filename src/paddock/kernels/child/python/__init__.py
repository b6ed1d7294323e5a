"""Python evaluation inside a kernel process.

`paddock.kernels.child.foreign_python` loads these modules in the interpreter that the user has
chosen, which needs only its standard library. They import lazily, because imports take most of a
kernel's start time. Compatible with Python 3.8.
"""
