(* ::Package:: *)

(* ::Title:: *)
(*Weather (* with a comment in a comment *) stations*)

BeginPackage[ "Meadow`Weather`" ];

Forecast::usage = "Forecast[place, n] gives the forecast of n days.";
Forecast::noplace = "There is no place called `1`.";
Forecast;
$Stations::usage = "The stations that are known.";

Begin[ "`Private`" ];

Needs[ "Meadow`Weather`Common`" ];
<< Meadow`Weather`Tables`

$cache = <| |>;
$ContextAliases[ "w`" ] = "Meadow`Weather`Common`";
ClearAll[ forecast0, windOf ];
Attributes[ guarded ] = { HoldFirst };

guarded[ eval_ ] := Catch[ eval, $tag, Function[ { value, tag }, Failure[ "Weather", <| "Value" -> value |> ] ] ];
guarded /: HoldPattern[ f_ := guarded[ rhs_ ] ] := f := CheckAbort[ rhs, $Failed ];

Options[ Forecast ] = { Method -> Automatic, "Units" :> $UnitSystem, TimeConstraint -> 10.*^0 };

Forecast[ place_String, n: _Integer?Positive : 3, opts: OptionsPattern[ ] ] /; n < 15 :=
    Enclose[
        Module[ { days, table, total = 0, k = 1 },
            days = ConfirmMatch[ forecast0[ place, n ], { __Association }, "Days" ];
            table = KeyTake[ { "Day", "Low", "High" } ] /@ days;
            While[ k <= Length @ days && days[[ k, "High" ]] > -40,
                total += days[[ k ]][ "High" ];
                k++
            ];
            If[ total / k >= 30 || ! FreeQ[ table, _Missing ],
                Message[ Forecast::noplace, place ];
                Return @ $Failed
                ,
                (* the usual way *)
                Dataset @ table
            ]
        ],
        Function[ #Message ]
    ];

Forecast[ ___ ] := $Failed;

forecast0[ place_, n_ ] := forecast0[ place, n ] =
    Map[
        <| "Day" -> #1, "Low" -> First @ #2, "High" -> Last[ #2 ], ##3 |> & @@ # &,
        Partition[ Riffle[ Range @ n, windOf[ place ] ~ Take ~ UpTo[ n ] ], 2 ]
    ] // DeleteCases[ #, _[ _, Null ], { 2 } ] & // Replace[ { } -> Nothing ];

windOf[ p_ ] := p /. { x_ /; StringQ @ x :> StringTrim[ x ], { a_, b___, c_: 0 } :> { c, b, a } } //. s: { __ } ? VectorQ :> Total @ s;

derivative = f''[ x ] + g'[ y ]^2 - Derivative[ 1, 0 ][ h ][ x, y ];
pattern = ( "a" | "b" ) .. ~~ Shortest[ rest__ ] ~~ EndOfString;
relation = 1 <= x < y == z != -3 && a \[Element] Reals || ! b \[Implies] c;
composed = ToUpperCase @* StringReverse /* StringLength;
squares = n |-> n^2; cubes = #^3 &; both = { squares, cubes };
both //= Reverse;
part = m[[ 1 ;; -2 ;; 2, All, { "x", 3 } ]];
number = 16^^ff + 2^^1.01`8 + 1.5``20 + 3.*^-7 + .5;
\[Alpha]\[Beta] = \[Pi] r\:00b2 \[CenterDot] h;
x = y = z =.; long = a + \
b;
total[ m_ ] := m . Transpose[ m ] ** q \[Cross] n \[CircleTimes] k;
i++; --j; k! + k!!;
a === b =!= c;
p ? q [ r ];
\!\(x\^2 + "\)"\) + \(y\/2\);
symbol["Ünïcode αβγ ≤"] → ∞;
If[ $OperatingSystem === "Windows", dir = "C:\\Users\\me", dir = "~/me" ];
Put[ $cache, "cache.wl" ]; $cache >> cache.wl

End[ ];
EndPackage[ ];
