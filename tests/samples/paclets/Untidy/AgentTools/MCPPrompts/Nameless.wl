<| "Description" -> "Has no name", "Content" -> "Hello" |>
