<|
    "Name" -> "Abacus",
    "Initialization" :> (Counting`$started = 10),
    "LLMEvaluator" -> <|
        "Tools" -> {
            "Add", "Words", "Started", "Divide", "Draw", "Contents", "Lacking", "Strange", "Journey", "Unfit",
            "Slow"
        },
        "MCPPrompts" -> { "Tally" }
    |>
|>
