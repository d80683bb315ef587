"""The edges: mail in from the network, mail out to it, and the loops in between."""
