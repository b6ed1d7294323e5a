PacletObject[<| "Name" -> "BadContents", "Version" -> "1.0.0", "Extensions" -> { { "AgentTools",
    "Tools" -> { "Text", "Computed", "NoFunction", "Unfinished", "NotUtf8" },
    "MCPPrompts" -> { "Empty" },
    "MCPServers" -> { "NoEvaluator" } } } |>]
