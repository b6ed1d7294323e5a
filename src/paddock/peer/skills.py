"""Skills of a server, read only when asked for and used only when they are what was listed."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from paddock.errors import DefinitionError
from paddock.peer.errors import AnswerError
from paddock.peer.settings import Json
from paddock.protocol.model.content import BlobResourceContents, TextResourceContents

if TYPE_CHECKING:
    from paddock.peer.results import ResourceResult


class SkillFileInfo(Struct):
    """A file of a skill, as listed."""

    uri: str
    digest: str
    size: int


class SkillInfo(Struct):
    """A skill as the server describes it."""

    uri: str
    frontmatter: Json
    resources: list[SkillFileInfo] | Literal["dynamic"]
    """Its files; or "dynamic", for those that have no digests."""


def find_listed_file(skill: SkillInfo, uri: str) -> SkillFileInfo | None:
    """What the list says about a file; None where it says nothing.

    Raises:
        AnswerError: when the file is not one of the skill.
    """
    if not isinstance(skill.resources, list):
        return None
    for file in skill.resources:
        if file.uri == uri:
            return file
    raise AnswerError(f"{uri} is not a file of the skill {skill.uri}")


def verify_skill_file(skill: SkillInfo, uri: str, answer: ResourceResult) -> bytes:
    """The content of a file, if it is what the list says.

    Raises:
        AnswerError: when it is not.
    """
    data = _find_file_content(uri, answer)
    listed = find_listed_file(skill, uri)
    if listed is not None:
        _check_digest(listed, data)
    if uri == skill.uri:
        _check_frontmatter(skill, data)
    return data


def _find_file_content(uri: str, answer: ResourceResult) -> bytes:
    for part in answer.contents:
        if isinstance(part, TextResourceContents) and part.uri == uri:
            return part.text.encode()
        if isinstance(part, BlobResourceContents) and part.uri == uri:
            return part.blob
    raise AnswerError(f"The server's answer does not hold {uri}")


def _check_digest(listed: SkillFileInfo, data: bytes) -> None:
    if len(data) != listed.size:
        raise AnswerError(f"{listed.uri} has {len(data)} bytes instead of {listed.size}, as listed")
    if f"sha256:{sha256(data).hexdigest()}" != listed.digest:
        raise AnswerError(f"{listed.uri} does not have the digest that is listed")


def _check_frontmatter(skill: SkillInfo, data: bytes) -> None:
    from paddock.authoring.frontmatter_yaml import parse_frontmatter  # noqa: PLC0415 - reads YAML

    try:
        found = parse_frontmatter(data, skill.uri)
    except DefinitionError as fault:
        raise AnswerError(str(fault)) from None
    different = sorted(
        key for key in {*found, *skill.frontmatter} if found.get(key) != skill.frontmatter.get(key)
    )
    if different:
        fields = ", ".join(different)
        raise AnswerError(f"The frontmatter of {skill.uri} is not what is listed: {fields}")
