"""Kernels of Jupyter, of any language: those installed here, and those of a server or gateway.

They are spoken to in Jupyter's own messages. Such a kernel has no state to go back to, and talks
through sockets, so that it cannot be kept from the network.
"""
