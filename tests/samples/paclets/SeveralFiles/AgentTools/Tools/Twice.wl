<| "Name" -> "twice", "Function" -> Identity, "Parameters" -> { } |>
