<| "Name" -> "stray", "Function" -> Identity, "Parameters" -> { } |>
