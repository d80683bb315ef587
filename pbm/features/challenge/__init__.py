"""Challenges to players, and to people who have no account yet."""
