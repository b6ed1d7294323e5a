(* ::Package:: *)

PacletObject[ <|
    "Name"           -> "Meadow/Weather",
    "Description"    -> "Tools that answer questions about the weather \[LongDash] today\[CloseCurlyQuote]s and tomorrow\[CloseCurlyQuote]s",
    "Creator"        -> "Ren\[EAcute]e K\[ODoubleDot]hler",
    "Version"        -> "1.4.0",
    "WolframVersion" -> "13.3+",
    "PublisherID"    -> "Meadow",
    "Extensions"     -> {
        { "Kernel", "Root" -> "Kernel", "Context" -> { "Meadow`Weather`" } },
        { "Asset", "Root" -> "Assets", "Assets" -> { { "Stations", "./stations.wxf" }, { "Icon", "icon.png" } } },
        { "AgentTools",
            "Root"  -> "AgentTools",
            "Tools" -> {
                "Forecast",
                { "Station", "Nearest weather station" },
                <| "Name" -> "Wind", "Description" -> "Wind at a place, in " <> "m/s", "Limit" -> 2*50 |>
            },
            "MCPServers"    -> { "Weather" },
            "LLMPrompts" -> { "Explain" }
        }
    }
|> ]
