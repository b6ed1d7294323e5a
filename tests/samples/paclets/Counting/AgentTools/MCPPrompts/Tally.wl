<|
    "Name" -> "Tally",
    "Type" -> "Function",
    "Arguments" -> { <| "Name" -> "things" |> },
    "Content" -> Counting`tally
|>
