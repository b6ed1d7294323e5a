"""The agents and skills to start with can be used as they are."""

from paddock.zoo.formats.converter import export_agents
from paddock.zoo.formats.format_registry import COPILOT
from paddock.zoo.slugs import SLUG_PATTERN
from paddock.zoo.starter_agents import load_starter_library, load_starters


def test_there_are_three_agents_each_with_a_soul_and_skills_of_its_own() -> None:
    agents = [one.agent for one in load_starters()]
    assert [one.id for one in agents] == ["bramble", "fern", "quill"]
    skills = [skill for agent in agents for skill in agent.skills]
    assert len({skill.name for skill in skills}) == len(skills)
    for agent in agents:
        assert len(agent.system_prompt) > 500
        assert 3 <= len(agent.skills) <= 5
        assert len(agent.skill_categories) > 1


def test_every_skill_says_when_to_use_it_and_is_where_it_says() -> None:
    for agent in (one.agent for one in load_starters()):
        ids = {skill.id for skill in agent.skills}
        categories = {category.id for category in agent.skill_categories}
        for skill in agent.skills:
            assert skill.description
            assert skill.when_to_use
            assert skill.category_id in categories
            assert set(skill.requires) < ids
        assert {skill.category_id for skill in agent.skills} == categories


def test_agents_to_start_with_fit_into_the_files_of_programs() -> None:
    agents = [one.agent for one in load_starters()]
    fields = {one.field for one in export_agents(agents, COPILOT.name).report}
    assert fields == {"skillCategories", "skills", "tags"}


def test_the_library_has_packs_of_several_skills_with_ids_of_their_own() -> None:
    library = load_starter_library()
    packs = {pack.id for pack in library.packs}
    assert len(library.skills) == 20
    assert len({skill.id for skill in library.skills}) == 20
    assert {skill.pack_id for skill in library.skills} == packs
    assert all(SLUG_PATTERN.fullmatch(skill.id) for skill in library.skills)
    assert all(skill.description and skill.when_to_use for skill in library.skills)


def test_what_is_changed_in_a_copy_is_not_changed_in_the_next_one() -> None:
    load_starters()[0].agent.skills.clear()
    assert load_starters()[0].agent.skills
