(* ::Package:: *)

(* ::Title:: *)
(*Tides*)

BeginPackage[ "Harbour`Tides`" ];

TideTable::usage  = "TideTable[port, date] gives the tides of a day as an association.";
TideTable::noport = "There is no port called `1`.";
$Ports::usage     = "The ports that are known.";

Begin[ "`Private`" ];

Needs[ "Harbour`Astronomy`" -> None ];
Needs[ "Harbour`Common`" ];

$cache = <| |>;
$tag   = "Harbour`Tides`Failed";

(* ::Section:: *)
(*Tide tables*)

Options[ TideTable ] = { "Unit" -> "Meters", Method -> Automatic };

TideTable[ port_String, opts: OptionsPattern[ ] ] := TideTable[ port, Today, opts ];

TideTable[ port_String, date_DateObject, OptionsPattern[ ] ] :=
    Catch[
        Module[ { station, heights, table },
            station = findStation @ port;
            heights = Lookup[ $cache, Key[ { port, date } ], compute[ station, date ] ];
            table   = Association @ Table[
                hour -> UnitConvert[ heights[[ hour ]], OptionValue[ "Unit" ] ],
                { hour, Length @ heights }
            ];
            AssociateTo[ $cache, { port, date } -> heights ];
            table
        ],
        $tag
    ];

TideTable[ ___ ] := $Failed;

(* ::Section:: *)
(*Stations*)

findStation[ port_ ] := With[
    { found = SelectFirst[ $Ports, #Name === port && ! MissingQ @ #Position & ] },
    If[ MissingQ @ found,
        Message[ TideTable::noport, port ];
        Throw[ $Failed, $tag ],
        found
    ]
];

compute[ KeyValuePattern @ { "Name" -> name_, "Position" -> { lat_, lon_ } }, date_ ] :=
    Block[ { $RecursionLimit = 512 },
        Switch[ { lat, lon },
            { _? NumericQ, _? NumericQ }, moonHeights[ lat, lon, date ],
            _GeoPosition, moonHeights[ Sequence @@ lat, date ],
            _, Throw[ Failure[ "Tides", <| "MessageTemplate" -> "`1`", "Port" -> name |> ], $tag ]
        ]
    ];

moonHeights[ lat_, lon_, date_ ] := Map[
    Function[ hour, 2.4 Cos[ 2 Pi (hour - 12) / 24.84 ] Cos[ lat Degree ]^2 + 0.3 Sin[ lon Degree ] ],
    Range[ 24 ]
] + seasonal @ date;

seasonal[ date_ ] := Which[
    DateValue[ date, "Month" ] <= 2, 0.1,
    DateValue[ date, "Month" ] >= 11, 0.2,
    True, 0.
];

$Ports = {
    <| "Name" -> "Saint-Malo", "Position" -> { 48.65, -2.01 } |>,
    <| "Name" -> "Cherbourg", "Position" -> { 49.65, -1.62 } |>
};

End[ ];
EndPackage[ ];
