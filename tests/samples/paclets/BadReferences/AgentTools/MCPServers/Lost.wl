<| "Name" -> "Lost", "LLMEvaluator" -> <| "Tools" -> { "Nowhere" }, "MCPPrompts" -> { "Neither" } |> |>
