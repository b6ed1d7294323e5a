LLMTool[ { "next", "Adds one" }, { "x" -> "Integer" }, #x + 1 & ]
