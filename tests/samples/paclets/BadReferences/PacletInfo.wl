PacletObject[<| "Name" -> "BadReferences", "Version" -> "1.0.0", "Extensions" -> { { "AgentTools",
    "MCPServers" -> { "Lost" } } } |>]
