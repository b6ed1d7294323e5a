(* Mathematics as people write it in notebooks: implicit products, Greek letters, patterns. *)

kinetic[m_, v_] := 1/2 m v^2
potential[m_, g_: 9.81][h_] := m g h

\[Omega] = Sqrt[k/m];
x[t_] := A Cos[\[Omega] t + \[Phi]] E^(-\[Gamma] t)

solution = DSolve[{y''[t] + 2 \[Gamma] y'[t] + \[Omega]^2 y[t] == 0, y[0] == 1, y'[0] == 0}, y, t];
energy = kinetic[m, D[x[t], t]] + 1/2 k x[t]^2 // Simplify;

rules = {
	Sin[a_]^2 + Cos[a_]^2 -> 1,
	Log[a_ b_] :> Log[a] + Log[b] /; a > 0 && b > 0,
	(a_ : 1) x_^n_. :> {a, x, n}
};

series = Normal @ Series[Exp[I \[Theta]], {\[Theta], 0, 8}] /. \[Theta] -> 0.1;
matrix = {{Cos[\[Alpha]], -Sin[\[Alpha]]}, {Sin[\[Alpha]], Cos[\[Alpha]]}};
area = \[Integral] x^2 \[DifferentialD] x;
limits = -1 <= a < b == c && ! (d || e);

plot = Plot[Evaluate[{x[t], x'[t]} /. {A -> 1, k -> 4, m -> 1, \[Phi] -> 0, \[Gamma] -> 0.2}], {t, 0, 10},
	PlotLegends -> {"x", "v"},
	Frame -> True,
	FrameLabel -> {"t / s", "x / m"}
]

fit = NonlinearModelFit[data, a + b t + c t^2, {a, b, c}, t]["BestFitParameters"];
words = StringCases[text, c: CharacterRange["a", "z"] .. ~~ " " :> ToUpperCase[c]];
tree = NestList[Flatten[{2 #, 3 # + 1}] &, {1}, 5];
memo[0] = memo[1] = 1;
memo[n_Integer?Positive] := memo[n] = memo[n - 1] + memo[n - 2]
