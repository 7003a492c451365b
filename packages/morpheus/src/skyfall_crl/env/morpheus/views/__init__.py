"""The task views of MORPHEUS worlds, one a module."""
