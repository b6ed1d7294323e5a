<| "Name" -> "own_third", "Function" -> Identity,
   "Parameters" -> { |>
