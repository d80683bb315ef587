"""What every feature needs: the request and board in hand, telling players, starting a match, jobs, the registry."""
