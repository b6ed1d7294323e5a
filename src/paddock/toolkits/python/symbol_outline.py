"""What a module or class consists of, a line for each member; read by griffe, not imported."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import griffe

if TYPE_CHECKING:
    from pathlib import Path

_MAX_MEMBERS = 400
_MAX_LINE_CHARACTERS = 160


def build_outline(code: str, name: str, path: Path, symbol: str | None = None) -> list[str]:
    """The public members of a module, or of a class in it."""
    logging.getLogger("griffe").setLevel(logging.CRITICAL)
    try:
        found: Any = griffe.visit(name.rpartition(".")[2], filepath=path, code=code)
        if symbol is not None:
            found = found[symbol]
    except Exception:  # noqa: BLE001 - code that cannot be read has no outline
        return []
    return list(_outline_members(found, indent=""))[:_MAX_MEMBERS]


def _outline_members(parent: Any, indent: str) -> list[str]:
    lines: list[str] = []
    for name, member in parent.members.items():
        if member.is_alias:
            if parent.exports is not None and name in map(str, parent.exports):
                lines.append(f"{indent}{name}  # from {member.target_path}")
            continue
        if not _is_listed(name, member):
            continue
        lines.append(_format_member(member, indent))
        if member.is_class and not indent:
            lines += _outline_members(member, indent="    ")
    return lines


def _is_listed(name: str, member: Any) -> bool:
    if member.is_module:
        return False
    return bool(name == "__init__" or not name.startswith("_"))


def _format_member(member: Any, indent: str) -> str:
    if member.is_function:
        text = f"def {member.signature()}"
    elif member.is_class:
        bases = ", ".join(map(str, member.bases))
        text = f"class {member.name}({bases})" if bases else f"class {member.name}"
    else:
        text = f"{member.name}: {member.annotation}" if member.annotation else member.name
    summary = member.docstring.value.strip().partition("\n")[0] if member.docstring else ""
    return f"{indent}{text}  # {summary}"[:_MAX_LINE_CHARACTERS] if summary else f"{indent}{text}"
