"""`python -m pbm.cli` runs the command `pbm`."""

from pbm.cli import main

main()
