"""The Wolfram|Alpha tools and prompts, and offline answers for when the service is unavailable."""
