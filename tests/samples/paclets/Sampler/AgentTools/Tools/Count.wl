Begin[ "SamplePublisher`Sampler`Private`" ];
Needs[ "SamplePublisher`Sampler`" ]

(* The last expression is what the file is worth. *)
<|
    "Name"       -> "count",
    "Function"   -> (StringLength[ #text ] &),
    "Parameters" -> { "text" }
|>
