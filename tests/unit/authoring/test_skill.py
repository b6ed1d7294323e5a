"""What can be a skill, and which of its files are served."""

import hashlib
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from paddock import DefinitionError, PeerError, Server, Skill
from paddock.authoring.skill_files import MAX_SKILL_BYTES, MAX_SKILL_FILES
from paddock.testing import connect

OUTSIDE = "never to be served"


def make(directory: Path, name: str = "pdf-tools", fields: str = "description: d") -> Path:
    place = directory / name
    place.mkdir(parents=True)
    (place / "SKILL.md").write_text(f"---\nname: {name}\n{fields}\n---\n", encoding="utf-8")
    return place


def paths(place: Path) -> list[str]:
    return list(Skill.from_directory(place).files.get_tree().sizes)


@pytest.mark.parametrize("name", ["a", "0", "pdf-tools", "a1-b2-c3", "x" * 64])
def test_names_of_skills(name: str) -> None:
    assert Skill(name, "d", "").uri == f"skill://{name}/SKILL.md"


@pytest.mark.parametrize(
    "name", ["", "A", "a_b", "-a", "a-", "a--b", "x" * 65, "a/b", "ä", "a b", "a.b", "a\n"]
)
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(DefinitionError, match="cannot be the name of a skill"):
        Skill(name, "d", "")


@pytest.mark.parametrize("prefix", ["acme", "acme/billing", "v1.0", "a_b~c"])
def test_a_prefix_is_before_the_name(prefix: str) -> None:
    assert Skill("a", "d", "", prefix=prefix).root == f"skill://{prefix}/a"


@pytest.mark.parametrize(
    "prefix", ["/", "a/", "/a", "a//b", ".", "..", "a/../b", "a b", "ä", "a%2f"]
)
def test_other_prefixes_are_refused(prefix: str) -> None:
    with pytest.raises(DefinitionError, match="cannot be the prefix of a skill"):
        Skill("a", "d", "", prefix=prefix)


@pytest.mark.parametrize(
    ("name", "fields", "fault"),
    [
        ("Pdf", "description: d", "'Pdf' cannot be the name of a skill"),
        ("pdf", "description: ''", "has the description ''"),
        ("pdf", "description: 5", "has the description 5"),
        ("pdf", "license: MIT", "has the description None"),
        ("pdf", f"description: {'d' * 1025}", "a description of 1025 characters"),
        ("pdf", "description: *alias", "SKILL.md:3: frontmatter uses an anchor"),
    ],
)
def test_a_bad_skill_says_what_is_wrong(tmp_path: Path, name: str, fields: str, fault: str) -> None:
    with pytest.raises(DefinitionError, match=fault):
        Skill.from_directory(make(tmp_path, name, fields))


def test_a_skill_has_the_name_of_its_directory(tmp_path: Path) -> None:
    place = make(tmp_path, "one").rename(tmp_path / "two")
    with pytest.raises(DefinitionError, match=r"the name 'one' \(expected 'two'"):
        Skill.from_directory(place)


def test_a_directory_without_a_skill_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "pdf").mkdir()
    with pytest.raises(DefinitionError, match=r"has no SKILL\.md"):
        Skill.from_directory(tmp_path / "pdf")
    with pytest.raises(DefinitionError, match="cannot be read: No such file"):
        Skill.from_directory(tmp_path / "nowhere")


def test_hidden_files_and_caches_are_not_served(tmp_path: Path) -> None:
    place = make(tmp_path)
    for name in (".env", ".git/config", "__pycache__/a.pyc", "scripts/__pycache__/b.pyc"):
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(OUTSIDE, encoding="utf-8")
    (place / "scripts" / "run.py").touch()
    assert paths(place) == ["SKILL.md", "scripts/run.py"]


def test_links_are_served_as_long_as_they_stay_inside(tmp_path: Path) -> None:
    place = make(tmp_path)
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "key").write_text(OUTSIDE, encoding="utf-8")
    (place / "docs").mkdir()
    (place / "docs" / "guide.md").touch()
    (place / ".hidden").touch()
    (place / "again.md").symlink_to("docs/guide.md")
    (place / "manual").symlink_to("docs")
    (place / "docs" / "up").symlink_to("..")
    (place / "out").symlink_to(tmp_path / "secret")
    (place / "key").symlink_to(tmp_path / "secret" / "key")
    (place / "beside").symlink_to("../pdf-tools-2")
    (tmp_path / "pdf-tools-2").mkdir()
    (place / "seen").symlink_to(".hidden")
    (place / "gone").symlink_to("nowhere")
    (place / "loop").symlink_to("loop")
    assert paths(place) == ["SKILL.md", "again.md", "docs/guide.md", "manual/guide.md"]


