"""The command line. Configuration and paths are read here and handed down as values."""

from pbm.cli.frame import main

__all__ = ["main"]
