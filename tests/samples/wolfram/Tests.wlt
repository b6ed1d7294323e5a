BeginTestSection["Weather"]

VerificationTest[
    Needs[ "Meadow`Weather`" ],
    Null,
    TestID -> "LoadContext@@Tests/Weather.wlt:3,1-7,2"
]

VerificationTest[
    Forecast[ "Nowhere at all" ],
    $Failed,
    { Forecast::noplace },
    SameTest -> MatchQ,
    TimeConstraint -> Quantity[ 5, "Seconds" ],
    TestID -> "NoPlace"
]

VerificationTest[
    StringContainsQ[ Forecast[ "Oslo", 2 ] // ToString, "\t\"High\"" ~~ __ ~~ "\n" ],
    True,
    TestID -> "High"
]

EndTestSection[]
