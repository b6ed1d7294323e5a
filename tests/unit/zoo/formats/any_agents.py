"""Agents of all sorts, for properties."""

from hypothesis import strategies as st

from paddock.zoo.model import Agent, AgentSkill, BrainEntry
from paddock.zoo.slugs import make_file_slug

WORDS = st.sampled_from(
    [
        *("Look", "at", "the", "code:", "first", "# then", "---", "### Fake", "## Active Skills"),
        *("## Active Skills ##", "### Fake #", "> quoted", "*When to use:* now", "- item", "a: b"),
        *("<!-- paddock:agent x -->", "<!-- /paddock:agent x -->", "*Tags:* a", "# Memory", "```"),
        *("## Note 2026-01-01T00:00:00.000Z", "ä€😀", "'", '"', "\t", "\x85", "\u2028", "yes", "{"),
        *("\n", "\n\n", "\r\n", "$1"),
    ]
)
TEXTS = st.one_of(
    st.lists(WORDS, max_size=12).map(" ".join),
    st.lists(WORDS, max_size=12).map("\n".join),
    st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=40),
)
TIDY_TEXTS = TEXTS.map(lambda text: text.replace("\r\n", "\n").strip())
LINES = TEXTS.map(lambda text: " ".join("".join(c for c in text if c.isprintable()).split()))
NAMES = st.one_of(
    LINES.filter(bool), st.sampled_from(["Sage", "C#", "Ada ##", "no", "Con", "日本", "../../etc"])
)
SLUGS = st.one_of(
    st.from_regex(r"[a-z0-9]{1,8}(-[a-z0-9]{1,8}){0,2}", fullmatch=True),
    st.sampled_from(["y", "null", "1", "0x1f", "1e3"]),
).filter(lambda text: make_file_slug(text, "agent") == text)


@st.composite
def skill_lists(draw: st.DrawFn) -> list[AgentSkill]:
    """Skills as files can say them: all enabled, in no category, with the ids of their names."""
    return [
        AgentSkill(
            id=f"s{number}",
            name=draw(NAMES),
            description=draw(TIDY_TEXTS),
            when_to_use=draw(LINES),
        )
        for number in range(draw(st.integers(0, 3)))
    ]


AGENTS = st.builds(
    Agent,
    id=SLUGS,
    name=NAMES,
    description=TIDY_TEXTS.filter(bool),
    system_prompt=TIDY_TEXTS,
    skills=skill_lists(),
)

ENTRIES = st.lists(
    st.builds(
        BrainEntry,
        id=st.just(""),
        agent_id=st.just("x"),
        type=st.sampled_from(["decision", "milestone", "note", "summary", "handoff"]),
        content=TIDY_TEXTS.filter(bool),
        timestamp=st.datetimes().map(lambda at: f"{at.isoformat(timespec='milliseconds')}Z"),
        pinned=st.booleans(),
        tags=st.lists(LINES.filter(bool), max_size=3),
    ),
    max_size=4,
)


def what_fits(agent: Agent) -> tuple[object, ...]:
    """The parts of an agent that files of other programs contain."""
    skills = [(one.name, one.description, one.when_to_use) for one in agent.skills if one.enabled]
    return agent.id, agent.name, agent.description, agent.system_prompt, skills
