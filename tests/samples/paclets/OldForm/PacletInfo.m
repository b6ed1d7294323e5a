(* Paclet Info File *)
Paclet[
    Name -> "OldForm",
    Version -> "2.0",
    MathematicaVersion -> "10+",
    Extensions -> {
        {"Kernel", Root -> ".", Context -> "OldForm`"},
        {"AgentTools", Root -> "Mcp", Tools -> {"Old"}}
    }
]
