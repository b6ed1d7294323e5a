<| "OnlyClosed" -> <| "Name" -> "combined", "Function" -> Identity, "Parameters" -> { } |> |>
