<| "Name" -> "Empty" |>
