"""The command line; `skyfall_crl.cli.main:main` is its entry point."""
