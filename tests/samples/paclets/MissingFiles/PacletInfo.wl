PacletObject[<| "Name" -> "MissingFiles", "Version" -> "1.0.0", "Extensions" -> { { "AgentTools",
    "Root" -> "NoSuchDirectory", "MCPServers" -> { "Server" }, "Tools" -> { "Tool" }, "MCPPrompts" -> { "Prompt" } } } |>]
