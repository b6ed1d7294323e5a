<|
    "Add" -> <|
        "Name" -> "add",
        "Function" -> Counting`add,
        "Parameters" -> { "x" -> "Integer", "y" -> <| "Interpreter" -> "Integer", "Required" -> False |> }
    |>,
    "Words" -> <|
        "Name" -> "words",
        "Function" -> (<| "String" -> ToString[ Counting`Words`countWords[ #text ] ] <> " words" |> &),
        "Parameters" -> { "text" }
    |>,
    "Started" -> <|
        "Name" -> "started",
        "Function" -> (Counting`$started &),
        "Parameters" -> { },
        "Initialization" :> (Needs[ "Counting`" ]; Counting`$started += 1)
    |>,
    "Divide" -> <|
        "Name" -> "divide",
        "Function" -> Counting`divide,
        "Parameters" -> { "what" -> "Integer", "by" -> "Integer" }
    |>,
    "Draw" -> <|
        "Name" -> "draw",
        "Function" -> (Graphics[ Disk[ { 0, 0 }, #radius ] ] &),
        "Parameters" -> { "radius" -> "Number" }
    |>,
    "Contents" -> <|
        "Name" -> "contents",
        "Function" -> (<|
            "Content" -> {
                <| "type" -> "text", "text" -> #shape |>,
                "two",
                <| "type" -> "image", "data" -> "iVBORw0KGgo=", "mimeType" -> "image/png" |>
            },
            "_meta" -> <| "place" -> 3 |>
        |> &),
        "Parameters" -> { "shape" -> { "round" -> "a circle", "square" -> "a square" } }
    |>,
    "Lacking" -> <|
        "Name" -> "lacking",
        "Function" -> Counting`lacking,
        "Parameters" -> { "query" }
    |>,
    "Strange" -> <|
        "Name" -> "strange",
        "Function" -> (Counting`nowhere[ frobnicate[ #x ], Module[ { f = # & }, f[ 1 ] ] ] &),
        "Parameters" -> { "x" }
    |>,
    "Journey" -> <|
        "Name" -> "journey",
        "Function" -> Counting`journey,
        "Parameters" -> { "to" -> "City" }
    |>,
    "Unfit" -> <|
        "Name" -> "unfit",
        "Function" -> Counting`fit,
        "Parameters" -> { "x" }
    |>,
    "Slow" -> <|
        "Name" -> "slow",
        "Function" -> (While[ True ] &),
        "Parameters" -> { }
    |>
|>
