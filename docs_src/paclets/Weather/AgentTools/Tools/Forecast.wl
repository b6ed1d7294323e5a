<|
    "Name" -> "forecast",
    "Description" -> "Tells what the weather will be like.",
    "Function" -> Acme`Weather`forecast,
    "Parameters" -> {
        "place" -> <| "Interpreter" -> "City", "Help" -> "Where" |>,
        "days" -> <|
            "Interpreter" -> Restricted[ "Integer", { 1, 10 } ],
            "Help" -> "For how many days",
            "Required" -> False
        |>,
        "units" -> { "metric", "imperial" }
    }
|>
