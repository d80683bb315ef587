"""Robots, which can play and teach every game of the registry.

`choose` returns a move for a position, the value of the position, and the expected line. A robot plays a game better
with a skill made for it (see skill.py); a package with a game may also provide its skill, through the entry point group
`pbm.bots`, under the game's name.
"""

from pbm.bots.choose import BOARDS, LEVELS, Decision, Level, choose, options_of, skill_of
from pbm.bots.mind import Mind, NoThought, Question, Stopped, Thought, loaded, outdated, think
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
    "loaded",
    "options_of",
    "outdated",
    "skill_of",
    "think",
]
