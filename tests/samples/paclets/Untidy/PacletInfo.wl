(* Nothing in it is right, and everything can be read. *)
PacletObject[<|
    "Name" -> "Untidy",
    "Extensions" -> { { "AgentTools",
        "Tool" -> { "Slip" },
        "Tools" -> { "Bare", "Nameless", "Odd", "bare" },
        "MCPPrompts" -> { "Nameless" },
        "MCPServers" -> { "Mixed", "Missing" }
    } }
|>]
