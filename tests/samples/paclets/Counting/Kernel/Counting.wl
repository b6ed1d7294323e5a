(* ::Package:: *)

BeginPackage[ "Counting`", { "Counting`Words`" } ];

add::usage = "add[as] adds the numbers x and y.";
divide;
lacking;
tally;
journey;
fit;
$started;

Begin[ "`Private`" ];

add[ KeyValuePattern[ { "x" -> x_, "y" -> y_ } ] ] := sum[ x, given[ y, 1 ] ]

sum[ x_, y_ ] := Module[ { total = 0 },
    total = x + y;
    total
]

given[ _Missing, default_ ] := default
given[ value_, _ ] := value

divide[ as_Association ] := If[ as[ "by" ] === 0,
    Failure[ "DivisionByZero", <| "MessageTemplate" -> "`1` cannot be divided by zero", "MessageParameters" -> { as[ "what" ] } |> ],
    as[ "what" ] / as[ "by" ]
]

lacking[ as_ ] := WebSearch[ as[ "query" ] ]

tally[ as_ ] := "Count the " <> as[ "things" ] <> ": " <> ToString[ countWords[ as[ "things" ] ] ]

journey[ as_ ] := as

fit[ x_Integer ] := x

$started = 0;

End[ ];
EndPackage[ ];
