BeginPackage[ "Counting`Words`" ]

countWords

Begin[ "`Private`" ]

countWords[ text_String ] := Length[ StringSplit[ text ] ]

End[ ]

EndPackage[ ]
