<| "Description" -> "Only a function", "Function" -> Identity |>
