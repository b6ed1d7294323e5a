"""A resource and a resource template in one file."""

from paddock import Resource, ResourceTemplate

PAGES = {"tools": "add_note, find_notes, count", "prompts": "summary"}

manual = Resource("notes://manual", lambda: "A server made of files.", mime_type="text/plain")


def _page(name: str) -> str:
    return PAGES[name]


page = ResourceTemplate(
    "notes://manual/{name}", _page, name="manual page", completions={"name": list(PAGES)}
)
