<| "Name" -> "own_second", "Function" -> Identity, "Parameters" -> { } |>
