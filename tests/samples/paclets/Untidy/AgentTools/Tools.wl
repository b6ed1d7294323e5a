<|
    "Bare" -> <| |>,
    "Extra" -> <| |>,
    "bare" -> <| "Name" -> "bare", "Description" -> "In order", "Function" -> Identity, "Parameters" -> { } |>
|>
