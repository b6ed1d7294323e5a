"""Installing servers into the applications that use them."""
