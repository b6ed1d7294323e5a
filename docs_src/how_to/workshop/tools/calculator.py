from paddock import Parameter, Tool

calculator = Tool(
    "calculate",
    lambda arguments: arguments["left"] + arguments["right"],
    description="Add two numbers",
    parameters=[
        Parameter("left", "number", required=True),
        Parameter("right", "number", required=True),
    ],
)
