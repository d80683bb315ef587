"""`python -m pbm.cli` is the command `pbm`."""

from pbm.cli import main

main()
