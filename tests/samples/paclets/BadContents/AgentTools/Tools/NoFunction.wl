<| "Name" -> "no_function", "Parameters" -> { } |>
