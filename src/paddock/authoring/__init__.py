"""Declaring servers, tools, prompts, resources and skills, and answering requests for them."""
