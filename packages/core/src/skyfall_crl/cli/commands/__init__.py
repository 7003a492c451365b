"""The core's commands, one module each; none is imported before it is called."""
