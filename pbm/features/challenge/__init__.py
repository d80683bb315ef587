"""Challenges to players, and to people who have no account yet."""

from pbm.features.challenge import challenge, invitation

__all__ = ["challenge", "invitation"]
