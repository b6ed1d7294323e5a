(* Functions that an engine can call, and some that it cannot. *)
PacletObject[<|
    "Name" -> "Counting",
    "Version" -> "2.0.0",
    "Extensions" -> {
        { "Kernel", "Root" -> "Kernel", "Context" -> { "Counting`", { "Counting`Words`", "Words.wl" } } },
        { "AgentTools",
            "Tools" -> {
                "Add", "Words", "Started", "Divide", "Draw", "Contents", "Lacking", "Strange",
                "Journey", "Unfit", "Slow"
            },
            "MCPPrompts" -> { "Tally" },
            "MCPServers" -> { "Abacus" }
        }
    }
|>]
