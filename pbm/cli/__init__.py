"""The command line. Configuration and paths are read here and handed down as values."""

from pbm.cli.root import main

__all__ = ["main"]
