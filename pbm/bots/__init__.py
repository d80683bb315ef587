"""Robots: what plays and teaches every game of the registry.

`choose` looks at a position and tells a move, what the position is worth and the line behind it. A game is played
better with a skill of its own (see skill.py); a package that brings a game may bring its skill, too, through the entry
point group `pbm.bots`, under the game's name.
"""

from pbm.bots.choose import LEVELS, Choice, Level, choose, skill_of
from pbm.bots.search import Budget
from pbm.bots.skill import Credit, Rollout, Skill, Solution
from pbm.bots.think import Mind, NoThought, Question, Stopped, Thought, think

__all__ = [
    "LEVELS",
    "Budget",
    "Choice",
    "Credit",
    "Level",
    "Mind",
    "NoThought",
    "Question",
    "Rollout",
    "Skill",
    "Solution",
    "Stopped",
    "Thought",
    "choose",
    "skill_of",
    "think",
]
