"""The zoo's part of the REST API: routes, request bodies, error responses and the event stream."""
