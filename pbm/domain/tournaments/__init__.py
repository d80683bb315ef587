"""Tournaments: pairings, who moves first, and standings. Pure; integers and rationals only.

Entrants are identified by any distinct integers. Everything here is a function of the entrants, in the order of their
seeds, and of the bouts so far, so it always gives the same result.
"""
