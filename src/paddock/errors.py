"""The tree of exceptions that Paddock raises, and those that several packages share.

    PaddockError
    ├── DefinitionError            invalid declaration of a tool, prompt, resource or server
    │   ├── ServerDefinitionError      unreadable definition of a server
    │   │   └── NoReferenceError           a function cannot be referred to as `module:name`
    │   ├── ManifestError              invalid manifest
    │   ├── ExtensionError             an extension cannot be loaded or changed
    │   │   ├── ExtensionNotInstalledError
    │   │   ├── ExtensionNotFoundError     the installed package is not an extension
    │   │   ├── ItemNotDeclaredError
    │   │   ├── ScaffoldError              a new extension cannot be created
    │   │   └── InstallExtensionError      an extension cannot or must not be installed
    │   ├── SpecificationError         a value is not an item or a list of items
    │   │   ├── ToolSpecificationError
    │   │   ├── ToolsSpecificationError
    │   │   ├── PromptSpecificationError
    │   │   ├── PromptsSpecificationError
    │   │   ├── ResourceSpecificationError
    │   │   └── ResourcesSpecificationError
    │   ├── ToolNotFoundError
    │   ├── PromptNotFoundError
    │   ├── ResourceNameError          no resource has this name
    │   ├── PromptDataError            a definition uses the unsupported key `PromptData`
    │   └── OptionError                unknown tool option, or a value that it does not accept
    ├── ServerExistsError          the server name is in use
    ├── ServerNotFoundError        no server has this name
    ├── BuiltInServerError         built-in servers cannot be changed
    ├── LoadError                  a file or directory of definitions cannot be loaded
    │   ├── ArchiveError               an archive is unreadable or unsafe
    │   └── CatalogueError             a catalogue or its settings are invalid
    ├── FetchError                 a download failed
    │   └── HashMismatchError          the file differs from the hash in the catalogue
    ├── PacletInfoError            a PacletInfo file does not describe a paclet
    ├── ToolError                  raised by a handler to send its message to the model
    │   ├── ArgumentsError             the arguments of a call do not match the tool's schema
    │   ├── NoDefaultAgentError        the project has no default agent
    │   ├── NoResultError              neither Wolfram|Alpha nor the offline engine has a result
    │   ├── WolframTestsNotFoundError  the test file does not exist
    │   ├── NoTestsInFileError         a test file contains no tests
    │   ├── InvalidTestFileError       a test file cannot be read
    │   ├── PacletPathError            no paclet at this path
    │   ├── PathNotAllowedError        the path is outside the folders that tools may use
    │   ├── InterpreterError           the path is not a Python interpreter
    │   ├── ProgramError               a required program is missing or failed
    │   ├── SymbolFileError            the file to look symbols up in does not exist
    │   ├── DocArgumentError           PythonDoc received no operation, or conflicting ones
    │   ├── DocumentedFileError        a file cannot be documented
    │   ├── DocstringError             a docstring cannot be changed as requested
    │   ├── PageError                  a Markdown page cannot be created or changed as requested
    │   ├── PythonTestsNotFoundError   the file or directory of Python tests does not exist
    │   ├── NoPythonTestsError         pytest found no tests
    │   ├── PytestError                pytest is missing or failed to run
    │   ├── InspectorInputError        missing or conflicting input for CodeInspector
    │   │   ├── NoInputError
    │   │   ├── AmbiguousInputError
    │   │   ├── InspectedFileNotFoundError
    │   │   ├── NoFilesFoundError
    │   │   └── InvalidConfidenceError
    │   ├── PageNotFoundError          the notebook does not exist
    │   ├── PageExistsError            the symbol already has a page
    │   ├── PageFileError              the file of a page cannot be read or written
    │   ├── UnresolvedSymbolsError     Wolfram code uses symbols that the engine does not know
    │   └── NoEngineError              no installed engine can evaluate Wolfram code
    ├── ResultError                a handler's result cannot be encoded or violates its schema
    ├── AskError                   the client declined a request or sent an invalid response
    ├── ProtocolError              reported to the peer as a JSON-RPC error
    │   ├── InvalidParamsError
    │   │   └── ResourceNotFoundError
    │   ├── HeaderMismatchError
    │   ├── MissingCapabilityError
    │   ├── ScopeError
    │   └── UnsupportedVersionError
    ├── ListenError                an address cannot be served
    │   └── PortTakenError             the port is already in use
    ├── WeakTokenError             a token is too easy to guess
    ├── SignInError                wrong user name, password or token
    ├── InvalidTokenError          an access token is invalid
    │   ├── NotAllowedError
    │   └── UndecidedError
    ├── RefusalError               a request that is answered with an HTTP error status
    │   ├── UnauthorizedError
    │   └── ForbiddenError
    ├── ConnectError               a server cannot be started, reached or understood
    │   └── HttpError              an HTTP request failed below the protocol
    │       └── AccessRefusedError     the server requires a token, or a different one
    ├── PeerError                  the server answered with a JSON-RPC error
    ├── AnswerError                the server's response is invalid
    ├── PeerTimeoutError           the server did not answer in time
    ├── CallCancelledError         the client cancelled its own request
    ├── UpstreamError              a mounted remote server is unreachable or does not answer
    ├── DataDirectoryError         Paddock's data directory cannot be read or written
    ├── FileBusyError              another process holds the lock of a file for too long
    ├── ConfigurationError         a client's configuration file cannot be read
    ├── UneditableError            a client's configuration file cannot be changed safely
    ├── UnsupportedClientError     no client has this name
    ├── UnsupportedProjectError    a client has no per-project configuration
    ├── UnknownLocationError       a client has no configuration file on this system
    ├── UnsupportedTransportError  a client supports stdio servers only
    ├── DestinationError           the destination of an installation is ambiguous
    ├── EntryError                 an entry cannot be written as requested
    ├── ForeignEntryError          an entry that Paddock did not write uses the server's key
    ├── CheckFailedError           a server does not answer as its client needs it
    ├── WriteError                 a client's file could not be written
    ├── NotInstalledError          no entry of Paddock's to remove
    ├── LinkError                  a client has no install link for this server
    ├── BundleError                a server cannot be bundled as it is
    ├── KernelError                a kernel cannot be started, or has ended
    ├── EngineError                an engine is not on this machine
    ├── WolframSyntaxError         text is not valid Wolfram Language
    ├── IndexUnavailableError      the documentation index cannot be read or written
    │   └── DamagedIndexError          the index file is corrupt
    ├── UnknownCorpusError         no corpus has this name
    ├── FolderListError            the list of searched folders cannot be read or changed
    ├── ModelError                 a directory contains no sentence model
    ├── DataError                  a Wolfram Language expression does not have the expected form
    ├── WxfError                   bytes are not WXF
    ├── NotebookError              text is not a notebook
    ├── JupyterNotebookError       a file is not a Jupyter notebook
    ├── ReferencePageError         a reference page cannot be created or changed as requested
    │   ├── EmptyUsageError
    │   ├── InvalidUsageFormatError
    │   ├── InvalidOperationError
    │   ├── InvalidSectionError
    │   ├── MissingContentError
    │   ├── InvalidContentError
    │   ├── ExampleNotFoundError
    │   └── InvalidPageError
    ├── ZooError                   an operation on the agent zoo failed
    │   ├── NotInZooError              the zoo does not contain the requested record
    │   │   ├── AgentNotFoundError
    │   │   ├── EntryNotFoundError
    │   │   ├── SkillNotFoundError
    │   │   ├── CategoryNotFoundError
    │   │   ├── AgentVersionNotFoundError
    │   │   ├── LibraryItemNotFoundError
    │   │   └── UserNotFoundError
    │   ├── UserExistsError            the user name is in use
    │   ├── InvalidAgentError          an agent is invalid and cannot be stored
    │   ├── ConflictError              a record was changed since the caller read it
    │   ├── ZooFileError               a file cannot be imported or restored
    │   └── ZooUnavailableError        the database of the zoo cannot be used
    ├── AgentFilesError            files cannot be read as agents, or agents not be written to files
    │   ├── UnknownFormatError         no format of agent files has this name
    │   ├── BundleFormatError          a file is not a bundle of agents
    │   ├── BlockError                 the markers of an agent's block in an AGENTS.md are damaged
    │   ├── AgentTextError             TOML text does not describe an agent
    │   └── SyncFileError              an agent's file cannot be changed, or changed during the sync
    ├── ProjectFileError           a project's zoo settings cannot be read or written
    ├── ArgumentError              a command-line argument does not match the tool's schema
    └── UnexpectedQuestionError    a server under test sent more requests than the test has answers

An error that only one package raises is defined in that package; the errors below are raised by
several. All of them can be imported from here: `from paddock.errors import OptionError` loads the
module that defines the class. Every class has a stable kebab-case `code`. A message states what was
found, where, what was expected, and what to do next.
"""

