"""Tournaments: how they are created, joined and run, and what players are told about them.

Only its job runs a tournament (`rounds.hold`). It has one job at a time, due when something must happen by itself.
Events that may let it go on sooner, such as the end of a board, make the job due at once.
"""
