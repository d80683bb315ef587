"""The server's subject matter, without I/O and without people's words: matches, clocks, results, events, tokens."""
