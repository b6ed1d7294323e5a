<| "Name" -> "good", "Function" -> Identity, "Parameters" -> { } |>
