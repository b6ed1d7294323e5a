<|
    "Name" -> "everything",
    "Function" -> Identity,
    "Parameters" -> {
        "plain"    -> "Number",
        "flag"     -> <| "Interpreter" -> "Boolean", "Help" -> Missing[ "NotSpecified" ], "Required" -> False |>,
        "colour"   -> <| "Interpreter" -> { "red", "green" }, "Help" -> "Of the line" |>,
        "size"     -> { "small" -> 1, "large" -> 2 },
        "limited"  -> Restricted[ "Integer", { 1, 10 } ],
        "odd"      -> Restricted[ "Integer", { 1, 7, 2 } ],
        "positive" -> Restricted[ "Number", { 0, Infinity } ],
        "below"    -> Restricted[ "Number", 2.5 ],
        "one"      -> Restricted[ "String", { { "a", "b" } } ],
        "code"     -> Restricted[ "String", RegularExpression[ "(?s)[[:alpha:]]{2}\\d+" ] ],
        "digits"   -> Restricted[ "String", DigitCharacter.., { 2, 4 } ],
        "words"    -> RepeatingElement[ "String", { 1, 3 } ],
        "several"  -> RepeatingElement[ Restricted[ "Integer", { 0, 9 } ] ],
        "subset"   -> AnySubset[ { "x", "y" } ],
        "pair"     -> CompoundElement[ { "String", "Integer" } ],
        "point"    -> CompoundElement[ <| "x" -> "Number", "y" -> "Number" |> ],
        "either"   -> "Integer" | "Boolean",
        "wrapped"  -> Interpreter[ "Integer" ],
        "city"     -> <| "Interpreter" -> "City", "Help" -> "Where" |>,
        "cities"   -> RepeatingElement[ "City" ],
        "custom"   -> (ToUpperCase[ # ] &),
        "fallback" -> <| "Interpreter" -> "Integer", "Default" -> 3 |>
    }
|>
