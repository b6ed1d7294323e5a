PacletObject[<|
    "Name" -> "Combined",
    "Version" -> "0.3.1",
    "Extensions" -> { { "AgentTools", "Root" -> ".", "Tools" -> { "First", "Second", "Third", "Absent" } } }
|>]
