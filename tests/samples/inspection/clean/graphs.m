(* Old style: tabs, no operators for associations, Needs at the top. *)
BeginPackage["Paths`", {"Utilities`FilterOptions`"}]

Unprotect[ShortestRoute, RouteLength];

ShortestRoute::usage = "ShortestRoute[g, a, b] gives the vertices of the shortest route from a to b in g."
RouteLength::usage = "RouteLength[g, route] gives the length of a route."

Begin["`Private`"]

RouteLength[g_, {_}] := 0
RouteLength[g_, route_List] :=
	Total[EdgeWeight[g, Rule @@ #] & /@ Partition[route, 2, 1]]

ShortestRoute[g_, a_, a_] := {a}
ShortestRoute[g_, a_, b_] :=
	Module[{dist, prev, queue, u, alt, i = 0},
		dist[_] = Infinity;
		dist[a] = 0;
		queue = VertexList[g];
		While[queue =!= {} && i < 10^6,
			i++;
			u = First[SortBy[queue, dist]];
			queue = DeleteCases[queue, u];
			Do[
				alt = dist[u] + EdgeWeight[g, u -> v];
				If[alt < dist[v],
					dist[v] = alt;
					prev[v] = u
				],
				{v, Neighbours[g, u]}
			]
		];
		Reverse[NestWhileList[prev, b, # =!= a &]]
	] /; MemberQ[VertexList[g], b]

(* a matrix, and a product over two lines that says so *)
weights[m_?MatrixQ, n_Integer:1] := MatrixPower[m, n] . Transpose[m] *
	Table[If[i == j, 1, 0], {i, Length[m]}, {j, Length[m]}]

Format[r:Route[v__]] := Row[{v}, "\[Rule]"]
Route /: Length[Route[v__]] := Length[{v}]
Route /: Route[a__] ~Join~ Route[b__] := Route[a, b]

End[]

Protect[ShortestRoute, RouteLength];

EndPackage[]
