"""The needs of every wish: the request and the board in hand, telling players, starting a match, jobs, the registry."""
