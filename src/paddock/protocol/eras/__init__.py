"""The two protocol eras behind one interface, `paddock.protocol.request.ProtocolEra`."""
