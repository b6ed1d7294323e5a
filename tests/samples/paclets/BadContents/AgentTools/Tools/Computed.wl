Join[ commonProperties, <| "Name" -> "computed" |> ]
