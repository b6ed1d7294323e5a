<|
    "Description" -> "Every kind of name",
    "LLMEvaluator" -> <|
        "Tools" -> { "bare", "DemoDice", "Untidy/Odd", "Untidy/Stray", "Nobody/Else/Tool", "Nameles" },
        "MCPPrompts" -> { "DemoTour", "Nameless", "Greeting" }
    |>
|>
