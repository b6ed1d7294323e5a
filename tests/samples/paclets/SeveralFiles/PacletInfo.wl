PacletObject[<| "Name" -> "SeveralFiles", "Version" -> "1.0.0", "Extensions" -> { { "AgentTools",
    "Tools" -> { "Twice", "BesideClosed", "OnlyClosed" } } } |>]
