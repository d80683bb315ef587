"""Tournaments: who meets whom, who moves first, how all then stand. Pure; integers and rationals only.

Entrants are known by any integers that are theirs alone. Everything here is a function of the entrants, in the order
they are seeded, and of the bouts there were: asked twice, it gives the same.
"""
