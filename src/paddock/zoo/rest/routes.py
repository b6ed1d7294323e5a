"""All routes of the zoo."""

from __future__ import annotations

from paddock.zoo.rest import agents, brain, files, history, injecting, library, live, skills

ZOO_ROUTES = [
    *agents.AGENT_ROUTES,
    *skills.SKILL_ROUTES,
    *history.VERSION_ROUTES,
    *brain.BRAIN_ROUTES,
    *injecting.INJECTION_ROUTES,
    *library.LIBRARY_ROUTES,
    *files.FILE_ROUTES,
    *live.EVENT_ROUTES,
]
