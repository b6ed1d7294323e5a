(* Every form in which an item can be declared. *)
PacletObject[<|
    "Name" -> "SamplePublisher/Sampler",
    "Description" -> "Tools, a prompt and a server to try things with",
    "Version" -> "1.2.0",
    "WolframVersion" -> "14.1+",
    "Extensions" -> {
        { "Kernel", "Root" -> "Kernel", "Context" -> { "SamplePublisher`Sampler`" } },
        { "AgentTools",
            "MCPServers" -> { <| "Name" -> "Bench", "Tools" -> { "Echo" } |> },
            "Tools" -> {
                "Echo",
                { "Count", "Counts characters" },
                <| "Name" -> "Next", "Description" -> "The next number", "Parameters" -> { "x" -> <| |> } |>
            },
            "MCPPrompts" -> { "Greeting", "Letter" }
        },
        { "AgentTools", "Root" -> "Ignored", "Tools" -> { "NeverSeen" } }
    }
|>]
