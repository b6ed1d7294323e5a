"""The errors that Paddock raises, one tree.

    PaddockError
    ├── DefinitionError            a tool, prompt, resource or server is declared wrongly
    │   ├── ServerDefinitionError      the definition of a server cannot be read
    │   │   └── NoReferenceError           a function has no source to refer to
    │   ├── ManifestError              a manifest cannot be used
    │   ├── ExtensionError             an extension cannot give what is wanted of it
    │   │   ├── ExtensionNotInstalledError
    │   │   ├── ExtensionNotFoundError     what is installed is no extension
    │   │   ├── ItemNotDeclaredError
    │   │   ├── StartError                 a new extension cannot be written
    │   │   └── InstallExtensionError      an extension cannot or must not be installed
    │   ├── SpecificationError         what should be an item, or a list of items, is none
    │   │   ├── ToolSpecificationError
    │   │   ├── ToolsSpecificationError
    │   │   ├── PromptSpecificationError
    │   │   ├── PromptsSpecificationError
    │   │   ├── ResourceSpecificationError
    │   │   └── ResourcesSpecificationError
    │   ├── ToolNotFoundError
    │   ├── PromptNotFoundError
    │   ├── ResourceNameError          no resource has that name
    │   ├── PromptDataError            a definition has `PromptData`
    │   └── OptionError            an option of a tool is not known, or cannot have that value
    ├── ServerExistsError          there is a server of that name already
    ├── ServerNotFoundError        there is no server of that name
    ├── BuiltInServerError         a server is not the user's to change
    ├── LoadError                  a file or directory of definitions cannot be loaded
    │   ├── ArchiveError               an archive cannot be read, or is not safe
    │   └── CatalogueError             a catalogue, or the settings for it, cannot be used
    ├── FetchError                 a file cannot be had from where it is
    │   └── HashMismatchError          it is not what the catalogue describes
    ├── PacletInfoError            a PacletInfo file describes no paclet
    ├── ToolError                  raised by a handler to tell the model something
    │   ├── ArgumentsError             arguments are not what a tool takes
    │   ├── NoDefaultAgentError        a project has not said which agent it wants
    │   ├── NoAnswerError              Wolfram|Alpha has no answer, and there is none offline
    │   ├── TestFileNotFoundError      there is no such test file
    │   ├── NoTestsInFileError         a test file has no tests
    │   ├── InvalidTestFileError       a test file cannot be read
    │   ├── PacletPathError            there is no paclet at a path
    │   ├── FolderError                a path leads to where tools may not go
    │   ├── InterpreterError           what was named as a Python is none
    │   ├── ProgramError               a program that a tool needs is missing or fails
    │   ├── SymbolFileError            there is no file to look symbols up in
    │   ├── DocArgumentError           PythonDoc is not told what to do
    │   ├── DocumentedFileError        a file cannot be documented
    │   ├── DocstringError             a docstring cannot be changed so
    │   ├── PageError                  a Markdown page cannot be made or changed so
    │   ├── PythonTestsNotFoundError   there is no such file or directory of Python tests
    │   ├── NoPythonTestsError         pytest found no tests
    │   ├── PytestError                there is no pytest, or it does not run
    │   ├── InspectorInputError        CodeInspector is not told what to inspect, or how
    │   │   ├── NoInputError
    │   │   ├── AmbiguousInputError
    │   │   ├── InspectedFileNotFoundError
    │   │   ├── NoFilesFoundError
    │   │   └── InvalidConfidenceError
    │   ├── PageNotFoundError          there is no such notebook
    │   ├── PageExistsError            there is a page of that symbol already
    │   ├── PageFileError              the file of a page cannot be read or written
    │   ├── UnresolvedSymbolsError     the engine does not know what Wolfram code uses
    │   └── NoEngineError              Wolfram code is to be evaluated, and there is no engine
    ├── ResultError                a handler returned what cannot be sent, or not what it declared
    ├── AskError                   a client refused a question or answered nonsense
    ├── ProtocolError              a fault told to the peer as a JSON-RPC error
    │   ├── InvalidParamsError
    │   │   └── ResourceNotFoundError
    │   ├── HeaderMismatchError
    │   ├── MissingCapabilityError
    │   ├── ScopeError
    │   └── UnsupportedVersionError
    ├── ListenError                an address cannot be served on
    │   └── PortTakenError             another program listens there
    ├── WeakTokenError             a token is too easy to guess
    ├── SignInError                name and password, or a token, are wrong
    ├── InvalidTokenError          a token is not good
    │   ├── NotAllowedError
    │   └── UndecidedError
    ├── RefusalError               a request is not let in, as HTTP tells it
    │   ├── UnauthorizedError
    │   └── ForbiddenError
    ├── ConnectError               a server cannot be started, reached or understood
    │   └── HttpError              a request over HTTP failed below the protocol
    │       └── AccessRefusedError     the server wants a token, or another one
    ├── PeerError                  a server answered with a JSON-RPC error
    ├── AnswerError                a server's answer makes no sense
    ├── PeerTimeoutError           a server has not answered in time
    ├── CallCancelledError         a request of ours was cancelled
    ├── UpstreamError              a mounted server elsewhere cannot be reached, or does not answer
    ├── DataDirectoryError         what Paddock keeps for its user cannot be read or written
    ├── FileBusyError              another process has been writing a file for too long
    ├── ConfigurationError         a client's configuration file cannot be read
    ├── UneditableError            a client's configuration file cannot be changed without harm
    ├── UnsupportedClientError     there is no client of that name
    ├── UnsupportedProjectError    a client has no configuration for a single project
    ├── UnknownLocationError       a client has no file on this system
    ├── UnsupportedTransportError  a client starts programs only
    ├── DestinationError           it is not clear where to install
    ├── EntryError                 an entry cannot be as it was asked for
    ├── ForeignEntryError          under the key of a server stands an entry that is not ours
    ├── CheckFailedError           a server does not answer as its client needs it
    ├── WriteError                 a client's file could not be written
    ├── NotInstalledError          there is nothing of ours to take out
    ├── LinkError                  a client has no link for this server
    ├── BundleError                a server cannot be put into a bundle as it is
    ├── KernelError                a kernel cannot be started, or is gone
    ├── EngineError                an engine does not exist, or is not on this machine
    ├── WolframSyntaxError         text is not Wolfram Language
    ├── IndexUnavailableError      the index of documentation cannot be read or written
    │   └── DamagedIndexError          its file is no good any more
    ├── UnknownCorpusError         there is no corpus of that name
    ├── FolderListError            the folders that are searched cannot be listed or changed
    ├── ModelError                 a directory holds no sentence model
    ├── DataError                  a Wolfram Language expression is not the data that it should be
    ├── WxfError                   bytes are not WXF
    ├── NotebookError              a text is no notebook
    ├── JupyterNotebookError       a file is no Jupyter notebook
    ├── ReferencePageError         a reference page cannot be made or changed as it was asked for
    │   ├── EmptyUsageError
    │   ├── InvalidUsageFormatError
    │   ├── InvalidOperationError
    │   ├── InvalidSectionError
    │   ├── MissingContentError
    │   ├── InvalidContentError
    │   ├── ExampleNotFoundError
    │   └── InvalidPageError
    ├── ZooError                   something about the agent zoo
    │   ├── NotInZooError              something that was asked for is not there
    │   │   ├── AgentNotFoundError
    │   │   ├── EntryNotFoundError
    │   │   ├── SkillNotFoundError
    │   │   ├── CategoryNotFoundError
    │   │   ├── AgentVersionNotFoundError
    │   │   ├── LibraryItemNotFoundError
    │   │   └── UserNotFoundError
    │   ├── UserExistsError            there is a user of that name already
    │   ├── InvalidAgentError          what was given cannot be kept
    │   ├── ConflictError              something was changed by somebody else meanwhile
    │   ├── ZooFileError               a file cannot be imported or restored
    │   └── ZooUnavailableError        the database of the zoo cannot be used
    ├── AgentFilesError            files cannot be taken for agents, or agents not be put into files
    │   ├── UnknownFormatError         there is no such format of agents' files
    │   ├── BundleFormatError          a file is no bundle of agents
    │   ├── BlockError                 the marks of an agent's block in an AGENTS.md are damaged
    │   ├── AgentTextError             a text in TOML describes no agent
    │   └── SyncFileError              an agent's file cannot be changed, or has been meanwhile
    ├── ProjectFileError           what a project says about the zoo cannot be read or written
    ├── ArgumentError              an argument on the command line does not fit the tool
    └── UnexpectedQuestionError    a server under test asked more than the test answers

Each stands beside the code that raises it; the four that several parts raise are here.
Every error has a stable kebab-case code and says what was found, what was expected, where, and
what to do next.
"""

from __future__ import annotations


class PaddockError(Exception):
    """Something the user can put right."""

    code = "error"

    def __init__(self, message: str, *, hint: str | None = None, where: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.where = where

    def __str__(self) -> str:
        """Where, what, and what to do, in that order."""
        text = f"{self.where}: {self.message}" if self.where else self.message
        return f"{text} ({self.hint})" if self.hint else text


class DefinitionError(PaddockError):
    """A tool, prompt, resource or server is declared in a way that cannot be served."""

    code = "definition"


class LoadError(PaddockError):
    """A file or directory that should hold definitions cannot be loaded."""

    code = "load"


class ConnectError(PaddockError):
    """A server could not be started, reached or understood."""

    code = "connect"
