"""The prompt `DemoTour`."""

from paddock.toolkits.demo.animals import tour_prompt as prompt

__all__ = ["prompt"]
