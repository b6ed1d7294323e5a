<|
    "Name" -> "Sky",
    "Initialization" :> Needs[ "Acme`Weather`" ],
    "LLMEvaluator" -> <|
        "Tools" -> { "Forecast" },
        "MCPPrompts" -> { "Packing" }
    |>
|>
