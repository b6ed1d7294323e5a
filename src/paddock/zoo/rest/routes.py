"""All routes of the zoo."""

from __future__ import annotations

from paddock.zoo.rest import agents, brain, files, history, injecting, library, live, skills

ROUTES = [
    *agents.ROUTES,
    *skills.ROUTES,
    *history.ROUTES,
    *brain.ROUTES,
    *injecting.ROUTES,
    *library.ROUTES,
    *files.ROUTES,
    *live.ROUTES,
]
