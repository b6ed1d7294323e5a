<| "Name" -> "café" |>
