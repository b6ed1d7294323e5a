"""The two protocol eras behind one contract; which one a request belongs to is decided once."""
