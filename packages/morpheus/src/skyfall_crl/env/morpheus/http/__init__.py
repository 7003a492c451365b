"""How calls reach a deployment: connections, deadlines, retries, and what counts as an answer."""
