<|
    "Name" -> "Letter",
    "Arguments" -> {
        <| "Name" -> "to", "Description" -> "Who gets it", "Required" -> True |>,
        <| "Name" -> "from" |>
    },
    "Content" -> StringTemplate[ "Dear `to`,\nyours `2`" ]
|>
