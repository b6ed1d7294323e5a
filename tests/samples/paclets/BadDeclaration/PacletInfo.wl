PacletObject[<| "Name" -> "BadDeclaration", "Version" -> "1.0.0", "Extensions" -> { { "AgentTools",
    "Bogus" -> 1, "AlsoBogus" -> { "x" -> y },
    "MCPServers" -> "NotAList",
    "Tools" -> { "Good", 123, { 42 }, "Good" } } } |>]
