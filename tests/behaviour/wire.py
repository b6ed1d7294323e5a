"""The record of one connection, and whether everything the server sent keeps to the protocol.

Each message is checked against the schema of its era, and the conversation against the rules that
no schema can say: one answer for each request, none that no one asked for, progress that grows
and ends with the answer, nothing of one era in the other.
"""

import json
from collections import Counter
from typing import Any

from tests.schema.definitions import fault, names_by_method, result_name, schema_fault

SESSION = "2025-11-25"
STATELESS = "2026-07-28"
META_KEY = "io.modelcontextprotocol/"
CACHEABLE = {
    *("server/discover", "tools/list", "prompts/list", "resources/list"),
    *("resources/templates/list", "resources/read", "skills/list", "skills/get"),
}
RESPONSE = {"result", "error"}

Json = dict[str, Any]


class Transcript:
    """What was stated on one connection, in order."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, bytes]] = []

    def said(self, line: bytes) -> None:
        self.lines.append(("client", line))

    def heard(self, line: bytes) -> None:
        self.lines.append(("server", line))

    def faults(self) -> list[str]:
        """Everything that the server did wrong."""
        review = _Review()
        for speaker, line in self.lines:
            for message in _messages(line):
                if speaker == "client":
                    review.client_said(message)
                else:
                    review.server_said(message)
        return review.faults


def _messages(line: bytes) -> list[object]:
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return [line]
    return message if isinstance(message, list) and message else [message]


def _result_name(version: str, method: str, result: Json) -> str:
    """The definition that a result must keep to."""
    if result.get("resultType") == "input_required":
        return "InputRequiredResult"
    is_task = result.get("resultType") == "task" or (version == SESSION and "task" in result)
    if method == "tools/call" and is_task:
        return "CreateTaskResult"
    if method == "tasks/result":  # all that we let become a task
        return "CallToolResult"
    return result_name(version, method)


def is_stateless(message: Json) -> bool:
    params = message.get("params")
    meta = params.get("_meta") if isinstance(params, dict) else None
    return isinstance(meta, dict) and f"{META_KEY}protocolVersion" in meta


class _Review:
    def __init__(self) -> None:
        self.faults: list[str] = []
        self.versions: set[str] = set()
        self.asked: dict[object, tuple[str, str]] = {}
        self.open: Counter[object] = Counter()
        self.tokens: dict[object, object] = {}
        self.progress: dict[object, float] = {}
        self.is_initialized = False

    def client_said(self, message: object) -> None:
        if not isinstance(message, dict):
            return
        method, key = message.get("method"), message.get("id")
        self.is_initialized |= method == "notifications/initialized"
        is_response = "method" not in message and message.keys() & RESPONSE
        if type(key) not in (int, str) or is_response:
            return
        version = STATELESS if is_stateless(message) else SESSION
        self.versions.add(version)
        self.asked[key] = (version, str(method))
        self.open[key] += 1
        params = message.get("params")
        meta = params.get("_meta") if isinstance(params, dict) else None
        if isinstance(meta, dict) and type(meta.get("progressToken")) in (int, str):
            self.tokens[meta["progressToken"]] = key

    def server_said(self, message: object) -> None:
        if not isinstance(message, dict):
            self._fault("not an object", message)
        elif "method" in message:
            self._notification_or_request(message)
        elif "error" in message:
            self._error(message)
        else:
            self._result(message)

    def _fault(self, text: str | None, message: object) -> None:
        if text is not None:
            self.faults.append(f"{text} in {message!r:.600}")

    def _answered(self, message: Json) -> tuple[str, str] | None:
        """The era and the method of the request that a message answers."""
        key = message.get("id")
        if key not in self.asked:
            self._fault("an answer to nothing", message)
            return None
        self.open[key] -= 1
        if self.open[key] < 0:
            self._fault("a second answer", message)
        return self.asked[key]

    def _error(self, message: Json) -> None:
        asked = self._answered(message) if "id" in message else None
        version = asked[0] if asked else SESSION
        self._fault(fault(version, "JSONRPCErrorResponse", message), message)
        code = message["error"].get("code", 0)
        if version == STATELESS and (code in (-32002, -32042) or -32019 <= code <= -32000):
            self._fault("a code of the older era", message)

    def _result(self, message: Json) -> None:
        self._fault(fault(SESSION, "JSONRPCResultResponse", message), message)
        asked = self._answered(message)
        if asked is None:
            return
        (version, method), result = asked, message["result"]
        self._fault(fault(version, _result_name(version, method, result), result), message)
        if version == STATELESS:
            self._stateless_result(method, result)
        elif "resultType" in result:
            self._fault("resultType in a session", message)
        for tool in result.get("tools", ()):
            for kind in ("inputSchema", "outputSchema"):
                if kind in tool:
                    self._fault(schema_fault(tool[kind]), tool)

    def _stateless_result(self, method: str, result: Json) -> None:
        if f"{META_KEY}serverInfo" not in result.get("_meta", {}):
            self._fault("no serverInfo", result)
        if result.get("resultType") == "input_required":
            if "ttlMs" in result or "cacheScope" in result:
                self._fault("caching of questions", result)
            if not result.keys() & {"inputRequests", "requestState"}:
                self._fault("neither questions nor state", result)
        elif method not in CACHEABLE and "ttlMs" in result and "taskId" not in result:
            self._fault("unexpected ttlMs", result)

    def _notification_or_request(self, message: Json) -> None:
        method = message["method"]
        is_tagged = f"{META_KEY}subscriptionId" in message.get("params", {}).get("_meta", {})
        if "id" in message or not is_tagged:
            versions = [SESSION] if "id" in message else sorted(self.versions or {SESSION})
        else:
            versions = [STATELESS]
        for version in versions:
            name = names_by_method(version).get(method)
            if name is None:
                self._fault(f"no method of {version}", message)
            else:
                self._fault(fault(version, name, message), message)
        if "id" in message and SESSION not in self.versions:
            self._fault("a request without a session", message)
        self._check_audience(message, is_tagged=is_tagged)
        if method == "notifications/progress":
            self._progress(message["params"])

    def _check_audience(self, message: Json, *, is_tagged: bool) -> None:
        method = message["method"]
        is_change = method.endswith("list_changed") or method == "notifications/resources/updated"
        if is_change and not is_tagged and not self.is_initialized:
            self._fault("a change without a subscription", message)

    def _progress(self, params: Json) -> None:
        token, progress = params["progressToken"], params["progress"]
        if token not in self.tokens:
            self._fault("progress without a token", params)
        elif self.open[self.tokens[token]] <= 0:
            self._fault("progress after the answer", params)
        last = self.progress.get(token)
        if last is not None and progress <= last:
            self._fault("progress that does not grow", params)
        self.progress[token] = progress
