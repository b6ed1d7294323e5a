<|
    "Name" -> "unfinished",
    "Parameters" -> { "x" -> ]
|>
