<| "Name" -> "NoEvaluator", "Tools" -> { } |>
