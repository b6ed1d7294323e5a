"""The Python libraries that both tests and benchmarks run, at the versions that we know."""

from external.environments import PythonEnvironment

OFFICIAL = PythonEnvironment("official-sdk", ("mcp==2.3.0",))
OFFICIAL_V1 = PythonEnvironment("official-sdk-v1", ("mcp==1.30.0",))
FASTMCP = PythonEnvironment(
    "fastmcp",
    # What fastmcp 4.1.4 asks for, but for a release of certifi that not every index has.
    (
        "authlib>=1.6.11",
        "certifi",
        "cyclopts>=4.0.0",
        "exceptiongroup>=1.2.2",
        "griffelib>=2.0.0",
        "httpx2>=2.5.0",
        "joserfc>=1.5.0",
        "jsonref>=1.1.0",
        "jsonschema-path>=0.3.4",
        "mcp==2.3.0",
        "openapi-pydantic>=0.6.0",
        "opentelemetry-api>=1.28.0",
        "packaging>=24.0",
        "platformdirs>=4.0.0",
        "py-key-value-aio[filetree,memory]>=0.4.4,<0.5.0",
        "pydantic-settings>=2.0.0",
        "pydantic[email]>=2.12.0",
        "pyperclip>=1.9.0",
        "python-dotenv>=1.1.0",
        "python-multipart>=0.0.26",
        "pyyaml>=6.0,<7.0",
        "rich>=13.9.4",
        "starlette>=1.0.1",
        "typing-extensions>=4.0.0",
        "uncalled-for>=0.4.0",
        "uvicorn>=0.35",
        "watchfiles>=1.0.0",
        "websockets>=15.0.1",
    ),
    exempt=("fastmcp==4.1.4", "fastmcp-slim==4.1.4"),
)
