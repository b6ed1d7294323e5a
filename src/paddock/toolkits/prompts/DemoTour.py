"""The prompt `DemoTour`."""

from paddock.toolkits.demo.animals import tour as prompt

__all__ = ["prompt"]
