"""pbm: a play-by-email server for abstract games.

Its distribution is called pbm-server, because `pbm` on the package index is somebody else's program.
"""

__version__ = "0.1.0"
