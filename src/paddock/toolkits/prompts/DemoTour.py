"""The prompt `DemoTour`."""

from paddock.toolkits.demo.tools import tour_prompt as prompt

__all__ = ["prompt"]
