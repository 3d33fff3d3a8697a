"""The Model Context Protocol: agents ask, the engine answers."""
