"""The zoo's REST API: routes, request bodies, error responses and the event stream."""
