from typing import Any

from paddock import Server, Tool

server = Server("schemas", version="1.0")

# region: array
server.register(
    Tool(
        "filter_by_tags",
        lambda arguments: f"Filtering by tags: {', '.join(arguments['tags'])}",
        description="Filter items by several tags",
        input_schema={
            "type": "object",
            "properties": {
                "tags": {
                    "type": "array",
                    "items": {"type": "string"},
                    "description": "Tags to filter by",
                    "minItems": 1,
                }
            },
            "required": ["tags"],
        },
    )
)
# endregion

# region: enum
server.register(
    Tool(
        "sort_results",
        lambda arguments: f"Sorting by {arguments['field']} ({arguments['order']})",
        description="Sort results by field and order",
        input_schema={
            "type": "object",
            "properties": {
                "field": {
                    "type": "string",
                    "enum": ["name", "date", "relevance", "size"],
                    "description": "Field to sort by",
                },
                "order": {"type": "string", "enum": ["asc", "desc"], "default": "asc"},
            },
            "required": ["field"],
        },
    )
)
# endregion

# region: nested
FILTER_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "query": {"type": "string"},
        "options": {
            "type": "object",
            "properties": {
                "limit": {"type": "integer", "default": 10, "minimum": 1, "maximum": 100},
                "offset": {"type": "integer", "default": 0},
            },
            "default": {"limit": 10, "offset": 0},
        },
    },
    "required": ["query"],
}


@server.tool(input_schema=FILTER_SCHEMA)
def advanced_filter(arguments: dict[str, Any]) -> str:
    """Filter with several criteria."""
    options = arguments["options"]
    return f"Query: {arguments['query']} (limit={options['limit']}, offset={options['offset']})"


# endregion

if __name__ == "__main__":
    server.run()
