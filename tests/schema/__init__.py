"""The protocol's own JSON Schemas, one for each era, without their prose."""
