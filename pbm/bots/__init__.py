"""Robots, which can play and teach every game of the registry.

`choose.choose` returns a move for a position, the value of the position, and the expected line. A robot plays a game
better with a skill made for it (see skill.py); a package with a game may also provide its skill, through the entry
point group `pbm.bots`, under the game's name.
"""
