"""`python -m pbm` runs the command `pbm`."""

from pbm.cli import main

main()