def test_a_skill_file_that_is_a_link_out_does_not_count(tmp_path: Path) -> None:
    elsewhere = make(tmp_path / "elsewhere", "pdf")
    place = tmp_path / "pdf"
    place.mkdir()
    (place / "SKILL.md").symlink_to(elsewhere / "SKILL.md")
    with pytest.raises(DefinitionError, match=r"has no SKILL\.md"):
        Skill.from_directory(place)


def test_a_directory_may_itself_be_reached_by_a_link(tmp_path: Path) -> None:
    elsewhere = make(tmp_path / "elsewhere", "pdf")
    (tmp_path / "pdf").symlink_to(elsewhere)
    assert paths(tmp_path / "pdf") == ["SKILL.md"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_what_is_not_a_plain_file_is_not_served(tmp_path: Path) -> None:
    place = make(tmp_path)
    os.mkfifo(place / "pipe")
    assert paths(place) == ["SKILL.md"]


def test_a_skill_has_a_limited_number_of_files(tmp_path: Path) -> None:
    place = make(tmp_path)
    for number in range(MAX_SKILL_FILES - 1):
        (place / str(number)).touch()
    assert len(paths(place)) == MAX_SKILL_FILES
    (place / "more").touch()
    with pytest.raises(DefinitionError, match=f"more than {MAX_SKILL_FILES} files"):
        Skill.from_directory(place)
    with pytest.raises(DefinitionError, match=f"more than {MAX_SKILL_FILES} files"):
        Skill("a", "d", "", files={str(number): "" for number in range(MAX_SKILL_FILES)})


def test_a_skill_has_a_limited_size(tmp_path: Path) -> None:
    place = make(tmp_path)
    with (place / "data").open("wb") as file:
        file.truncate(MAX_SKILL_BYTES)
    with pytest.raises(DefinitionError, match="bytes"):
        Skill.from_directory(place)
    with pytest.raises(DefinitionError, match="bytes"):
        Skill("a", "d", "", files={"x": b"\0" * MAX_SKILL_BYTES, "y": b"\0"})


@pytest.mark.parametrize(
    "path",
    [
        *("", "/", "/etc/passwd", "a//b", "a/", "./a", "../a", "a/../../b", "a\\b", "a\0b", "a\nb"),
        *(".env", "a/.git/b", "__pycache__/a", "SKILL.md", "SKILL.md/a"),
    ],
)
def test_odd_paths_are_refused(path: str) -> None:
    with pytest.raises(DefinitionError, match=r"cannot be a file of a skill|has a file as parent"):
        Skill("a", "d", "", files={path: "text"})


def test_a_file_cannot_lie_in_a_file() -> None:
    with pytest.raises(DefinitionError, match="has a file as parent directory"):
        Skill("a", "d", "", files={"x": "", "x/y": ""})


@pytest.mark.parametrize("content", [5, None, ["text"]])
def test_content_is_text_bytes_or_made_by_a_function(content: object) -> None:
    with pytest.raises(DefinitionError, match=r"x is a \w+"):
        Skill("a", "d", "", files={"x": content})  # type: ignore[dict-item]  # the wrong type


def test_a_changed_file_has_a_new_digest_and_an_unchanged_one_is_not_read_again(
    tmp_path: Path,
) -> None:
    place = make(tmp_path)
    (place / "a").write_text("one", encoding="utf-8")
    (place / "b").write_text("same", encoding="utf-8")
    files = Skill.from_directory(place).files
    before = files.get_manifest().digests
    assert before is not None
    assert before["a"].digest == f"sha256:{hashlib.sha256(b'one').hexdigest()}"
    (place / "a").write_text("three", encoding="utf-8")
    after = files.get_manifest().digests
    assert after is not None
    assert after["a"] == (f"sha256:{hashlib.sha256(b'three').hexdigest()}", 5)
    assert after["b"] is before["b"]


def test_relative_paths_count_from_the_file_that_names_them() -> None:
    here = Path(__file__).parents[2] / "conformance"
    skill = Skill.from_directory("../../conformance/skills/pdf-tools")
    assert skill.path == "pdf-tools"
    server = Server("s").skill("skills/pdf-tools", relative_to=str(here / "fixture.py"))
    server.skills("../../conformance/skills", prefix="all")
    assert server.skills.names() == ["pdf-tools", "all/pdf-tools"]
    assert Server("s", skills=[here / "skills", skill]).skills.names() == ["pdf-tools"]


@pytest.mark.parametrize("skills", ["nowhere", ["."], 5])
def test_what_holds_no_skill_is_refused(skills: object) -> None:
    with pytest.raises(DefinitionError):
        Server("s", skills=skills)  # type: ignore[arg-type]  # the wrong type


class Watch:
    """Sees each path just before it is opened or listed, and may do something then."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.tasks: dict[str, Callable[[], None]] = {}

    def __call__(self, event: str, args: tuple[object, ...]) -> None:
        if event in ("open", "os.scandir") and isinstance(args[0], str):
            self.seen.append(args[0])
            self.tasks.pop(args[0], lambda: None)()


@pytest.fixture(scope="module")
def hook() -> list[Watch]:
    """Who watches: Python never reverts a hook, so there is one for all."""
    watching: list[Watch] = []

    def tell(event: str, args: tuple[object, ...]) -> None:
        for one in watching:
            one(event, args)

    sys.addaudithook(tell)
    return watching


@pytest.fixture
def watch(hook: list[Watch]) -> Iterator[Watch]:
    """One that sees what happens during a test."""
    one = Watch()
    hook.append(one)
    yield one
    hook.remove(one)


@pytest.mark.parametrize("moment", ["docs", "docs/guide.md"])
def test_what_is_put_instead_of_a_file_while_it_is_looked_for_is_not_served(
    tmp_path: Path, watch: Watch, moment: str
) -> None:
    place, secret = make(tmp_path), tmp_path / "secret"
    for directory in (place / "docs", secret):
        directory.mkdir()
        (directory / "guide.md").write_text(directory.name, encoding="utf-8")
    server = Server("s", skills=place)

    def swap() -> None:
        (place / "docs").rename(place / "old")
        (place / "docs").symlink_to(secret)

    watch.tasks[str(place / moment)] = swap
    read = []
    with connect(server) as peer:
        for _ in range(2):
            with suppress(PeerError):
                read.append(peer.read("skill://pdf-tools/docs/guide.md").text)
            peer.request("skills/list")
        assert not watch.tasks
        assert read in ([], ["docs"])
        assert peer.read("skill://pdf-tools/old/guide.md").text == "docs"


def test_a_file_is_found_by_one_look_at_the_directory(tmp_path: Path, watch: Watch) -> None:
    place = make(tmp_path)
    (place / "a.txt").touch()
    with connect(Server("s", skills=place)) as peer:
        watch.seen.clear()
        peer.read("skill://pdf-tools/a.txt")
        own = [seen for seen in watch.seen if seen.startswith(str(place))]
    assert own == [str(place), str(place / "a.txt")]


PLACES = st.lists(
    st.sampled_from(
        [
            *("..", ".", "", "/", "\\", "\0", "%2e%2e", "%2f", "%5c", "%00", "..%2f", "secret.txt"),
            *("SKILL.md", "scripts", "a.py", "pdf-tools", "link", "key", ".env", "etc", "passwd"),
        ]
    )
    | st.text(max_size=4),
    max_size=6,
).map("/".join)


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Server:
    """A server of one skill, with a secret all around it."""
    directory = tmp_path_factory.mktemp("guarded")
    place = make(directory / "skills")
    (place / "scripts").mkdir()
    (place / "scripts" / "a.py").write_text("print(1)", encoding="utf-8")
    for secret in (directory / "secret.txt", directory / "skills" / "secret.txt", place / ".env"):
        secret.write_text(OUTSIDE, encoding="utf-8")
    (place / "link").symlink_to(directory)
    (place / "key").symlink_to(directory / "secret.txt")
    return Server("guarded", skills=place)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)
@given(PLACES)
@example("../secret.txt")
@example("scripts/../../secret.txt")
@example("%2e%2e/secret.txt")
@example("scripts%2fa.py")
@example("link/secret.txt")
def test_no_uri_leads_out_of_the_directory(guarded: Server, place: str) -> None:
    served = {"SKILL.md", "scripts/a.py"}
    listed = {"", "scripts"}
    with connect(guarded) as peer:
        for uri in (f"skill://pdf-tools/{place}", f"skill://{place}", place):
            rest = uri.removeprefix("skill://pdf-tools/")
            try:
                assert OUTSIDE not in peer.read(uri).text
                assert rest in served
            except PeerError as error:
                assert (error.rpc_code, error.data) == (-32602, {"uri": uri})
            try:
                peer.request("resources/directory/read", {"uri": uri})
                assert uri == "skill://pdf-tools" or rest in listed - {""}
            except PeerError as error:
                assert error.rpc_code == -32602
