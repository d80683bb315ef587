"""Finished games as a static site: replays without scripts, players, standings. Nothing here listens."""
