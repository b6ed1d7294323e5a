PacletObject[<|
    "Name" -> "Acme/Weather",
    "Version" -> "1.0.0",
    "Extensions" -> {
        { "Kernel", "Root" -> "Kernel", "Context" -> { "Acme`Weather`" } },
        { "AgentTools",
            "Root" -> "AgentTools",
            "Tools" -> { { "Forecast", "What the weather will be like" } },
            "MCPPrompts" -> { "Packing" },
            "MCPServers" -> { { "Sky", "The weather where you travel" } }
        }
    }
|>]
