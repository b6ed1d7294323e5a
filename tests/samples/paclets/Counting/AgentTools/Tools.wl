<|
    "Add" -> <|
        "Name" -> "add",
        "Description" -> "Adds two numbers",
        "Function" -> Counting`add,
        "Parameters" -> { "x" -> "Integer", "y" -> <| "Interpreter" -> "Integer", "Required" -> False |> }
    |>,
    "Words" -> <|
        "Name" -> "words",
        "Description" -> "Counts words",
        "Function" -> (<| "String" -> ToString[ Counting`Words`countWords[ #text ] ] <> " words" |> &),
        "Parameters" -> { "text" }
    |>,
    "Started" -> <|
        "Name" -> "started",
        "Description" -> "How often it was started",
        "Function" -> (Counting`$started &),
        "Parameters" -> { },
        "Initialization" :> (Needs[ "Counting`" ]; Counting`$started += 1)
    |>,
    "Divide" -> <|
        "Name" -> "divide",
        "Description" -> "Divides",
        "Function" -> Counting`divide,
        "Parameters" -> { "what" -> "Integer", "by" -> "Integer" }
    |>,
    "Draw" -> <|
        "Name" -> "draw",
        "Description" -> "Draws a disk",
        "Function" -> (Graphics[ Disk[ { 0, 0 }, #radius ] ] &),
        "Parameters" -> { "radius" -> "Number" }
    |>,
    "Contents" -> <|
        "Name" -> "contents",
        "Description" -> "Several kinds of content",
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
        "Description" -> "Needs what engines lack",
        "Function" -> Counting`lacking,
        "Parameters" -> { "query" }
    |>,
    "Strange" -> <|
        "Name" -> "strange",
        "Description" -> "Calls what nobody defines",
        "Function" -> (Counting`nowhere[ frobnicate[ #x ], Module[ { f = # & }, f[ 1 ] ] ] &),
        "Parameters" -> { "x" }
    |>,
    "Journey" -> <|
        "Name" -> "journey",
        "Description" -> "Needs an interpreter",
        "Function" -> Counting`journey,
        "Parameters" -> { "to" -> "City" }
    |>,
    "Unfit" -> <|
        "Name" -> "unfit",
        "Description" -> "Has no definition for texts",
        "Function" -> Counting`fit,
        "Parameters" -> { "x" }
    |>,
    "Slow" -> <|
        "Name" -> "slow",
        "Description" -> "Never ends",
        "Function" -> (While[ True ] &),
        "Parameters" -> { }
    |>
|>
