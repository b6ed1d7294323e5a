<|
    "First"  -> <| "Name" -> "first", "Function" -> Identity, "Parameters" -> { } |>,
    "Second" -> <| "Name" -> "combined_second", "Function" -> Identity, "Parameters" -> { } |>,
    "Third"  -> <| "Name" -> "combined_third", "Function" -> Identity, "Parameters" -> { } |>
|>
