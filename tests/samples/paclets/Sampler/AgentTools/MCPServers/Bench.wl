<|
    "Name" -> "Bench",
    "Initialization" :> Needs[ "SamplePublisher`Sampler`" ],
    "LLMEvaluator" -> <|
        "Tools" -> { "Echo", "Count", "Next", "DemoGreet", "SamplePublisher/Sampler/Echo" },
        "MCPPrompts" -> { "Greeting", "Letter" },
        "Prompts" -> { "Count before you echo." }
    |>
|>
