import operator
from pathlib import Path

from paddock import CallToolResult, ImageContent, Parameter, Server, TextContent, Tool

OPERATIONS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}
DOT = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108000000003a7e9b55"
    "0000000a49444154789c6360000000020001e221bc330000000049454e44ae426082"
)


# region: calculate
def calculate(arguments: dict[str, str]) -> dict[str, float]:
    left, symbol, right = arguments["expression"].split()
    return {"result": OPERATIONS[symbol](float(left), float(right))}


calculator = Tool(
    "calculate",
    calculate,
    description="Perform basic arithmetic",
    parameters=[
        Parameter(
            "expression",
            type="string",
            description="Two numbers and one of the operators + - * /, such as 6 * 7",
            required=True,
        )
    ],
)
# endregion


# region: parameters
repeater = Tool(
    "repeat",
    lambda arguments: arguments["separator"].join([arguments["text"]] * arguments["times"]),
    description="Repeat a text",
    parameters=[
        Parameter("text", description="Text to repeat", required=True),
        Parameter("times", "integer", "Number of repetitions", default=2),
        Parameter("separator", default=" "),
    ],
)
# endregion


# region: several
def analyze(arguments: dict[str, str]) -> list[TextContent | ImageContent]:
    return [
        TextContent(f"Analysis of {arguments['data']} is complete"),
        ImageContent(DOT, "image/png"),
        TextContent("See the chart above for details"),
    ]


analyzer = Tool(
    "analyze_data",
    analyze,
    description="Analyze data and return text and an image",
    parameters=[Parameter("data", description="Data to analyze", required=True)],
    return_type=list[TextContent | ImageContent],
)
# endregion


# region: errors
def read(arguments: dict[str, str]) -> TextContent | CallToolResult:
    path = Path(arguments["path"])
    if not path.is_file():
        return CallToolResult(content=[TextContent("File not found")], is_error=True)
    return TextContent(path.read_text(encoding="utf-8"))


reader = Tool(
    "read_text",
    read,
    description="Read a text file",
    parameters=[Parameter("path", description="File path", required=True)],
)
# endregion

# region: register
server = Server("explicit", version="1.0", tools=[calculator, repeater])
server.register(analyzer)
server.register([reader])
# endregion

if __name__ == "__main__":
    server.run()
