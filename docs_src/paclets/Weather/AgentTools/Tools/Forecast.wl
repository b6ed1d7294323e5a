<|
    "Name" -> "forecast",
    "Description" -> "Returns the weather forecast.",
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
