<| "Name" -> "old", "Function" -> OldForm`old, "Parameters" -> { } |>
