"""Arbitrary JSON documents as people leave them: comments, odd spacing, mixed line ends."""

import json
from dataclasses import dataclass

from hypothesis import strategies as st

SERVERS = "mcpServers"

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=6),
    st.sampled_from(["// no comment", "/* nor this */", '"', "\\", "{", "],", "\ud800", "\u2028"]),
)
keys = st.one_of(st.text(max_size=4), st.sampled_from(["a", "b", "new", SERVERS, "//", "}"]))
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=8,
)


@dataclass(frozen=True)
class Written:
    """How one document is written; the drawn parts are blanks, comments and choices."""

    draw: st.DrawFn
    blanks: st.SearchStrategy[str]
    has_trailing_commas: bool

    def blank(self) -> str:
        return self.draw(self.blanks)

    def value(self, value: object) -> str:
        if isinstance(value, dict):
            members = [
                f"{self.string(key)}{self.blank()}:{self.blank()}{self.value(part)}"
                for key, part in value.items()
            ]
            return self.container("{", members, "}")
        if isinstance(value, list):
            return self.container("[", [self.value(part) for part in value], "]")
        return self.string(value) if isinstance(value, str) else json.dumps(value)

    def container(self, opening: str, items: list[str], closing: str) -> str:
        if not items:
            return opening + self.blank() + closing
        spaced = [self.blank() + item + self.blank() for item in items]
        trailing = self.has_trailing_commas and self.draw(st.booleans())
        end = f",{self.blank()}" if trailing else ""
        return opening + ",".join(spaced) + end + closing

    def string(self, text: str) -> str:
        escaped = self.draw(st.booleans()) or any("\ud800" <= c <= "\udfff" for c in text)
        return json.dumps(text, ensure_ascii=escaped)


def blanks(newline: str, *, has_comments: bool) -> st.SearchStrategy[str]:
    """What may stand between two tokens; nothing and one blank more often than the rest."""
    plain = ["", " ", "\t", newline, f"{newline}  ", f" {newline}\t\t", f"{newline}{newline} "]
    if not has_comments:
        return st.sampled_from(["", "", *plain])
    comments = ["/* c */", "/**/", f"/* {newline} */", f'// "x": 1,{newline}', f"//{newline}"]
    around = [f"{a}{comment}{b}" for a in plain[:5] for comment in comments for b in plain[:5]]
    return st.one_of(st.sampled_from([*plain, *plain]), st.sampled_from(around))


@st.composite
def texts(draw: st.DrawFn, data: st.SearchStrategy[object], dialect: str = "jsonc") -> str:
    """Texts of some data in a dialect."""
    newline = draw(st.sampled_from(["\n", "\r\n", "\r"]))
    has_comments = dialect != "strict" and draw(st.booleans())
    written = Written(
        draw,
        blanks=blanks(newline, has_comments=has_comments),
        has_trailing_commas=dialect == "jsonc" and draw(st.booleans()),
    )
    return written.blank() + written.value(draw(data)) + written.blank()