from __future__ import annotations

from os.path import dirname, join

TYPE_CHECKING = False
if TYPE_CHECKING:
    import logging


class PaddockError(Exception):
    """Base class for Paddock's errors, which the user can usually fix.

    Args:
        message: The problem: what was found and what was expected.
        hint: The next step, appended to the message in parentheses.
        where: The file, server or item concerned; it precedes the message.
    """

    code = "error"

    def __init__(self, message: str, *, hint: str | None = None, where: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.where = where

    def __str__(self) -> str:
        """Return `where: message (hint)`."""
        text = f"{self.where}: {self.message}" if self.where else self.message
        return f"{text} ({self.hint})" if self.hint else text


class DefinitionError(PaddockError):
    """A tool, prompt, resource or server has an invalid declaration."""

    code = "definition"


class LoadError(PaddockError):
    """A file or directory of definitions cannot be loaded."""

    code = "load"


class ConnectError(PaddockError):
    """A server could not be started, reached or understood."""

    code = "connect"


def get_logger() -> logging.Logger:
    """Return Paddock's logger, for modules that are loaded before the first answer."""
    import logging  # noqa: PLC0415 - takes 15 ms, and is needed only after failures

    return logging.getLogger("paddock")


def __getattr__(name: str) -> type[PaddockError]:
    """Import the error class of this name from the module that defines it.

    `error_modules.txt` has a line for each module, with the names of its error classes.
    """
    if name.endswith("Error"):
        with open(join(dirname(__file__), "error_modules.txt"), encoding="ascii") as lines:
            for line in lines:
                module, *class_names = line.split()
                if name in class_names:
                    error: type[PaddockError] = getattr(__import__(module, fromlist=[name]), name)
                    return error
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
