"""What every wish needs: the request and the board in hand, telling players, starting a match, jobs, the registry."""
