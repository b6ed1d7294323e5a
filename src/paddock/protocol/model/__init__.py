"""The protocol's objects, the same in every era, as msgspec Structs."""
