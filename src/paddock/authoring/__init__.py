"""Writing servers: tools, prompts, resources and what turns Python into them."""
