"""Tournaments: how they are made, joined and held, and what is told of them.

A tournament is held by its jobs alone (`rounds`): it has one job at a time, whose instant is the next at which
something must happen by itself. Whatever may let it happen sooner, such as the end of a board, moves the job to the
present.
"""
