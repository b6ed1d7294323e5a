"""What the built-in servers offer, message by message, in both eras of the protocol."""

import json
import re
import shutil
from collections.abc import Iterator
from typing import Any

from paddock import Peer, PeerError, list_servers
from paddock.testing import connect
from tests.golden_outputs.golden_files import (
    REPOSITORY,
    GoldenFiles,
    MachineNames,
    dump_json,
    format_texts,
    split_wording,
)

SESSION, STATELESS = "2025-11-25", "2026-07-28"
ERAS = (SESSION, STATELESS)
LISTS = ("tools/list", "prompts/list", "resources/list", "resources/templates/list")
SAMPLE = REPOSITORY / "tests" / "samples" / "notebooks" / "prose.nb"
SAMPLE_ARGUMENTS = {
    "tour": {"theme": "progress"},
    "Search": {"query": "12 miles in km"},
    "Notebook": {"path": SAMPLE.name},
}
FOUND_PAGES = re.compile(r"(?<=<search-results>\n).*(?=\n</search-results>)", re.S)
"""Pages of documentation; which are found depends on what is installed."""


def split_by_era(name: str, results: dict[str, Any]) -> dict[str, str]:
    """Make files of the answers in each era; texts that are the same are written once."""
    files, wording = {}, {}
    for era, result in results.items():
        contract, texts = split_wording(result)
        files[f"{name}.{era}.json"] = dump_json(contract)
        wording[era] = texts
    merged = {
        path
        if wording[SESSION].get(path) == wording[STATELESS].get(path)
        else f"{era} {path}": text
        for era in ERAS
        for path, text in wording[era].items()
    }
    return {**files, f"{name}.wording.txt": format_texts(merged)}


def built_in_servers() -> Iterator[str]:
    return (server.name for server in list_servers() if server.location == "built-in")


def request(peer: Peer, method: str, params: dict[str, Any] | None = None) -> Any:
    """Send a request; an error is a result as well."""
    try:
        return peer.request(method, params)
    except PeerError as error:
        return {"error": {"code": error.code, "message": str(error)}}


def load(name: str, era: str) -> Peer:
    (server,) = [one for one in list_servers() if one.name == name]
    return connect(server.load(), era=era)


def test_greeting_and_lists_of_every_server(golden: GoldenFiles, names: MachineNames) -> None:
    files: dict[str, str] = {}
    for name in built_in_servers():
        results: dict[str, Any] = {}
        for era in ERAS:
            with load(name, era) as peer:
                results[era] = {method: request(peer, method) for method in LISTS}
                results[era]["greeting"] = json.loads(peer.received[0])["result"]
        files |= split_by_era(name, names.hide_in(results))
    golden.check("servers/lists", files)


def test_prompts_with_sample_arguments(golden: GoldenFiles, names: MachineNames) -> None:
    shutil.copy(SAMPLE, SAMPLE.name)
    files: dict[str, str] = {}
    for name in built_in_servers():
        results: dict[str, Any] = {era: {} for era in ERAS}
        texts: dict[str, set[str]] = {}
        for era in ERAS:
            with load(name, era) as peer:
                for prompt in peer.prompts():
                    params = {"name": prompt.name, "arguments": SAMPLE_ARGUMENTS[prompt.name]}
                    result = request(peer, "prompts/get", params)
                    text = result["messages"][0]["content"].pop("text")
                    texts.setdefault(prompt.name, set()).add(names.hide(hide_pages(text)))
                    results[era][prompt.name] = result
                    results[era][f"{prompt.name} without arguments"] = request(
                        peer, "prompts/get", {"name": prompt.name}
                    )
        for prompt_name, found in texts.items():
            (text,) = found  # the same in both eras
            files[f"{name}.{prompt_name}.txt"] = f"{text}\n"
        files |= split_by_era(name, names.hide_in(results))
    golden.check("servers/prompts", files)


def hide_pages(text: str) -> str:
    return FOUND_PAGES.sub("PAGES", text) if "<result url=" in text else text
