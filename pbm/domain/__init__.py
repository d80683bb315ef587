"""What the server is about, without I/O: matches, results, commands and their verb table, events, tokens."""
