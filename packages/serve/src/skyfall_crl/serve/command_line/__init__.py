"""The words `serve` and `bundle` of the command line."""
