<|
    "Name" -> "Packing",
    "Description" -> "What to pack for a journey",
    "Arguments" -> { <| "Name" -> "place", "Description" -> "Where to", "Required" -> True |> },
    "Content" -> StringTemplate[ "I travel to `place`. What do I pack for the weather there?" ]
|>
