Test[
	f[ é, 日 ] === 1,
	True,
	TestID -> "umlaut-\[UDoubleDot]"
];
