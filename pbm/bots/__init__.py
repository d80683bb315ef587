"""Robots: what plays and teaches every game of the registry.

`choose` looks at a position and tells a move, what the position is worth and the line that follows. A game is played
better with a skill of its own (see skill.py); a package that brings a game may bring its skill, too, through the entry
point group `pbm.bots`, under the game's name.
"""

from pbm.bots.choose import BOARDS, LEVELS, Decision, Level, choose, options_of, skill_of
from pbm.bots.mind import Mind, NoThought, Question, Stopped, Thought, think
from pbm.bots.search import Budget
from pbm.bots.skill import Credit, Rollout, Skill, Solution

__all__ = [
    "BOARDS",
    "LEVELS",
    "Budget",
    "Credit",
    "Decision",
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
    "options_of",
    "skill_of",
    "think",
]
