PacletObject[<| "Name" -> "Interpreters", "Version" -> "1.0.0", "Extensions" -> <| "AgentTools" -> <| "Tools" -> { "Everything" } |> |> |>]
