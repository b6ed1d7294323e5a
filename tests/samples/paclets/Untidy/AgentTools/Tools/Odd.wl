<| "Name" -> "odd", "Description" -> "Odd", "Function" -> Identity, "Parameters" -> 42 |>
