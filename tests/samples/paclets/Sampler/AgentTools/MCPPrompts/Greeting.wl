<| "Name" -> "Greeting", "Description" -> "Says hello", "Type" -> "Text", "Content" -> "Hello {there}" |>
