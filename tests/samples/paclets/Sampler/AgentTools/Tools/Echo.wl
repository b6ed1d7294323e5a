<|
    "Name"        -> "echo",
    "DisplayName" -> "Echo",
    "Description" -> "Gives back " <> "what it is given",
    "Function"    -> SamplePublisher`Sampler`echo,
    "Parameters"  -> {
        "text"  -> <| "Interpreter" -> "String", "Help" -> "What to give back" |>,
        "times" -> <| "Interpreter" -> "Integer", "Help" -> "How often", "Required" -> False |>
    },
    "Options"        -> { "MaxTimes" -> 10, "Method" -> Automatic },
    "Initialization" :> Needs[ "SamplePublisher`Sampler`" ]
|>
