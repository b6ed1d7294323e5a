from paddock.wolfram import evaluate, input_form, parse, parse_strict

source = parse("""
half[x_] := x/2;
broken = {1, 2
next = f /@ {3}
""")
for problem in source.problems:
    line, column = source.get_position(problem.start)
    print(f"{line}:{column}: {problem.message}")
for expression in source.expressions:
    print(input_form(expression))

(definition,) = parse_strict('<|"Name" -> "Half", "Limit" -> 24*60, "Function" -> (#x/2 &)|>')
print(evaluate(definition))
