<| "Name" -> "beside_closed", "Function" -> Identity, "Parameters" -> { } |>
