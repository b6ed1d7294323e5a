from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from paddock import Server, connect
from paddock.client.errors import AnswerError
from paddock.client.peer import SkillFileInfo, SkillInfo
from paddock.testing import connect as connect_recorded

SKILLS = Path(__file__).parents[2] / "conformance" / "skills"
MANUAL = b"---\nname: knots\ndescription: Tie knots\n---\n\nBody\n"


@pytest.fixture
def server() -> Server:
    """A server that gives another text than it should, if asked to."""
    made = Server("harbour")

    @made.resource("skill://knots/SKILL.md")
    def manual() -> str:
        return MANUAL.decode()

    return made


def listed(**changes: object) -> SkillInfo:
    fields: dict[str, object] = {
        "size": len(MANUAL),
        "digest": f"sha256:{sha256(MANUAL).hexdigest()}",
        "description": "Tie knots",
        **changes,
    }
    uri = "skill://knots/SKILL.md"
    size = fields["size"]
    assert isinstance(size, int)
    file = SkillFileInfo(uri, str(fields["digest"]), size)
    return SkillInfo(uri, {"name": "knots", "description": fields["description"]}, [file])


def test_a_file_that_is_as_listed_is_given(server: Server) -> None:
    with connect(server) as peer:
        assert peer.skill_file(listed()) == MANUAL


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: listed(size=3),
        lambda: listed(digest="sha256:" + "0" * 64),
        lambda: listed(description="Something else"),
    ],
)
def test_a_file_that_is_not_as_listed_is_not_given(
    server: Server, wrong: Callable[[], SkillInfo]
) -> None:
    with connect(server) as peer, pytest.raises(AnswerError):
        peer.skill_file(wrong())


def test_a_file_that_is_not_listed_is_not_given(server: Server) -> None:
    with connect(server) as peer, pytest.raises(AnswerError):
        peer.skill_file(listed(), "skill://knots/other.md")


def test_listing_skills_reads_none_of_their_files() -> None:
    server = Server("library", skills=SKILLS)
    with connect_recorded(server) as peer:
        (skill,) = peer.skills()
        assert not any(b"resources/read" in frame for frame in peer.sent)
        assert isinstance(skill.resources, list)
        for file in skill.resources:
            assert len(peer.skill_file(skill, file.uri)) == file.size
