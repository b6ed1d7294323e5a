<|
    "Name" -> "Tally",
    "Description" -> "Has things counted",
    "Type" -> "Function",
    "Arguments" -> { <| "Name" -> "things" |> },
    "Content" -> Counting`tally
|>
